"""Whether the sentences around one take back what it says. Pure.

The sentence before may announce a myth or be the heading of a list of rumours. The next two may say
that it is wrong, that nobody could confirm it, or whose word it was. What says something of *the
claim* or *the statement* has to vouch for it; the other words of doubt are known. In how many words
a @@"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from factmark.graphs.core.licence_words import CERTAIN, NOT, compiled, pattern_of, without_certain
from factmark.text.lexicon import FUNCTION_WORDS
from factmark.text.sentences import Span
from factmark.text.words import normalise, stem

_THE = (
    r"(?<!\bin\s)(?<!\bof\s)(?<!\bfrom\s)\b(?:this|that|these|those|such|the|his|her|their|its|our"
    r"|all|any|both|either)\s+(?:[\w-]+\s+){0,2}?"
)
_GOES_ON = (  # after a pronoun that stands for the whole statement
    r"(?=\W*$|[,.;!]|['’]s\b|n['’]t|\s+(?:is|was|were|are|has|have|had|does|did|do|can|could"
    r"|cannot|may|might|will|would|turned|proved?|remains?|remained|seems?|appears?|never|also|later|now"
    r"|since|soon|still|failed|lacks?|contradicts?|in|by|with|at|on|for|when|as|\w+ly)\b)"
)
_NOUN = pattern_of("statement")
_VERIFIED = pattern_of("verified")
_STATEMENT = (
    rf"(?:{_THE}{_NOUN}|\b(?:this|these|both|(?:all|none)\s+of\s+(?:this|it)){_GOES_ON}"
    rf"|^\W*(?:[\w']+\W+){{0,3}}?(?:that|it|both|those){_GOES_ON}|\bit\b(?=\W*$))"
)
_REFUTED = rf"(?:{pattern_of('false', 'refutes')}|{NOT}[^;]*?{_VERIFIED})"
_UNDENIED = r"(?<!\bno\s)(?<!\bnot\s)(?<!\bnot\sa\s)"
_ELLIPTICAL = (
    "did|does|was|is|has|have|had|could|turned|proved|later|since|now|status|verdict|rating"
)
_NONE_FOUND = (
    "effect|association|link|relation\\w*|benefit|evidence|difference|correlation|connection|basis"
    "|record|proof|research"
)
_REFUTES = compiled(
    rf"{_STATEMENT}.*?{_UNDENIED}(?:{_REFUTED}|{pattern_of('not_so')})",
    rf"{_REFUTED}[^;]*?{_STATEMENT}",
    rf"{NOT}[^;]*?{_STATEMENT}[^;]*?{_VERIFIED}",
    rf"{NOT}[^;]*?\b(?:this|it|{_THE}{_NOUN})\W*$",
    rf"\b(?:an?|any)\s+(?:\w+\s+){{0,2}}?{_NOUN}[^;]*?{NOT}[^;]*?{_VERIFIED}",
    rf"^\W*(?:\w+:\s*)?(?:{_ELLIPTICAL})\b[^;]*?{_REFUTED}",
    r"\b(?:the\s+(?:opposite|reverse|contrary)|no\s+such)\b|\botherwise\W*$",
    r"\b(?:this|it|that|they)\s+(?:does|do|did|is|was|has|can|will)(?:\s+not|n['’]t)\W*$",
    r"\bno\s+(?!side|adverse|toxic|serious|other|further)(?:[\w-]+\s+){0,3}?"
    rf"(?:{_NONE_FOUND})s?\b\s*(?:[.,;!]|$"
    r"|(?:was|were|could|can|whatsoever|at\s+all|has|have|is|in)\b|[^;]*\b(?:it|this|that|them|the\s+two|such)\b)",
    r"^\W*not\b(?!\s+(?:only|all|every\w*|until|long|surpris\w+|unexpected\w*)\b)",
    rf"^\W*(?:or|at\s+least|so)\b.*{pattern_of('says')}",
    rf"^\W*{pattern_of('false')}\s*[,!;–—-]",
)
_MAY_REFUTE = compiled(
    rf"{pattern_of('false', 'refutes', 'not_so', 'says')}|{NOT}|\b(?:opposite|reverse|contrary)\b",
    r"\botherwise\b",
)
"""What a sentence has somewhere that `_REFUTES` finds; most have none, which is seen faster."""
_REACTION = compiled(
    rf"^\W*(?:\w+\W+){{0,2}}?(?:{pattern_of('false', 'reactions')}"
    r"|no\b(?=\W*$|,|\s+(?:so|true|way)\b)|is\s+(?:it|this|that)\b(?=\W*(?:so|true|right)?\W*$))"
    r"(?:[^\w:]+\w+){0,2}[^\w:]*$"
)
_MENTIONS_CLAIM = compiled(rf"{_THE}{pattern_of('claim')}")
_VOUCHES = compiled(pattern_of("vouches"))
_HALF = compiled(
    rf"{NOT}|{pattern_of('false')}",
    r"\b(?:but|however|although|though|yet|partial\w*|partly|half|only|some|element|overl\w*|small"
    r"|little)\b",
)
_FALSE = compiled(pattern_of("false"))
_LOOSE = compiled(pattern_of("loose"))
_OWN_LABEL = compiled(r"^\W*[\w ]{1,40}:(?=\s+\w+\s+\w)")  # `Myth: filters help.` is of filters
_EFFECT = compiled(
    r"^\W*(?:this|that|it|these)\s+(?:\w+ly\s+)?(?:led|leads?|caus(?:es?|ed)|gave|gives?)\b"
    r"(?!.*\bretract)"
)
_DOUBTS = pattern_of("false", "views")
_HEADING = compiled(
    rf"^\W*(?:\w+\W+){{0,3}}?(?:{_DOUBTS}|{pattern_of('headings')}|\b(?:h[01]|q\d*)\b)"
    r"\W*(?:(?:no|number|nr)\W*)?(?:\w{1,3}\W*)?$"
)
_AHEAD = r"\b(?:following|next|below|as\s+follows|here\s+(?:is|are|comes))\b"
_ANNOUNCED = compiled(
    rf"{_AHEAD}.*{_DOUBTS}|{_DOUBTS}.*{_AHEAD}",
    r"^\W*(?:(?:let\s+us|let's|now|just)\s+)?(?:imagine|suppose|assume|pretend|picture)\b",
    r"\btrue\s+or\s+false\b|\bwhich\s+of\s+(?:these|the\s+following)\b",
)
_BARE = (  # a pronoun that stands for the statement, and no determiner or conjunction
    r"(?=\W*$|[,.;:!?]|\s+(?:is|was|were|are|has|had|have|did|does|do|will|would|can|could|may|might"
    r"|must|as|to|up|in|on|at|by|from|for|with|every|each|out|one|and|but|or|so|not|never|since|when"
    r"|while|if|because|before|again|line|sentence)\b)"
)
_LOOKS_BACK = compiled(
    rf"\b(?:this|that|such){_BARE}", r"\bwhat\s+you\s+(?:have\s+)?(?:just\s+)?(?:read|heard|see)\b"
)
_STANDS_BY = compiled(
    pattern_of("vouches"), r"\b(?:that|this|which)\s+is\s+(?:why|how|because|where|when)\b"
)
_TERM = re.compile(r"(?<=[a-z,;)] )[A-Z][\w-]+|\b\w*\d\w*\b|\b[A-Z]{2,}\w*|\w+-\w+")
_SHORTEST = 4  # letters of a word that two sentences share
_PRESENTS = compiled(  # a statement that stands behind it
    rf"\b(?:following|next)\s+(?:\w+\s+)?(?:sentence|line|{_NOUN})|\bwhat\s+(?:now\s+)?follows\b",
    rf"\b(?:sentence|line|{_NOUN})\s+(?:\w+\s+)?(?:below|that\s+follows)\b",
)
_FAR = 400  # characters


def neighbours_agree(text: str, sentences: Sequence[Span], number: int) -> bool:
    """Returns whether neither the sentence before one announces what is not so nor one of the next
    two takes it back."""
    if number and _announces_doubt(both_ends(text, *sentences[number - 1])):
        return False
    following = []
    for span in sentences[number + 1 : number + 3]:
        following.append(both_ends(text, *span))
    if any(_takes_back(sentence, is_next=at == 0) for at, sentence in enumerate(following)):
        return False
    return not following or _goes_on(both_ends(text, *sentences[number]), following[0])


def _goes_on(statement: str, following: str) -> bool:
    """Returns whether the next sentence does not look back at the statement, or stands by it, or is
    of its matter."""
    if not _LOOKS_BACK.search(following) or _EFFECT.search(following):
        return True
    if CERTAIN.search(following) or _STANDS_BY.search(following):
        return True
    return bool(_TERM.search(following[1:])) or not _stems(statement).isdisjoint(_stems(following))


def _stems(sentence: str) -> set[str]:
    """Returns the stems of the words in a sentence that say something."""
    words = (word for word in normalise(sentence) if len(word) >= _SHORTEST)
    stems = set()
    for word in words:
        if word not in FUNCTION_WORDS:
            stems.add(stem(word))
    return stems


def both_ends(text: str, start: int, end: int) -> str:
    """Returns a stretch of a text, of a very long one its two ends alone."""
    if end - start <= 2 * _FAR:
        return text[start:end]
    return f"{text[start : start + _FAR]} {text[end - _FAR : end]}"


@lru_cache(maxsize=4_096)
def _announces_doubt(sentence: str) -> bool:
    """Returns whether a sentence is a heading of what is not so, or announces a statement without
    standing by it."""
    if _HEADING.search(sentence) or _ANNOUNCED.search(sentence):
        return True
    return bool(_PRESENTS.search(sentence)) and not _STANDS_BY.search(sentence)


@lru_cache(maxsize=4_096)
def _takes_back(sentence: str, *, is_next: bool) -> bool:
    """Returns whether a sentence says that one before it is not so.

    Args:
        is_next: whether it follows at once; one that comes later has to name what it takes back.
    """
    plain = without_certain(sentence)
    if is_next and _MENTIONS_CLAIM.search(plain):
        return not _VOUCHES.search(plain) or bool(_HALF.search(plain))
    if _EFFECT.search(plain):
        return False
    if is_next and _FALSE.search(_LOOSE.sub(" ", _OWN_LABEL.sub("", plain))):
        return True
    return _refutes(plain) or (is_next and bool(_REACTION.search(plain)))


@lru_cache(maxsize=4_096)
def _refutes(sentence: str) -> bool:
    """Returns whether a sentence says of a statement that it is wrong, or denies it with what it
    found."""
    return _MAY_REFUTE.search(sentence) is not None and _REFUTES.search(sentence) is not None
