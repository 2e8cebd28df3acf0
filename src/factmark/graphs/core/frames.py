"""Whether a sentence asserts what it says between two names. Pure.

It does not under a frame of falsity (`it is a myth that …`), of belief (`some think that …`), in a
condition or a question, and where the next sentence takes it back. The classes are closed ones of
English, looked for where such words stand: before the names, between them, or as an afterthought.
"""

from __future__ import annotations

import re
from functools import lru_cache

from factmark.graphs.core.mentions import NameMention, SplitPassage

_FALSE = (
    r"(?:false(?!\s+(?:positive|negative|discovery|alarm))(?:ly|hood)?|untrue|wrong(?:ly)?"
    r"|incorrect(?:ly)?|erroneous(?:ly)?|an\s+error|error\s+(?:is\s+)?that|mistaken?(?:ly)?|myths?|misconceptions?|fallac\w+"
    r"|hoax\w*|legend|nonsense|superstitions?|unfounded|baseless|debunk\w+|refut\w+|disprov\w+"
    r"|discredit\w+|dismissed|retracted|den(?:y|ies|ied)\s+that|doubts?\s+that|doubted|doubtful)"
)
_SCARCE = (
    r"(?:hardly|scarcely|(?:little|scant|weak)\s+(?:evidence|proof|reason)|nobody"
    r"|nothing\s+(?:supports?|shows?|proves?|suggests?))"
)
_VIEWED = (
    r"(?:believ\w+|belief|think(?:s|ing)?|thought|claim(?:s|ed|ing)?|suppos\w+|assum\w+|alleg\w+"
    r"|purport\w*|pretend\w*|imagin\w+|speculat\w+|hypothe\w+|presum\w+|suspect(?:s|ed)?|rumou?r\w*"
    r"|conjectur\w+|assertion|contention|allegation|hop(?:es?|ed|ing)|wish\w*|notion|idea|suspicion|impression)"
)
_VIEW_VERB = r"(?:(?:believe|think|claim|suppose|assume|allege|pretend|imagine|hope|presume)s?)"
_ANYBODY = r"(?:some|many|most|others|people|they|he|she|quacks?)"

_FALSITY = re.compile(rf"\b(?:{_FALSE}|{_SCARCE})\b", re.IGNORECASE)
_SEEMING = re.compile(
    r"\b(?:supposedly|allegedly|purportedly|reputedly|ostensibly|so-called)\b", re.IGNORECASE
)
_VIEW = re.compile(
    rf"\b{_VIEWED}(?:\s+\w+)?\s+that\b|\b{_VIEW_VERB}\s+(?:[\w-]+\s+){{0,2}}$"
    rf"|\b{_ANYBODY}\s+(?:\w+ly\s+)?(?:says?|said|tells?|told|holds?|held|argues?)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|unless|lest|as\s+though|provided\s+that|would)\b|^\W*(?:should|were|had)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"^\W*(?:do(?:es)?|did|is|are|was|were|can|could|will|would|ha(?:s|ve))\b", re.IGNORECASE
)
_AFTERTHOUGHT = re.compile(
    rf"[,(–—-]\s*or\s+so\b|(?:[,(–—-]|\bis\s+what\b)\s*(?:or\s+)?(?:so\s+|as\s+)?(?:[\w']+\s+){{1,2}}"
    rf"(?:{_VIEW_VERB}|says?|said|claimed|alleged|(?<=\bis\s){_VIEWED})\s*(?:[.!;,)]|$)",
    re.IGNORECASE,
)
_SEEN_SO = re.compile(rf"\b{_VIEWED}\s+to\b|\bwould\b", re.IGNORECASE)
_NEXT_CLAUSE = re.compile(r";|,\s+(?:but|yet|and)\b|\b(?:whereas|however)\b", re.IGNORECASE)
_CONCEDED = re.compile(r"^\W*(?:although|though|while|even\s+though|whereas)\b[^,]*,", re.I)
_QUESTION = re.compile(r"\?[\"'”’»)\s]*$")
_TAKEN_BACK = re.compile(
    rf"^\W*(?:(?:but|yet|however|all)\W+)*(?:(?:this|that|it|these|both)\b.*?"
    rf"(?:(?<!\bno\s)(?<!\bnot\s)(?<!\bnot\sa\s)\b{_FALSE}\b|(?:\bnot|n['’]t)\s+(?:true|so)\b)"
    rf"|(?:{_FALSE}|hardly|no|not\s+at\s+all)\s*[.,!;]|not\s+(?:so|true)\b)",
    re.IGNORECASE | re.DOTALL,
)
_EFFECT = re.compile(r"\b(?:led|leads?|caus(?:es?|ed)|gave|gives?)\b", re.IGNORECASE)
_FAR = 400  # characters


def is_asserted(passage: SplitPassage, first: NameMention, second: NameMention) -> bool:
    """Whether the sentence says as a fact what stands between two mentions: not as a myth, a
    belief, a condition or a question, and not to be taken back by the next."""
    start, end = passage.sentences[first.sentence]
    if _is_framed(passage.text[start:end]) or _next_sentence_takes_back(passage, first.sentence):
        return False
    before = _clause_before_names(passage.text[max(start, first.start - _FAR) : first.start])
    if _VIEW.search(before) or _SEEN_SO.search(passage.text[first.end : second.start]):
        return False
    if (condition := _CONDITION.search(before)) and "," not in before[condition.end() :]:
        return False
    return not _AFTERTHOUGHT.search(passage.text[second.end : min(end, second.end + _FAR)])


@lru_cache(maxsize=256)
def _is_framed(sentence: str) -> bool:
    """Whether a sentence is a question, or calls what it says false or alleged."""
    return bool(
        _QUESTION.search(sentence)
        or _ASKING.search(sentence)
        or _FALSITY.search(sentence)
        or _SEEMING.search(sentence)
    )


def _clause_before_names(before: str) -> str:
    """Returns the last clause of the text before the names, which they belong to."""
    return _CONCEDED.sub("", _NEXT_CLAUSE.split(before)[-1])


def _next_sentence_takes_back(passage: SplitPassage, number: int) -> bool:
    """Whether the next sentence says that this one is wrong."""
    if number + 1 >= len(passage.sentences):
        return False
    return _takes_back(passage.sentences[number + 1].of(passage.text))


@lru_cache(maxsize=256)
def _takes_back(sentence: str) -> bool:
    """Whether a sentence says that the one before it is wrong, and does not tell an effect."""
    return bool(_TAKEN_BACK.search(sentence)) and not _EFFECT.search(sentence)
