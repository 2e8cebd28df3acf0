"""The turns of phrase by which a label is, or is not, a judge's verdict."""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re

from factmark.text.patterns import late_pattern

# where a sentence ends
SENTENCE = late_pattern(r"(?<=[.!?;])(?<!e\.g\.)(?<!i\.e\.)[)\]\"]*\s+(?=[^a-z\s])|\n+")
# where a clause begins
CLAUSE = late_pattern(r"[,;:]\s|\s-+\s|\b(?:is|are|but|so|therefore|thus|hence|and)\b|->|=>")
# what limits what was said before it
BUT = late_pattern(r"\b(?:but|however|although|though|except|while|whereas)\b", re.I)
# where the judge turns from what others say to its own view
TURN = late_pattern(
    r"[;]|,\s+(?:so|but|and|therefore|thus|hence)\b|\b(?:so|therefore|thus|hence)\b|->|=>", re.I
)
# the judge corrects itself
REVISION = late_pattern(
    r"\b(?:wait|on (?:second thou?ghts?|reflection|closer \w+)|correction|scratch that|strike that|let me (?:re\w+|correct|think again)"
    r"|i was (?:wrong|mistaken)|i (?:misread|misspoke|take that back|stand corrected)|my (?:mistake|apologies)|re-?reading|upon (?:closer|further|re)\S*|apologies|sorry|hmm|(?<!is )(?<!are )(?<!was )(?<!were )actually|hold on)(?!\w)",
    re.I,
)
# the number of a line in a list
LIST_MARK = late_pattern(r"^\W*\d{1,3}[.):]")
# how sure the judge is
CONFIDENCE = late_pattern(r"[(\[]?\b(?:confidence|probability|certainty)\b[^\n]{0,30}", re.I)
# figures that may stand beside a label
FIGURE = late_pattern(r"\b\d{1,3}(?:\.\d+)?\s?%|\b[01]?\.\d+\b|\b\d{1,2}/\d{1,2}\b")
# words for a verdict
NOUN = r"(?:verdicts?|labels?|answers?|judge?ments?|decision|conclusion|classification|results?|rating|evaluation|grade|ruling|assessment|determination|choice|option|letter|output|response|prediction|selection|scores?|correctness|marks?)"
NAMED = late_pattern(rf"\b{NOUN}\b", re.I)
# what names a verdict as the last one
FINAL = late_pattern(
    r"\b(?:final(?:ly)?|revised|corrected|amended|updated|ultimate(?:ly)?|overall)\b|\bin (?:conclusion|summary|the end)\b",
    re.I,
)
# right before a label: words that make it the verdict
KEY = late_pattern(
    rf"(?:\b{NOUN}\s+(?:(?!not\b)[\w']+\s+){{0,4}}?(?:is|are|remains|stays|as|be)\s+(?:(?!not\b)[\w']+\s+){{0,2}}?"
    r"|\b(?:I|we)\b[^.;:]{0,40}?\b(?:choose|pick|select|go with|conclude|judge|rate|vote|answer|settle on|say|label|mark|classify|assign|give|find)\b[^.;:]{0,60}\s+"
    r"|\b(?:leaves?|leaving|left with|makes? (?:it|this)|go(?:ing)? with)(?: us| me)?(?: with)?(?: only)?(?: option)?\s+"
    r"|\b(?:gets|deserves|earns|merits|warrants|is an|is a|'s a|so|therefore|thus|hence)(?: an?)?\s+)[\s\[(]*$",
    re.I,
)
# the same for adjectives, which are said of anything ("the answer is correct")
OWN_VERDICT = late_pattern(
    r"\b(?:verdict|label|judge?ment|decision|conclusion|classification|rating|evaluation|grade|ruling|assessment|determination)\s+(?:is|remains|stays|as|should be|must be|would be)\s+\W*$",
    re.I,
)
# right before a label: a colon or an arrow, with or without "it is"
COLON = late_pattern(
    r"(?::|=|->|=>|→|⇒|\s-{1,2})[\s\[(]*(?:(?:(?:the|this)\s+(?:claim|statement|answer|triple|relation)|it|this)\s+(?:is|was)\s+)?[\s\[(]*$",
    re.I,
)
# all before a rating: what is rated
QUALITY = late_pattern(
    r"^\W*(?:[a-z]+ ){0,2}(?:\w+ness|consistency|coherence|fluency|relevance|accuracy|factuality|quality|clarity|validity|fidelity)\W*$",
    re.I,
)
# right before a label: words that list labels or name another's verdict
NOT_A_KEY = late_pattern(
    r"\b(?:options|choices|labels|alternatives?|one of|format|example|e\.g|scale|(?:gold|expected|reference|previous|initial|first|other) (?:answer|label|verdict|option|choice)|reference)\W*(?:is|was|were|would be)?\W*$",
    re.I,
)
# what may stand before a label at the head of a line
LEADS = late_pattern(
    r"^(?:\W*(?:an?|clearly|definitely|absolutely|fully|directly|so|overall|therefore|no doubt|sure|well|i think|hmm|wait|actually|correction|sorry|finally|in (?:conclusion|summary|the end|short)|final|ok|yes|no)\b)*\W*$",
    re.I,
)
# "... is the right label"
RIGHT = r"(?:is|would be|must be|seems|fits|remains)\s+(?:\w+ly\s+)?(?:the\s+)?(?:therefore |only |single |most |my |best )*(?:correct|right|best|most|appropriate|proper|answer|verdict|label|choice|option|only|accurate|fitting|left|better(?!\s+(?:known|described|supported)\b))\b|(?:fits|matches)(?=\W*$|\s+best\b)"
# what may follow a label that is declared
AFTER = late_pattern(
    rf"^\)\s|^[\s\])}}]*(?:[^\w\s/&|+=→\])}}-]|-+\s|$|(?:because|since|due|given|based|by|per|according|overall|here|as|from me|over|rather|instead|{RIGHT})\b)",
    re.I,
)
# what follows is why
REASON = late_pattern(r"\b(?:because|since|due to)\b", re.I)
# what takes it back right after it
DENIED_AFTER = late_pattern(
    r"^\W*(?:\w+ly )?(?:by|in|with|from)\s+(?:no|not|none|nothing|neither)\b"
    r"|^[\s\])}]*(?:is|are|was)\s+(?:not|wrong|incorrect|false|out|ruled|eliminated|excluded)\b",
    re.I,
)
# in the clause before a label: it is negated, supposed or set aside
UNMEANT = late_pattern(
    r"\b(?:not|never|neither|nor|or|either|than|instead of|over|between|as opposed to|should(?! be| have been)|could|might|may|can not|would have|"
    r"had|to call|called|hardly|barely|scarcely|consider\w*|lean\w*|initial\w*|originally|at first|previous\w*|earlier|tempt\w*|unable|unclear|ignor\w+|reject\w*|rul\w+ out|exclud\w*|eliminat\w*|не|nicht|pas|kein\w*)\b",
    re.I,
)
# before a label: it is conditional, or not said
CONDITION = late_pattern(
    r"\b(?:if|unless|whether|when|otherwise|had)\b[^;]*$"
    r"|\b(?:not|never|un(?:able|sure)|hard|difficult|hesitate|refuse)\b(?:\s+\w+){0,3}\s+(?:say|see|tell|call|conclude|think|believe|consider|that)\b[^;:]*$",
    re.I,
)
# before a label: somebody else's words
REPORTED = late_pattern(
    r"\b(?:told|instruct\w*|inject\w*|asked|asks|ignor\w+|disregard\w*|attempts?|supposed|prompt\w*|system|user|someone|some|others?|annotators?|graders?)\b[^,]{0,120}$"
    r"|\b(?:passage|source|text|document|article|abstract|context|line|note|sentence|paragraph|vignette|it|which|answer|response|claim|statement)\b[^.]{0,60}?"
    r"\b(?:says?|asserts?|said|states?|reads?|reading|writes?|written|contains?|includes?|asks|tells|claims|instructs|ends|closes|concludes)\b"
    rf"(?:\W*|[^.,:]{{0,80}}|[^.,]{{0,60}}{NOUN}(?:\s+(?:is|are))?\W*)$",
    re.I,
)
# right before a label: half of it
GRADED = late_pattern(
    r"\b(?:partial(?:ly)?|partly|most(?:ly)?|largely|somewhat|mainly|half|semi|weakly|hardly|barely|scarcely|nearly|almost|loosely|probabl[ey]|likely|possibly|perhaps|arguably|sort of|kind of|apparently|borderline|slightly|mixed|roughly|maybe|in part|not (?:fully|entirely|completely|wholly|totally|quite|always|necessarily))[\s_-]+(?:\w+ing )?[\[(]*$",
    re.I,
)
# right after a label: half of it, or another one as well
GRADED_AFTER = late_pattern(
    r"^[\])]*[\s,(-]*(?:(?:but|though|although) (?:only|just)\b|(?:(?:but|though|although) )?(?:(?:only|just) )?(?:partial(?:ly)?|partly|in part|loosely|to some extent|to a degree|up to a point|(?:or|but|though) (?:it )?(?:could|might|may|possibly|perhaps|maybe))\b)",
    re.I,
)
# between labels: a choice or a list
JOIN = late_pattern(
    r"^[\])}\s.]*(?:[/|,→]|->|or|and|and/or|possibly|perhaps|maybe|even|vs\.?|versus|&|\s)*[\s\[({]*$",
    re.I,
)
# before a label: a text is announced or told that the judge was given
INTRODUCED = late_pattern(
    r"\b(?:passage|source|document|text|context|article|abstract|vignette|quote|quotation|it)\b[^.:;]{0,60}"
    r"(?::(?:\s[^.;]{0,60}|\W*)"
    r"|\b(?:says|reads|ends|closes|concludes|contains|has)(?:\s+(?:with|like|this|that|the|an?|following|as|follows|line|words?|sentence|text|instruction))*\W*)$",
    re.I,
)
_SUBJECT = r"(?:claim|statement|triple|assertion|fact|relation|passage|text|source|document|evidence|context|abstract|article|answer|response|it|this|that)"
_EVIDENCE = r"(?:passages?|texts?|sources?|documents?|evidence|contexts?|abstract|article|sentences?|this|it)"
_ADVERB = r"(?:(?:directly|explicitly|clearly|fully|indeed|therefore|thus|also|strongly|well|simply|actually|specifically|hence|itself|completely|entirely)\s+){0,2}"
_OPENS = r"^\W*(?:(?:so|therefore|thus|hence|overall|yes|based on|according to|in|given)\b[^,;]{0,60},?\s+)?(?:I\s+(?:judge|consider|find|think|believe|conclude)\s+(?:that\s+)?)?(?:(?:the|this|that|each|both|all|given|provided|candidate's|student's|model's)\s+){0,3}"
# the closed forms of prose: what says before the label that it holds, and what may follow it
PASSIVE = late_pattern(
    rf"{_OPENS}{_SUBJECT}(?:\s+(?:that|given|above|of)\b[^,;]{{0,160}}?)?\s+(?:is|are|was|were|to be)\s+(?P<no>not\s+)?{_ADVERB}$",
    re.I,
)
ACTIVE = late_pattern(
    rf"{_OPENS}{_EVIDENCE}(?:\s+(?:above|given|provided))?\s+(?:(?:do|does|did)\s+(?P<no>not\s+)?)?{_ADVERB}$",
    re.I,
)
_END = r"[^\w,;:?(]*$|,?\s+which\b"
# after a label in prose: why, which neither denies nor doubts it
WHY = late_pattern(r",?\s+(?:as(?! (?:far|long))|because|since)\b|\s*[:;(]", re.I)
OBJECT = late_pattern(
    rf"^\s+(?:(?:the|this|that|these|a)\s+)?(?:given\s+|stated\s+)?(?:claim|statement|triple|assertion|fact|relation|it|this|that)(?:{_END}|\s+that\b|\s+by\s+\w+ing\b)|^\s+what\b|^[^\w,;:?(]*$",
    re.I,
)
BY = late_pattern(
    rf"^(?:\s+(?:by|in)\s+(?:it|(?:the|this|its)\s+(?:\w+\s+){{0,2}}(?:passage|text|source|document|evidence|context|abstract|article|sentence|paragraph|line|reference|question|claim)s?))?(?:{_END})"
    r"|^\s+according to\b|^\s+(?:overall|here)\W*$",
    re.I,
)
HEDGE = late_pattern(
    r"\b(?:unclear|whether|if|unless|may|might|could|would|should|possibl\w*|perhaps|maybe|partial\w*|partly|somewhat|mostly|hardly|barely|except|doubt\w*|likely|seems?|appears?)\b",
    re.I,
)
DOUBT = late_pattern(
    rf"{HEDGE.pattern}|\b(?:not?|non|never|nothing|none|neither|nor|nowhere|without|lack\w*|fail\w*|insufficient\w*|can|cannot|only|enough|little|outside|elsewhere|beyond|absen\w*|miss\w*)\b",
    re.I,
)
HOWEVER = late_pattern(
    rf"{BUT.pattern}|\b(?:yet|nonetheless|nevertheless|actually|then again|on the other hand)\b",
    re.I,
)
TAKES_BACK = late_pattern(
    rf"{HOWEVER.pattern}|\b(?:just kidding|false|wrong|first reading|not (?:true|so|right|sure|certain|clear))\b",
    re.I,
)
