"""Whether a passage gives a licence to take what stands between two names as a fact. Pure.

A sentence that holds the words of a triple may be a rumour, a hypothesis, somebody's claim, a
question, a condition, a count of nought, or be taken back by a bracket or the next sentence. There
is a licence where each place in which English says so is clear: labels before the names, the word
before `that`, adverbials of source, what stands beside the names, what follows them, and the
sentences around (`taken_back.py`). A label and a word before `that` have to be known to be neutral
or to vouch; elsewhere the words of doubt are known (`licence.toml`). Without a licence nothing
is denied.
"""

from __future__ import annotations

import re
from functools import lru_cache

from factmark.graphs.core.licence_words import CERTAIN, NOT, TABLES, compiled, pattern_of
from factmark.graphs.core.mentions import Form, NameMention, SplitPassage, keys
from factmark.graphs.core.taken_back import both_ends, neighbours_agree
from factmark.text.lexicon import ADVERBS, AUXILIARIES, PREPOSITIONS, VERBS

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_BARE_WORD = re.compile(r"[^\W_]+")
_IN_BRACKETS = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_NEXT_CLAUSE = compiled(r";|,\s+(?:but|yet|and)\b|\b(?:whereas|however)\b")

# Of the whole sentence.
_QUESTION = compiled(
    r"\?[\"'”’»)\]\s]*$",
    r"^\W*(?:do(?:es)?|did|is|are|was|were|can|could|will|would|ha(?:s|ve))\b",
)
_FALSE = compiled(pattern_of("false"))
_STRUCK = compiled(r"~~|<(?:del|s|strike)\b|<!--|\\sout")
_QUOTES = (("“", "”"), ("«", "»"), ("„", "“"), ("‘", "’"))
_COUNTED = (
    r"(?:patients?|cases?|subjects?|participants?|people|persons|individuals|instances?|samples?"
    r"|trials?|studies|times|mice|rats|children|adults|women|men|animals|occasions?|species)"
)
_NOUGHT = compiled(
    r"(?<![\d.,])(?:0|zero|nought|nil)\s*(?:of|out\s+of|in|/)\s*(?:the\s+|all\s+|our\s+)?"
    rf"(?:\d|\w+\s+{_COUNTED}\b)",
    r"(?<![\d.,])0(?:\.0+)?\s*(?:%|per\s?cent\b)|\bzero\s+per\s?cent\b",
    rf"(?<![\d.,])\b(?:0|zero|nil)\s+(?:\w+\s+)?{_COUNTED}\b|\bnot\s+(?:one|a\s+single)\b",
)
_COMPARED = compiled(r"\b(?:versus|vs|compared|against|than|placebo|controls?|and)\b[^;]*$")

# Before the names.
_LABEL_END = re.compile(r":(?=[\s\"“'*_]|$)|(?<=[a-z]{3}):(?=[A-Za-z])|\s[—–|-]+(?=\s|$)|—|\t|=>")
_LEADING_BRACKET = re.compile(r"^[^\w(\[]*[(\[]([^)\]]*)[)\]]")
_NEUTRAL = frozenset(TABLES["neutral"].split())
_CITATION = re.compile(r"\b(?:18|19|20)\d\d[a-z]?\b|\bet\s+al\b")
_CLEAR_LABEL = compiled(pattern_of("clear_label"))
_NOT = compiled(NOT)
_RIGHT_BEFORE = compiled(rf"{pattern_of('beside')}\s+(?:(?:an?|the)\s+)?$")
_BESIDE = compiled(pattern_of("beside", "seeming"))
_VIEWED = compiled(pattern_of("views", "people", "seeming", "maybe"))
_SUGGESTS = compiled(pattern_of("suggests"))
_CONCEDED = compiled(r"^\W*(?:although|though|while|even\s+though|whereas)\b[^,]*,")
_CONDITION = compiled(
    r"\b(?:if|unless|lest)\b|^\W*(?:how|why|should|were|had|assuming|suppos\w+)\b"
)
_WHOSE = r"(?:an?|the|this|that|his|her|their|my|our|your|some|one|many|popular|[\w.]+['’]s?)"
_UNREAL = r"(?:parallel|alternat\w+|different|imagined|perfect|ideal|fantasy|dream)"
_SOURCE = compiled(
    rf"\b(?:in|on|per|from|by|as|to|under)\s+{_WHOSE}\s+(?:\w+\s+){{0,2}}?{pattern_of('works')}"
    r"(?=\s*(?:$|[,.;:)\"”“]|(?:by|about|where|called|from)\b|of\b(?!\s+\d)|(?-i:[A-Z])))",
    rf"\b(?:for|to|with|per|unlike)\s+(?:the\s+)?{pattern_of('people')}",
    rf"\bin\s+(?:an?other|an?\s+{_UNREAL}|some|their|his|her)\s+(?:\w+\s+)?(?:world|universe|reality)\b",
)
_ACCORDING = compiled(r"\b(?:according\s+to|says?|per|in\s+the\s+words\s+of)\b([^,;]*)")
_TRUSTED = compiled(pattern_of("trusted"))

# The word before `that`.
_THAT = compiled(r"\bthat\b")
_CLEAR = compiled(pattern_of("clear"))
_NAMED_WHO = frozenset({"we report", "we conclude"})
_DONE = frozenset({"able to", "first to", "possible to"})  # `to show` is yet to be done
_HEARERS = frozenset({"found", "shown", "known", "note", "notice", "remember", "recall", "true"})
_SKIPPED = (ADVERBS | AUXILIARIES) | frozenset(
    "remains remained here however first time the for again therefore thus moreover furthermore "
    "previously in and".split()
)
_VOUCHED = compiled(
    r"\b(?:confirm\w*|prove[ds]?|support(?:s|ed)?|corroborat\w+)\s+(?:the|this|our)\s+"
    r"(?:view|report|finding|observation|conclusion|idea)s?\s+(?=that\b)",
    rf"{pattern_of('trusted')}\s+(?:\w+ly\s+)?(?:says?|states?|stated|reports?|reported"
    r"|concludes?|concluded)\s+(?=that\b)",
)
_CONFIRMED = compiled(
    r"^\W*(?:(?:was|were|is|are|has|have|been|now|later|since|then|\w+ly)\s+)*"
    r"(?:confirmed|verified|proven|proved|established|corroborated|substantiated)\b"
)
_OTHERS = compiled(
    r"\b(?:he|she|they|i|you|people|some|many|most|others|(?:every|some|any)(?:body|one))\s+"
    r"((?:[\w'’]+\s+){1,3})(?:(?:an?|the)\s+)?$"
)

# Behind the names.
_SPEAKER = compiled(
    r"(?:[,(–—-]|[,.]?[\"”’']|\bis\s+what\b)\s*(?:(?:or|at\s+least|so|as|if|is|what)\s+)*"
    r"(?:(?!whatever|which|who|though|although|and\b|but\b|that\b|contrary|to\b|unlike)"
    rf"[\w.'’-]+\s+){{0,4}}?{pattern_of('says', 'seeming')}"
    r"(?=\s*(?:$|[.!?;,)]|(?:it|so|him|her|them|in|the|an?)\b|(?-i:[A-Z])))"
)
_DOUBTED_CONDITION = compiled(
    r"\b(?:if|unless|provided|assuming|should)\b[^;.]*\b(?:true|right|correct|so|wrong|mistaken"
    r"|trust\w*|believ\w+|confirmed|holds?|held|theor\w+|rumou?r\w*|claims?|hypothe\w+|reports?"
    r"|stories|legends?)\b"
)
_P_VALUE = re.compile(r"\b[pP](?:[\s-]?value)?\s*([=<>≤≥])\s*(0?\.\d+|1(?:\.0+)?|0)\b")
_NOT_SIGNIFICANT = re.compile(r"\b(?:n\.\s?s\.|NS\b|not\s+sig|non-?sig)", re.IGNORECASE)
_BRACKET_DOUBT = compiled(pattern_of("false", "seeming", "bracketed"), r"^\W*[?!]+\W*$|^\W*\w+\?")
_SEEMING = compiled(pattern_of("seeming"))
_FAR = 400  # characters


def has_licence(
    passage: SplitPassage, first: NameMention, second: NameMention, beside: str
) -> bool:
    """Returns whether the passage says as a fact what stands between two mentions.

    Args:
        beside: what stands there beside the words of the relation.
    """
    start, end = passage.sentences[first.sentence]
    text = passage.text
    before = both_ends(text, start, first.start)
    after = text[second.end : min(end, second.end + _FAR)]
    if _QUESTION.search(both_ends(text, start, end)):
        return False
    if _is_quoted(passage, before, text[first.end : second.start], after):
        return False
    names = (keys(text[first.start : first.end]), keys(text[second.start : second.end]))
    # `aspirin-induced asthma` is taken for granted, also where something else is suggested
    is_compound = text.startswith("-", first.end) and not beside.strip(" -")
    if not _reads_as_fact(before, beside, after, names, is_compound=is_compound):
        return False
    return neighbours_agree(text, passage.sentences, first.sentence)


def _is_quoted(passage: SplitPassage, before: str, between: str, after: str) -> bool:
    """Returns whether the names stand within one pair of marks of quotation that is not that of the
    whole passage."""
    whole = passage.text.strip()
    if any(mark in between for mark in '"“”«»„'):
        return False
    if whole[:1] in '"“«' and whole[-1:] in '"”»':
        return False
    if before.count('"') % 2 and '"' in after:
        return True
    return any(
        before.rfind(opens) > before.rfind(closes) and closes in after for opens, closes in _QUOTES
    )


@lru_cache(maxsize=4_096)
def _reads_as_fact(
    before: str, beside: str, after: str, names: tuple[Form, Form], *, is_compound: bool
) -> bool:
    """Returns whether a sentence around two names raises no doubt in any place."""
    if _STRUCK.search(before) or _RIGHT_BEFORE.search(before[-60:]) or _BESIDE.search(beside):
        return False
    if any(_is_false_or_none(CERTAIN.sub(" ", piece)) for piece in (before, beside, after)):
        return False
    bracket = _LEADING_BRACKET.match(before)
    labels = []
    if bracket:
        labels = [bracket[1]]
    *more, opening = _LABEL_END.split(before[bracket.end() :] if bracket else before)
    return (
        all(_is_neutral_label(label, names) for label in labels + more)
        and _opens_as_fact(opening[-_FAR:], after, is_compound=is_compound)
        and _closes_as_fact(after)
    )


def _is_false_or_none(piece: str) -> bool:
    """Returns whether a part of a sentence calls something false, or counts none (but to compare)
    of it."""
    if _FALSE.search(piece):
        return True
    return any(not _COMPARED.search(piece[: none.start()]) for none in _NOUGHT.finditer(piece))


def _is_neutral_label(label: str, names: tuple[Form, Form]) -> bool:
    """Returns whether a label says where a text is, names what it is about, or vouches for it."""
    label_words = _BARE_WORD.findall(label.casefold())
    if keys(label) in names or all(_is_neutral_word(word) for word in label_words):
        return True
    if _FALSE.search(label) or _NOT.search(label):
        return False
    if _CITATION.search(label):
        return not _VIEWED.search(label)
    return bool(_CLEAR_LABEL.search(label))


def _is_neutral_word(word: str) -> bool:
    """Returns whether a word of a label says nothing of what it is worth: `2` and `a` of a list,
    but not `q`."""
    return word in _NEUTRAL or word.isdigit() or (len(word) == 1 and word in "abcdes")


def _opens_as_fact(before: str, after: str, *, is_compound: bool) -> bool:
    """Returns whether what leads up to the names is no view, source or condition, and the word
    before a `that` vouches for it."""
    plain = CERTAIN.sub("known ", _IN_BRACKETS.sub(" ", before))
    plain = _CONCEDED.sub("", _VOUCHED.sub("found ", plain))
    if not _are_sources_trusted(plain) or _SOURCE.search(plain):
        return False
    clause = _CONCEDED.sub("", _NEXT_CLAUSE.split(plain)[-1])
    condition = _CONDITION.search(clause)
    if condition and "," not in clause[condition.end() :]:
        return False
    if _CONFIRMED.search(after):  # `the report that … was confirmed`
        return True
    if is_compound:
        return not _VIEWED.search(_SUGGESTS.sub(" ", clause))
    return not _VIEWED.search(clause) and _is_vouched_for(plain, after)


def _are_sources_trusted(text: str) -> bool:
    """Returns whether what `according to` names is known to be a source of knowledge."""
    sources = [match[1] for match in _ACCORDING.finditer(text)]
    return all(_TRUSTED.search(source) and not _VIEWED.search(source) for source in sources)


def _is_vouched_for(before: str, after: str) -> bool:
    """Returns whether the word before the last `that` vouches for the clause after it; where there
    is none, whether nobody says it without one (`he swears garlic treats …`)."""
    governing = [match for match in _THAT.finditer(before) if _begins_clause(before[match.end() :])]
    for match in reversed(governing):
        leading = []
        for word in _WORD.findall(before[: match.start()]):
            leading.append(word.casefold())
        if not leading:  # `that … is known`
            return bool(_CLEAR.search(after))
        if leading[-1] in ("and", "or"):
            continue
        return leading[-1] in PREPOSITIONS or _last_word_vouches(leading)
    others = _OTHERS.search(before)
    if governing or others is None:
        return not governing
    return _last_word_vouches(["they", *others[1].casefold().split()])


def _begins_clause(after_that: str) -> bool:
    """Returns whether a `that` is followed by a clause of its own, not by a verb, whose subject it
    is."""
    following = _WORD.search(after_that)
    if following is None:
        return True
    word = following[0].casefold()
    return not (word in AUXILIARIES or (word in VERBS and word.endswith(("s", "ed"))))


def _last_word_vouches(leading: list[str]) -> bool:
    """Returns whether the last of the words before a `that` that says something vouches for what
    follows: no `prove that`, no `to show that`."""
    for at in range(len(leading) - 1, max(-1, len(leading) - 9), -1):
        word = leading[at]
        if " ".join(leading[max(0, at - 1) : at + 1]) in _NAMED_WHO:
            return True
        if _CLEAR.fullmatch(word):
            if at == 0:
                return word.endswith("ed") or word in _HEARERS
            return leading[at - 1] != "to" or " ".join(leading[max(0, at - 2) : at]) in _DONE
        if word not in _SKIPPED and not word.endswith("ly"):
            return False
    return False


def _closes_as_fact(after: str) -> bool:
    """Returns whether what follows the names, in brackets and without, raises no doubt."""
    brackets = []
    for match in _IN_BRACKETS.finditer(after):
        brackets.append((match[1], match[2]))
    if any(not _is_neutral_bracket(round_one, square) for round_one, square in brackets):
        return False
    if _NOT_SIGNIFICANT.search(after) or not _is_significant(after):
        return False
    if _SPEAKER.search(after) or _DOUBTED_CONDITION.search(after):
        return False
    clause = _NEXT_CLAUSE.split(_IN_BRACKETS.sub(" ", after))[0]
    return _are_sources_trusted(clause) and not (_SEEMING.search(clause) or _SOURCE.search(clause))


def _is_neutral_bracket(in_round: str | None, in_square: str | None) -> bool:
    """Returns whether brackets hold no word of doubt; square ones, in which editors write, have to
    hold a number or names."""
    if _BRACKET_DOUBT.search(in_round or in_square or ""):
        return False
    if not in_square or any(char.isdigit() for char in in_square):
        return True
    return all(word[0].isupper() for word in _WORD.findall(in_square))


def _is_significant(after: str) -> bool:
    """Returns whether one of the p-values is at most 0.05; also where none is given."""
    values = []
    for sign, value in _P_VALUE.findall(after):
        values.append((sign, float(value)))
    return not values or any(value <= 0.05 and sign not in ">≥" for sign, value in values)
