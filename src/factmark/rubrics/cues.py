"""The turns of phrase that announce, conclude, revise, join or qualify a verdict."""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re

NOUN = (
    r"(?:verdicts?|labels?|answers?|judge?ments?|decision|conclusion|classification|result|rating|evaluation|grade|ruling"
    r"|assessment|determination|choice|option|output|response|prediction|finding|status|selection|letter|summary)"
)
FINAL_WORD = r"(?:final(?:ly)?|revised|corrected|amended|updated|in (?:conclusion|summary|the end)|ultimate(?:ly)?)"
SPLIT = re.compile(r"(?<=[.!?;])[)\]\"\ue001]*\s+(?=[^a-z\s])|\n+")
FINAL_CUE = re.compile(rf"\b{FINAL_WORD}\b", re.I)
CUE = re.compile(
    rf"(?<!correct )\b{NOUN}\s+(?:(?!not\b)[\w']+\s+){{0,4}}?(?:(?:is|are|=|remains|stays|would be|should be|must be|as|to be|will be)\s+)(?:(?!not\b)[\w']+\s+){{0,2}}?(?:that\s+)?(?:option\s+)?[:\-=>]*\s*[\[(\ue000]*$"
    rf"|\b(?:i|we)(?:'d|'ll| would| will| therefore| must| thus| hence| do| have to| also|'m going to| am going to| can only)*\s+(?:choose|pick|select|go with|conclude|judge|rate|vote|answer|settle on|say|label|mark|classify|opt for|respond|assign|give|choosing|going with|stick with)\b[^.;]{{0,60}}$"
    r"|\b(?:leaves?|leaving|left with|makes (?:it|this)|going with|go with)(?: us| me)?(?: with)?(?: only| just)?(?: option| choice)?\s*:?\s*[\[(\ue000]*$",
    re.I,
)
CONCLUSIVE = re.compile(
    r"(?:^|[\s,;:.-])(?:(?:so|therefore|thus|hence|overall|consequently|accordingly|in (?:short|sum|conclusion|summary)|in the end|ultimately|finally"
    r"|to (?:conclude|sum up)|all in all|on balance|final(?:ly)?|conclude|conclusion|verdict|makes (?:it|this)|meaning|we get)\b|=>|->|⇒|→)[^.]{0,120}$",
    re.I,
)
COLON = re.compile(r":\s|:$|=>|->|→|⇒|=|\s-{1,3}\s")
NOT_A_KEY = re.compile(
    r"\b(?:not|reject\w*|exclud\w*|ruled|rules|options?(?! \w)|choices|alternativ\w*|possible|except|instead|eliminat\w*|allowed|valid|example|e\.g|if"
    r"|instruct\w*|system|user|inject\w*|ignor\w*|given|confidence|format|scale|labels|one of|either|tempt\w*|initial(?:ly)?|previous(?:ly)?"
    r"|distractors?|task|question|(?:passage|source|text|line|document|note|it|article|abstract)\W*(?:\d+\W*)?$|(?:says?|reads?|states?|contains?|writes?|includes?|claims|tells?|telling|saying)\b[^,;.]{0,40}$|correct answer|true answer|ground truth|gold|reference|expected|incorrect|wrong)\b",
    re.I,
)
REVISION = re.compile(
    r"\b(?:wait|on (?:second thou?ghts?|reflection|closer \w+)|correction|scratch that|strike that|let me (?:reconsider|revise|correct|re-?check|re-?read|think again|rethink)"
    r"|i was (?:wrong|mistaken)|i (?:made|misread|misspoke|take that back|stand corrected|apologi[sz]e|meant)|my (?:mistake|bad|apologies)|revised|re-?reading|reconsidering|changing my|i change my|upon (?:closer|further|re)\S*|edit|apologies|sorry|amended|corrected|hmm|actually,|hold on|no,(?= (?:wait|actually|sorry|it|that|this)))(?!\w)",
    re.IGNORECASE,
)
QUERY = re.compile(r"^[\])\"\ue001]*\s*\?")
OR_ELSE = re.compile(
    r"^[\])\"\ue001]*\W{0,3}\s*(?:or|but|though)\s+(?:(?:it|this|also)\s+)*(?:could|might|may|possibly|perhaps|maybe)\b",
    re.I,
)
TURNS = re.compile(rf"(?<=[,.;:>→-])\s+(?=(?:but |and |so )?{REVISION.pattern})", re.I)
NOUN_RE = re.compile(rf"\b{NOUN}\b", re.I)
LEAD_AFTER = re.compile(
    r"^[\])}\"\ue001]*(?:\s*(?:[:,.;!(|)\ue002]|-+(?:\s|>)|->|=>|→|$)|\s+(?:because|since|as|due|for|given|by|based|in light|per|according|[-(\ue002]|with|overall|here)\b|\s+[\-(\ue002])"
)
PUNCTUATED = re.compile(r"[\])}\"\ue001]*\s*(?:[:,.;!(|)]|-|=>|→|\n|$)")
JOINED = re.compile(
    r"^[\])}\"\ue001\s.]*(?:(?:[/|,]|possibly|perhaps|maybe|or|and|and/or|to|vs\.?|versus|but|nor|\d+|->)\s*)*[\[({\"\ue000\s.(*-]*$",
    re.I,
)
CONFIDENCE = re.compile(
    r"[(\[]?\b(?:confidence|score|probability|certainty)\b[^\n]{0,30}|\b\d{1,3}(?:\.\d+)?\s?%|\b[01]?\.\d+\b|\b\d{1,2}/\d{1,2}\b",
    re.I,
)
BUT = re.compile(
    r"\b(?:but|however|although|though|except|yet|nonetheless|nevertheless|while|whereas|on the other hand)\b",
    re.I,
)
AMPLE = re.compile(
    r"^\W*(?:(?:it is|it's|this is|that is|definitely|clearly|absolutely|certainly|fully|completely|directly|strongly|the claim is|claim|definitively|obviously|explicitly|firmly|outright)\s+)*\W*$",
    re.I,
)
