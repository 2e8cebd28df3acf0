"""Sentences that say a relation with its plain verb: `the whale is a mammal`. Pure.

Where nothing but the verb stands between two names the names have to be whole: `lack of insulin is
a disease` is not about insulin, and `metformin is a diabetes drug` not about diabetes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from factmark.graphs.core.licence_words import CERTAIN
from factmark.graphs.core.mentions import NameMention, SplitPassage
from factmark.text.lexicon import ADVERBS, DETERMINERS, FUNCTION_WORDS, PREPOSITIONS
from factmark.text.words import stem

_ARTICLE = r"(?:(?:an?|the)\s+)?"
_THEN_ARTICLE = r"(?:\s+(?:an?|the))?"
_FUNCTION_WORD = rf"(?:{'|'.join(sorted(FUNCTION_WORDS))})"
_BE = r"(?:is|are|was|were)"
_DO_NOT = r"(?:(?:do|does|did|has|have|had|can|is|are|was|were)(?:\s+not|n['’]t)|cannot|never)"
_NOT_A = rf"{_BE}(?:\s+not|n['’]t|\s+never)(?:\s+an?)?|{_BE}\s+no"
_KIND_OF = r"(?:(?:sub)?(?:type|kind|form|sort|class)s?|examples?)\s+of(?:\s+(?:an?|the))?"

_NO_KIND = (  # a former minister is none, nor is a cancer drug a cancer
    r"(?:former|fake|false|failed|possible|potential|putative|probable|likely|suspected|alleged|"
    r"so-called|pseudo|would-be|virtual|non|near|honorary|ex|candidate|anti)\b"
)
_ONE_OF_A_KIND = rf"(?!{_NO_KIND}|{_FUNCTION_WORD}\b)(?:[^\W\d_]+-)*[^\W\d_]+(?<!ing)(?<!ed)(?<!ly)"
IS_A_WORDS = (
    rf"(?:{_BE}(?:\s+not\s+only|\s+also)?\s+(?:an?|one\s+of\s+the|the|{_KIND_OF})|(?:are|were))"
    rf"(?:\s+{_KIND_OF})?"
    rf"|{_BE}(?:\s+also)?\s+(?:an?|one\s+of\s+the)(?:\s+{_ONE_OF_A_KIND}){{1,3}}"
    rf"|(?:{_NOT_A})(?:\s+{_KIND_OF})?"
)
"""What stands between two names where one is a kind of the other, or is not; of the other's own
words up to three may stand there too: `insulin is a peptide hormone`."""

_EMPTY = re.compile(
    r"\b(?:example|form|kind|name|opposite|part|sort|term|type|word)$", re.IGNORECASE
)
"""Of which the kind is told after an `of`."""
_LEADS = frozenset(
    "a an the every each any all that and but because since while so thus indeed also".split()
)
_DENIAL = re.compile(r"\bnot\b(?!\s+only)|n['’]t\b|\b(?:never|no|cannot)\b", re.IGNORECASE)
_CLAUSE_START = re.compile(
    r"[,;:(\[—]|[\"“]$|\bthat\b"
    r"|\b(?:shows?|showed|found|knows?|confirm(?:s|ed)?|prove[ds]?|demonstrate[ds]?|establish(?:es|ed)?)"
    r"(?=\s+(?:(?:an?|the)\s+)?$)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_WORDS_AFTER = re.compile(
    r"(?P<first>(?:\s*[-/'’])?\s*[^\W_]+(?:['’-][^\W_]+)*)(?:\s+(?P<second>[^\W_]+))?"
)
_NAMES_ONE = re.compile(rf"^\W*{_BE}\s+the\W*$", re.IGNORECASE)
"""`The first is the cyclotron.` says which; `The cyclotron is the machine that …` what."""
_GO_ON_AFTER_DENIAL = frozenset("and or but because since so".split())
_OBJECT_STARTS = (DETERMINERS | PREPOSITIONS) - {"that", "which", "who"}
_PARTICIPLE = re.compile(
    r"\w{2,}(?:ed|ing)|found|made|known|seen|used|given|born|built|held|set|led"
)


def own_words(relation_words: list[str]) -> tuple[str, str]:
    """Returns the patterns of what stands between head and tail, and between tail and head, where a
    sentence says a relation in the words of its name, whatever their endings.

    The other way round with `by` and `of`: `was discovered by`, `is the mother of`; no `of` after
    a name that is a verb, since what is *the cause of* something *causes* it.
    """
    words = r"\s+".join(_with_endings(word) for word in relation_words)
    with_verb = (
        rf"(?:(?:has|have|had|can|also|{_BE})\s+)?(?:also\s+)?{_ARTICLE}{words}{_THEN_ARTICLE}"
    )
    turned = "(?:by|of)"
    if relation_words[-1].endswith(("s", "ed")):
        turned = "by"
    return (
        rf"(?:,\s*)?{with_verb}|['’]s?\s+{words}(?:\s*,|\s+{_BE})?"
        rf"|{_DO_NOT}\s+{_ARTICLE}{words}{_THEN_ARTICLE}",
        rf"(?:,\s*)?(?:{_BE}\s+)?{_ARTICLE}{words}\s+{turned}{_THEN_ARTICLE}",
    )


def _with_endings(word: str) -> str:
    """Returns a pattern of a word with its regular endings, without -ing."""
    base = stem(word)
    if len(base) < 3 or not word.startswith(base[:-1]):
        return re.escape(word)
    if base.endswith("y"):
        return re.escape(base[:-1]) + "(?:y|ies|ied)"
    return re.escape(base) + "(?:e|e?s|e?d)?"


@lru_cache(maxsize=1_024)
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    """Returns the pattern of all words between two names, after what stands in brackets."""
    return re.compile(rf"(?:\s*\([^()]*\))?[\s)\"”]*(?:{pattern})[\s(\"“]*", re.IGNORECASE)


def find_statement(
    passage: SplitPassage, first: NameMention, second: NameMention, pattern: str
) -> re.Match[str] | None:
    """Returns the words between two names where they are those of a pattern and no more, the first
    name begins a clause, and the second is no part of a longer one; else None."""
    match = _compile_pattern(pattern).fullmatch(passage.text[first.end : second.start])
    if match is None or not _names_are_whole(passage, first, second):
        return None
    goes_on = _WORD.match(passage.text[second.end : second.end + 20].lstrip())
    if goes_on or not _NAMES_ONE.search(match[0]):
        return match
    return None


def _names_are_whole(passage: SplitPassage, first: NameMention, second: NameMention) -> bool:
    """Whether the first of two names begins a clause and the second is no part of a longer one."""
    text = passage.text
    start, end = passage.sentences[first.sentence]
    between = text[first.end : second.start]
    is_bracketed = between.lstrip().startswith(")")
    if is_bracketed:
        name_start = _long_form_start(passage, first)
    else:
        name_start = first.start
    if name_start is None or not _begins_clause(text[start:name_start]):
        return False
    if _EMPTY.search(text[second.start : second.end]):
        return False
    return _ends_name(text[second.end : end], _DENIAL.search(between) is not None)


def names_stand_alone(passage: SplitPassage, first: NameMention, second: NameMention) -> bool:
    """Whether the first of two names follows no preposition, which ties it to another word (`lack
    of insulin causes`), and the second is no part of a longer one (`causes kidney disease`)."""
    start, end = passage.sentences[first.sentence]
    clause = _CLAUSE_START.split(passage.text[start : first.start])[-1]
    words_before = _WORD.findall(clause.casefold())[-2:]
    is_compound = passage.text.startswith("-", first.end)  # `a case of aspirin-induced asthma`
    return (is_compound or PREPOSITIONS.isdisjoint(words_before)) and _ends_name(
        passage.text[second.end : end], is_denied=False
    )


def _long_form_start(passage: SplitPassage, name: NameMention) -> int | None:
    """Returns where the long form begins that a name in brackets abbreviates; None if the name
    stands there otherwise."""
    number = bisect_left(passage.spans, (name.start, name.start))
    for long, short in passage.abbreviations:
        start = number - len(long)
        if start >= 0 and passage.words[start : number + len(short)] == long + short:
            return passage.spans[start][0]
    return None


def _begins_clause(before: str) -> bool:
    """Whether a sentence up to a name has no word that the name could belong to."""
    clause = _CLAUSE_START.split(CERTAIN.sub(",", before))[-1].casefold()
    return all(word in _LEADS or word.endswith("ly") for word in _WORD.findall(clause))


def _ends_name(after: str, is_denied: bool) -> bool:
    """Whether a sentence goes on with something else than further words of a name; one that denies
    has to end there, since `is no drug for children` may deny the children alone."""
    words = _WORDS_AFTER.match(after)
    if words is None:
        return True
    word = words["first"].strip().casefold()
    if is_denied:
        return word in _GO_ON_AFTER_DENIAL
    if _PARTICIPLE.fullmatch(word):  # `a hormone produced by`, but `a hormone releasing factor`
        return (words["second"] or "a").casefold() in _OBJECT_STARTS
    return word in FUNCTION_WORDS | ADVERBS
