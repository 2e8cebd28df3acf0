"""Whether a mention of a label is meant: not negated, supposed, asked, rejected or told by another.

Each test looks at no more than a fixed number of characters before or after the mention.
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re
from typing import Literal

Polarity = Literal["meant", "final", "negated", "dropped", "between"]

WINDOW = 160
_NOT_DOUBT = re.compile(
    r"\b(?:no|without(?: any| a)?|beyond(?: any| a)?) (?:\w+ )?(?:doubt|question)\b|\bnot only\b|\bif any(?:thing)?\b",
    re.I,
)
_CLAUSE = re.compile(
    r"[,;:]\s|[.!?]\s|\s-+\s|\bbut\b|\bso\b|\btherefore\b|\bthus\b|\bhence\b|->|=>", re.I
)
_DEGREE = (
    r"(?:directly|explicitly|clearly|actually|really|specifically|strictly|itself|a|an|the|at all|otherwise|"
    r"adequately|sufficiently|well|be|been|being|considered|deemed|factually|quite|even|in any way|anywhere)"
)
_BARELY = (
    r"(?:partial(?:ly)?|partly|most(?:ly)?|largely|somewhat|mainly|half|semi|weakly|nearly|almost|quasi|loosely|probabl[ey]"
    r"|likely|possibly|perhaps|arguably|barely|sort of|kind of|apparently|presumably|borderline|moderately"
    r"|slightly|mixed|roughly|technically|partially-|maybe|in part|not (?:fully|entirely|completely|wholly|totally|quite|always|necessarily|strictly))"
)
_GRADED = re.compile(rf"\b{_BARELY}[\s_-]+(?:\w+ing )?[\[\"(\ue000]*$", re.I)
_GRADED_AFTER = re.compile(
    r"^[\])\"\ue001]*[\s,(-]*(?:but |though |although )(?:only|just|loosely)\b|^[\])\"\ue001]*[\s,(-]*(?:only )?(?:partial(?:ly)?|partly|in part|maybe|perhaps|possibly|probably|to some extent|to a degree|up to a point|-ish)\b",
    re.I,
)
_NEGATED = re.compile(rf"\b(?:not)(?:\s+{_DEGREE}){{0,3}}\s+[\[\ue000\"]*$", re.I)
_DENIED = re.compile(
    r"(?:\b(?:not|never|hardly|nor|neither|without|no|none|nothing|scarcely|far from|stops? short of|short of|anything but)"
    r"(?:\s+(?!is\b|are\b|was\b|were\b|and\b|or\b|means\b)[\w']+){0,2}|\b(?:nicht|keine?|pas|non|não|niet|ikke|inte|nie|не)\s|[不非未没無无])\s*[\[\ue000\"]*$",
    re.I,
)
_ATTITUDE = re.compile(
    r"\b(?:not|never|hesitate|refuse|unable|hard|difficult|wrong|incorrect|mistake|impossible)\b(?:\s+\w+){0,3}?\s+"
    r"(?:say|think|believe|consider|call|conclude|find|label|mark|rate|regard|describe|judge|choose|pick|select|answer"
    r"|go|see|count|classify|treat|mean|amount|qualify|make|justify|warrant|imply|get|reach|tell|determine|decide|assign|give|output)\b",
    re.I,
)
_SUPPOSED = re.compile(
    r"\b(?:(?<!i )(?<!we )would(?! (?:say|answer|go|rate|label|judge|conclude|classify|call|choose|pick|select|mark|therefore))"
    r"|would have|could|might|may(?! be\b.{0,3}$)|if|unless|had|whether|suppose|supposing|otherwise|tempt\w*|consider(?:ed|ing)|torn|"
    r"lean\w*|someone|some (?:might|may|would|people|annotators|readers)|others|one (?:could|might|may|can)|even when|in case|assuming|were)\b",
    re.I,
)
_OWN_WOULD = re.compile(
    r"\b(?:verdict|answer|label|judge?ment|choice|conclusion|rating|classification) would (?:therefore |then |thus |hence )?be\b|\bthat would be an?\b",
    re.I,
)
_CONTRAST = re.compile(
    r"\b(?:rather than|instead of|as opposed to|not (?:merely|just|simply|only)|more than(?: just| merely)?|beyond|unlike"
    r"|versus|vs|over|than|let alone|exclud\w+|rul(?:es?|ed|ing) out|rule out|eliminat\w+|reject\w*|avoid\w*"
    r"|against|ignor\w+|drop\w*|discard\w*|dismiss\w*|changed?(?: \w+)? from|switch\w* from|from|neither|opposite of|contrary of|except|between|compared (?:to|with)|distractors?|definition of|mean(?:s|ing)?(?: of)?|such as|like|instead of|originally|initially|previously|earlier|at first|first thought|thought)"
    r"(?:\s+(?!is\b|are\b)[\w']+){0,2}\s*[:\[\ue000\"(]*$",
    re.I,
)
_TOLD = re.compile(
    r"(?<!i )(?<!we )\b(?:to|must|should|always|please|shall|just|only|simply|and|has to|have to)\s+(?:always |only |just |simply |say )?"
    r"(?:answer|output|respond|reply|say|return|print|write|mark|label|rate|choose|pick|select|"
    r"report|emit|classify|judge|treat|give|assign|produce|conclude|use|force|make|end with)\b[^.!?;]{0,60}$"
    r"|\b(?:instruct\w*|injection|injected|orders?|ordered|commands?|demand\w*|urg\w+|tells?|telling|told|tries|trying|attempt\w*|asks?|asked|asking|bait\w*|embedded|planted)\b[^.!?;]{0,100}$"
    r"|\b(?:answer|response|reply|claim|statement)\s+(?:itself\s+|also\s+|only\s+)?(?:says?|states?|claims?|asserts?|declares?|insists?|announces?|pretends?|calls)\b:?\s*(?:that\s+)?(?:it|itself|this|its|my|the|your)\b[^.!?;,]{0,40}$"
    r"|\b(?:line|sentence|note|message|passage|source|text|document|comment|footer|header|it|vignette|abstract)\s+(?:that\s+)?(?:\w+ly\s+)?(?:says?|reads?|saying|reading|contains?|containing|claims|claiming|declares|declaring|asserts)\b[^.!?;,]{0,80}$",
    re.I,
)
TURN = re.compile(
    r";|\b(?:but|so|therefore|thus|hence|however|nevertheless|yet|instead|regardless)\b", re.I
)
_NO_SUBJECT = re.compile(
    r"^\W*(?:because |since |as |and |but |there (?:is|was|are) )?(?:nothing|no|none|nowhere|nobody)\b(?!.*\b(?:neither|nor)\b)"
    r"|\b(?:lacks?|lacking|fails? to|failed to|without|lack of|insufficient)\s+(?:\w+\s+)?$",
    re.I,
)
_FLAG = re.compile(
    r"^[\])\"\ue001]*(?:\s*[=:]\s*(?:true|false|[01]|yes|no|wrong)\b|\s+not\b\W*$)", re.I
)
_CONDITION = re.compile(
    r"(?<!even )(?<!as )\b(?:if|unless|in case|assuming|provided)\b[^.!?;:]{0,120}$", re.I
)
_FORMER = re.compile(
    r"\b(?:previous|prior|earlier|initial|original|another|other|old)\s+"
    r"(?:verdict|label|answer|grader|judge|annotator|rating|judge?ment|guess|impression|reading)\b[^.;]{0,60}$",
    re.I,
)
_ASKED = re.compile(r"^[\])\"\ue001]*\s*\?")
_IF_AFTER = re.compile(
    r"^[\])\"\ue001]*\s+(?:if|when|unless|only if|provided|assuming|in case|whenever)\b", re.I
)
_BY_NOTHING = re.compile(
    r"^\s+(?:\w+ly )?(?:by|in|with|from)\s+(?:no|not|none|nothing|neither|nowhere)\b|^\s+nowhere\b",
    re.I,
)
_GOOD = re.compile(
    r"^[\])\"\ue001.]*\s*(?:\([^()\n]{0,80}\)\s*|[-,]\s[^.,\n]{0,40}[-,]\s)?(?:is|would be|must be|remains|seems|fits)\s+(?:\w+ly )?(?:the\s+)?(?:therefore |thus |hence |clearly |only |single |most |my )*"
    r"(?:correct|right|best|most|appropriate|proper|answer|verdict|label|choice|option|only|accurate|likely|it\b|final|fitting|left|true|as the answer)",
    re.I,
)
_SUBJECT = re.compile(
    r"^[\])\"\ue001]*\s+(?:is|was|were|are|would|could|might|may|can|cannot|needs?|requires?|does|did|do|means?|applies|stands|refers|seems?|looks?|will|should|must|has|fails?|never|option|label)\b(?!\s+(?:because|since|correct))",
    re.I,
)
_BECAUSE = re.compile(r"^[\])\"\ue001]*\s+(?:because|since|as)\b", re.I)


def polarity(text: str, start: int, end: int, inflected: bool) -> Polarity:
    """How the mention at `start` to `end` of one sentence is meant.

    Returns:
        `meant`; `final` when the sentence calls it the right one; `negated` when it is directly
        denied, so that its negation is meant; `dropped` when it says nothing; `between` when the
        sentence puts it between two labels.
    """
    before = _NOT_DOUBT.sub(" ", text[max(0, start - WINDOW) : start])
    after = text[end : end + 80]
    clause = _CLAUSE.split(before)[-1]
    if _ASKED.match(after):
        return "dropped"
    if _GOOD.match(after) and not _DENIED.search(clause):
        return "final"
    if _GRADED.search(before) or _GRADED_AFTER.match(after):
        return "between"
    if _BY_NOTHING.match(after) or (inflected and _NO_SUBJECT.search(clause)):
        return "negated"
    if _FLAG.match(after):
        return "dropped"
    if _told_or_supposed(before, clause):
        return "dropped"
    if _NEGATED.search(clause):
        return "negated"
    if _DENIED.search(clause) or _ATTITUDE.search(clause) or _CONTRAST.search(clause):
        return "dropped"
    if _IF_AFTER.match(after):
        return "dropped"
    if not inflected and _SUBJECT.match(after) and not _BECAUSE.match(after):
        return "dropped"
    return "meant"


def _told_or_supposed(before: str, clause: str) -> bool:
    """Whether the words before a mention make it another's words or a supposition."""
    if _TOLD.search(TURN.split(before)[-1]):
        return True
    if _FORMER.search(TURN.split(before)[-1]) or _CONDITION.search(TURN.split(before)[-1]):
        return True
    return bool(_SUPPOSED.search(_OWN_WOULD.sub(" ", clause)))


def is_subject(after: str) -> bool:
    """Whether what follows a mention makes it the subject of a sentence ("... is out")."""
    return bool(_SUBJECT.match(after)) and not _GOOD.match(after)
