"""Whether a passage gives a licence to take what stands between two names as a fact. Pure.

A sentence that holds the words of a triple may be a rumour, a hypothesis, a claim of others, a
question, a condition, a count of nought, or be taken back by a bracket or the next sentence. There
is a licence where each place in which English says so is clear: the labels before the names, the
word before `that`, adverbials of source, what stands beside the names, brackets behind, and the
sentences around. A label or a word before `that` has to be known to be neutral; elsewhere the
words of doubt are known (`licence_words.py`). Where the licence is missing nothing is denied.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from factmark.graphs.core import licence_words as words
from factmark.graphs.core.licence_words import pattern_of
from factmark.graphs.core.mentions import NameMention, SplitPassage, keys
from factmark.text.lexicon import ADVERBS, AUXILIARIES, PREPOSITIONS, VERBS
from factmark.text.sentences import Span

_FAR = 400  # characters
_NOT = r"(?:\b(?:not|no|none|never|neither|nor|cannot|nobody|without|unable|fail(?:s|ed)?)\b|n['’]t\b)"


def _compiled(pattern: str) -> re.Pattern[str]:
    """Returns a pattern that minds neither capitals nor line breaks."""
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


_FALSE = _compiled(pattern_of(words.FALSE))
_SEEMING = _compiled(pattern_of(words.SEEMING))
_BESIDE = _compiled(pattern_of(words.BESIDE))
_RIGHT_BEFORE = _compiled(rf"{pattern_of(words.BESIDE)}\s+(?:(?:an?|the)\s+)?$")
_VIEWED = _compiled(pattern_of(words.VIEWS, words.PEOPLE, words.SEEMING, words.MAYBE))
_SUGGESTS = _compiled(pattern_of(words.SUGGESTS))
_CLEAR = _compiled(pattern_of(words.CLEAR))
_CLEAR_LABEL = _compiled(pattern_of(words.CLEAR_LABEL))
_TRUSTED = _compiled(pattern_of(words.TRUSTED))

CERTAIN = _compiled(
    r"\b(?:there\s+(?:is|can\s+be)\s+)?no\s+(?:\w+\s+)?(?:doubt|question)\b|\bbeyond\s+(?:\w+\s+)?(?:doubt|dispute)\b"
    r"|\bwithout\s+(?:an?y?\s+)?(?:\w+\s+)?(?:doubt|question|exception)\b|\bdoubtless\b|\bnot\s+in\s+(?:doubt|dispute)\b"
    r"|\bcannot\s+be\s+(?:denied|doubted|disputed)\b|\b(?:right|fair|correct|safe|true)\s+to\s+say\b|\bfalse\s+(?:positive|negative|discovery|alarm)s?\b"
)
"""Says that something is certain, or nothing of it, in words of doubt."""
_VOUCHED = _compiled(
    r"\b(?:confirm\w*|prove[ds]?|support(?:s|ed)?|corroborat\w+)\s+(?:the|this|our)\s+"
    r"(?:view|report|finding|observation|conclusion|idea)s?\s+(?=that\b)"
    rf"|{pattern_of(words.TRUSTED)}\s+(?:\w+ly\s+)?(?:says?|states?|stated|reports?|reported|concludes?|concluded)\s+(?=that\b)"
)
_CONFIRMED = _compiled(
    r"^\W*(?:(?:was|were|is|are|has|have|been|now|later|since|then|\w+ly)\s+)*"
    r"(?:confirmed|verified|proven|proved|established|corroborated|substantiated)\b"
)
_NEUTRAL = frozenset(words.NEUTRAL)
_LABEL_END = re.compile(r":(?=[\s\"“'*_]|$)|(?<=[a-z]{3}):(?=[A-Za-z])|\s[—–|-]+(?=\s|$)|—|\t|=>")
_IN_BRACKETS = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_LEADING_BRACKET = re.compile(r"^[^\w(\[]*[(\[]([^)\]]*)[)\]]")
_CITATION = re.compile(r"\b(?:18|19|20)\d\d[a-z]?\b|\bet\s+al\b|^[\d\s,;–-]*$")
_NEXT_CLAUSE = _compiled(r";|,\s+(?:but|yet|and)\b|\b(?:whereas|however)\b")
_CONCEDED = _compiled(r"^\W*(?:although|though|while|even\s+though|whereas)\b[^,]*,")
_CONDITION = _compiled(r"\b(?:if|unless|lest)\b|^\W*(?:how|why)\b|^\W*(?:should|were|had|assuming|suppos\w+)\b")
_QUESTION = re.compile(r"\?[\"'”’»)\]\s]*$")
_ASKING = _compiled(r"^\W*(?:do(?:es)?|did|is|are|was|were|can|could|will|would|ha(?:s|ve))\b")
_THAT = re.compile(r"\bthat\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SKIPPED = ADVERBS | AUXILIARIES | {
    "remains", "remained", "here", "however", "first", "time", "the", "for", "again", "therefore",
    "thus", "moreover", "furthermore", "previously", "in", "and",
}  # fmt: skip
_HEARERS = frozenset({"found", "shown", "known", "note", "notice", "remember", "recall", "true"})
_OTHERS_VERB = _compiled(
    r"\b(?:he|she|they|i|you|people|some|many|most|others|every(?:body|one)|some(?:body|one)|any(?:body|one))\s+"
    r"((?:[\w'’]+\s+){1,3})(?:(?:an?|the)\s+)?$"
)
_SOURCE = _compiled(
    rf"\b(?:in|on|per|from|by|as|to|under)\s+(?:(?:an?|the|this|that|his|her|their|my|our|your|some|one|many|popular|[\w.]+['’]s?)\s+)"
    rf"(?:\w+\s+){{0,2}}?(?:{pattern_of(words.WORKS)})(?=\s*(?:$|[,.;:)\"”]|by\b|of\b(?!\s+\d)|about\b|where\b|called\b|from\b|(?-i:[A-Z])|[\"“]))"
    rf"|\b(?:for|to|with|per|unlike)\s+(?:the\s+)?(?:{pattern_of(words.PEOPLE)})"
    r"|\bin\s+(?:an?other|an?\s+(?:parallel|alternat\w+|different|imagined|perfect|ideal|fantasy|dream)|some|their|his|her)\s+(?:\w+\s+)?(?:world|universe|reality)\b"
)
_ACCORDING = _compiled(r"\b(?:according\s+to|says?|per|in\s+the\s+words\s+of)\b([^,;]*)")
_SPEAKER = _compiled(
    rf"(?:[,(–—-]|[,.]?[\"”’']|\bis\s+what\b)\s*(?:(?:or|at\s+least|so|as|if|is|what)\s+)*"
    rf"(?:(?!whatever|which|who|though|although|and\b|but\b|that\b|contrary|to\b|unlike)[\w.'’-]+\s+){{0,4}}?"
    rf"(?:{pattern_of(words.SAYS, words.SEEMING)})(?=\s*(?:$|[.!?;,)]|it\b|so\b|him|her\b|them\b|in\b|(?-i:[A-Z])|the\b|an?\b))"
)
_DOUBTED_CONDITION = _compiled(
    r"\b(?:if|unless|provided|assuming|should)\b[^;.]*\b(?:true|right|correct|so|wrong|mistaken|trust\w*|believ\w+|confirmed|hold|holds|held|"
    r"theor\w+|rumou?r\w*|claims?|hypothe\w+|reports?|stories|legends?)\b"
)
_NOUGHT = _compiled(
    r"(?<![\d.,])(?:0|zero|nought|nil)\s*(?:of|out\s+of|in|/)\s*(?:the\s+|all\s+|our\s+)?(?:\d|\w+\s+(?:patients|cases|subjects|participants|people|mice|rats))"
    r"|(?<![\d.,])0(?:\.0+)?\s*(?:%|per\s?cent\b)|\bzero\s+per\s?cent\b|\bnot\s+(?:one|a\s+single)\b"
    r"|(?<![\d.,])\b(?:0|zero|nil)\s+(?:\w+\s+)?(?:patients?|cases?|subjects?|participants?|people|persons|individuals|instances?|samples?|trials?|studies|times|mice|rats|children|adults|women|men|animals|occasions?|species)\b"
)
_COMPARED = _compiled(r"\b(?:versus|vs|compared|against|than|placebo|controls?|and)\b[^;]*$")
_P_VALUE = re.compile(r"\b[pP](?:[\s-]?value)?\s*([=<>≤≥])\s*(0?\.\d+|1(?:\.0+)?|0)\b")
_NOT_SIGNIFICANT = re.compile(r"\b(?:n\.\s?s\.|NS\b|not\s+sig|non-?sig)", re.IGNORECASE)
_BRACKET_DOUBT = _compiled(
    pattern_of(
        words.FALSE, words.SEEMING, words.BRACKETED,
    )  # fmt: skip
    + r"|^\W*[?!]+\W*$|^(?:\w+\W+){0,1}\w+\?"
)
_STRUCK = re.compile(r"~~|<(?:del|s|strike)\b|<!--|\\sout", re.IGNORECASE)
_QUOTES = (("“", "”"), ("«", "»"), ("„", "“"), ("‘", "’"))

_THE = r"(?<!\bin\s)(?<!\bof\s)(?<!\bfrom\s)\b(?:this|that|these|those|such|the|his|her|their|its|our|all|any|both|either)\s+(?:[\w-]+\s+){0,2}?"
_GOES_ON = (
    r"(?=\W*$|[,.;!]|\s+(?:is|was|were|are|has|have|had|does|did|do|can|could|cannot|may|might|will|would|turned|proved?|remains?|remained|"
    r"seems?|appears?|never|also|later|now|since|soon|still|failed|lacks?|contradicts?|in|by|with|at|on|for|when|as|\w+ly)\b|['’]s\b|n['’]t)"
)
_STATEMENT = rf"(?:{_THE}{pattern_of(words.STATEMENT)}|\b(?:this|these|both|all\s+of\s+(?:this|it)|none\s+of\s+(?:this|it)){_GOES_ON}|^\W*(?:[\w']+\W+){{0,3}}?(?:that|it|both|those){_GOES_ON}|\bit\b(?=\W*$))"
_REFUTED = rf"(?:{pattern_of(words.FALSE, words.REFUTES)}|(?:{_NOT})[^;]*?{pattern_of(words.VERIFIED)})"
_CLAIM = rf"(?:{_THE}{pattern_of(words.CLAIM)})"
_MENTIONS_CLAIM = _compiled(_CLAIM)
_VOUCHES = _compiled(pattern_of(words.VOUCHES))
_HALF = _compiled(rf"{_NOT}|{pattern_of(words.FALSE)}|\b(?:but|however|although|though|yet|partial\w*|partly|half|only|some|element|overl\w*|small|little)\b")
_REFUTES = _compiled(
    rf"{_STATEMENT}.*?(?<!\bno\s)(?<!\bnot\s)(?<!\bnot\sa\s)(?:{_REFUTED}|{pattern_of(words.NOT_SO)})"
    rf"|{_REFUTED}[^;]*?{_STATEMENT}|{_NOT}[^;]*?{_STATEMENT}[^;]*?{pattern_of(words.VERIFIED)}"
    rf"|{_NOT}[^;]*?\b(?:this|it|{_THE}{pattern_of(words.STATEMENT)})\W*$"
    r"|\b(?:the\s+opposite|the\s+reverse|the\s+contrary|no\s+such)\b"
    r"|\botherwise\W*$|\b(?:this|it|that|they)\s+(?:does|do|did|is|was|has|can|will)(?:\s+not|n['’]t)\W*$"
    r"|\bno\s+(?!side|adverse|toxic|serious|other|further)(?:[\w-]+\s+){0,3}?(?:effect|association|link|relation\w*|benefit|evidence|difference|correlation|connection|basis|record|proof|research)s?\b\s*"
    r"(?:[.,;!]|$|(?:was|were|could|can|whatsoever|at\s+all|has|have|is|in)\b|[^;]*\b(?:it|this|that|them|the\s+two|such)\b)"
    r"|^\W*not\b(?!\s+(?:only|all|every\w*|until|long|surpris\w+|unexpected\w*)\b)"
    rf"|^\W*(?:or|at\s+least|so)\b.*{pattern_of(words.SAYS)}"
    rf"|\b(?:an?|any)\s+(?:\w+\s+){{0,2}}?{pattern_of(words.STATEMENT)}[^;]*?{_NOT}[^;]*?{pattern_of(words.VERIFIED)}"
    rf"|^\W*(?:\w+:\s*)?(?:did|does|was|is|has|have|had|could|turned|proved|later|since|now|status|verdict|rating)\b[^;]*?{_REFUTED}"
)
_REACTION = _compiled(
    rf"^\W*(?:\w+\W+){{0,2}}?(?:{pattern_of(words.FALSE)}|just\s+kidding|not?\b(?=\W*$|,|\s+(?:so|true|quite|really|at|a|way|exactly|yet|any)\b)|as\s+if|yeah|sure\b|or\s+not|really\b|is\s+(?:it|this|that)\b(?=\W*(?:so|true|right)?\W*$)|"
    r"does\s+it\b|do\s+they\b|says\s+who|who\s+says|oh\b|lol|ha\b|retract\w*|withdrawn)(?:[^\w:]+\w+){0,2}[^\w:]*$"
)
_LOOSE = _compiled(pattern_of(words.LOOSE))
_OWN_LABEL = _compiled(r"^\W*[\w ]{1,40}:(?=\s+\w+\s+\w)")  # `Fact: … Myth: filters help.`
_EFFECT = _compiled(r"^\W*(?:this|that|it|these)\s+(?:\w+ly\s+)?(?:led|leads?|caus(?:es?|ed)|gave|gives?)\b(?!.*\bretract)")
_HEADING = _compiled(
    r"^\W*(?:\w+\W+){0,3}?"
    rf"(?:{pattern_of(words.FALSE, words.VIEWS)}|\b(?:h[01]|q\d*|correction|erratum|statement|retraction|exercise|option|example)\b)\W*(?:(?:no|number|nr)\W*)?(?:\w{{1,3}}\W*)?$"
)
_ANNOUNCED = _compiled(
    rf"\b(?:following|next|below|as\s+follows|here\s+(?:is|are|comes))\b.*{pattern_of(words.FALSE, words.VIEWS)}|{pattern_of(words.FALSE, words.VIEWS)}.*\b(?:following|next|below|as\s+follows|here\s+(?:is|are))\b"
    r"|^\W*(?:(?:let\s+us|let's|now|just)\s+)?(?:imagine|suppose|assume|pretend|picture)\b|\btrue\s+or\s+false\b|\bwhich\s+of\s+(?:these|the\s+following)\b"
)


def has_licence(
    passage: SplitPassage, first: NameMention, second: NameMention, beside: str = ""
) -> bool:
    """Whether the passage says as a fact what stands between two mentions.

    Args:
        beside: what stands there beside the words of the relation.
    """
    start, end = passage.sentences[first.sentence]
    text = passage.text
    before = _both_ends(text, start, first.start)
    after = text[second.end : min(end, second.end + _FAR)]
    names = (keys(text[first.start : first.end]), keys(text[second.start : second.end]))
    # `aspirin-induced asthma` is taken for granted, also where something else is suggested
    is_compound = text.startswith("-", first.end) and not beside.strip(" -")
    return (
        not _asks(_both_ends(text, start, end))
        and neighbours_agree(text, passage.sentences, first.sentence)
        and not _is_doubted(before, beside, after)
        and not _is_quoted(passage, before, text[first.end : second.start], after)
        and all(_is_neutral_label(label, names) for label in _labels(before))
        and _opens_as_fact(_last_label_cut(before)[-_FAR:], after, is_compound=is_compound)
        and _closes_as_fact(after)
    )


def neighbours_agree(text: str, sentences: Sequence[Span], number: int) -> bool:
    """Whether neither the sentence before one announces what is not so nor one of the next two
    takes it back."""
    if number and _announces_doubt(_both_ends(text, *sentences[number - 1])):
        return False
    following = [_both_ends(text, *span) for span in sentences[number + 1 : number + 3]]
    return not any(_takes_back(sentence, is_next=at == 0) for at, sentence in enumerate(following))


def _both_ends(text: str, start: int, end: int) -> str:
    """Returns a stretch of a text, of a very long one its two ends alone."""
    if end - start <= 2 * _FAR:
        return text[start:end]
    return f"{text[start : start + _FAR]} {text[end - _FAR : end]}"


@lru_cache(maxsize=256)
def _asks(sentence: str) -> bool:
    """Whether a sentence is a question."""
    return bool(_QUESTION.search(sentence) or _ASKING.search(sentence))


@lru_cache(maxsize=256)
def _announces_doubt(sentence: str) -> bool:
    """Whether a sentence is a heading or an announcement of what is not so."""
    return bool(_HEADING.search(sentence) or _ANNOUNCED.search(sentence))


@lru_cache(maxsize=256)
def _takes_back(sentence: str, *, is_next: bool) -> bool:
    """Whether a sentence says that one before it is not so, and does not tell an effect."""
    cleared = CERTAIN.sub(" ", sentence)
    if is_next and _MENTIONS_CLAIM.search(cleared):
        return not _VOUCHES.search(cleared) or bool(_HALF.search(cleared))
    if _EFFECT.search(sentence):
        return False
    if is_next and _FALSE.search(_LOOSE.sub(" ", _OWN_LABEL.sub("", cleared))):
        return True
    if _REFUTES.search(cleared):
        return True
    return is_next and bool(_REACTION.search(cleared))


def _is_doubted(before: str, beside: str, after: str) -> bool:
    """Whether a sentence around two names calls false what it says, strikes it out, or tells it of
    none."""
    if _STRUCK.search(before) or _RIGHT_BEFORE.search(before[-60:]) or _BESIDE.search(beside) or _SEEMING.search(beside):
        return True
    pieces = [CERTAIN.sub(" ", piece) for piece in (before, beside, after)]
    if any(_FALSE.search(piece) for piece in pieces):
        return True
    return any(
        not _COMPARED.search(piece[: count.start()])
        for piece in pieces
        for count in _NOUGHT.finditer(piece)
    )


def _is_quoted(passage: SplitPassage, before: str, between: str, after: str) -> bool:
    """Whether the names stand within one pair of marks of quotation that is not that of the whole
    passage."""
    whole = passage.text.strip()
    if any(mark in between for mark in "\"“”«»„"):
        return False
    if whole[:1] in "\"“«" and whole[-1:] in "\"”»":
        return False
    if before.count('"') % 2 and '"' in after:
        return True
    return any(before.rfind(opens) > before.rfind(closes) and closes in after for opens, closes in _QUOTES)


def _labels(before: str) -> list[str]:
    """Returns what stands before a colon or a dash, or in brackets at the beginning."""
    bracket = _LEADING_BRACKET.match(before)
    labels = [bracket[1]] if bracket else []
    *parts, _ = _LABEL_END.split(before[bracket.end() :] if bracket else before)
    return labels + parts


def _is_neutral_label(label: str, names: tuple[tuple[str, ...], ...]) -> bool:
    """Whether a label says where a text is, names what it is about, or vouches for it."""
    found = re.findall(r"[^\W_]+", label.casefold())
    if keys(label) in names or all(word in _NEUTRAL or word.isdigit() or len(word) == 1 and word in "abcdes" for word in found):
        return True
    if _CITATION.search(label):
        return not _VIEWED.search(label)
    if _FALSE.search(label):
        return False
    return bool(_CLEAR_LABEL.search(label)) and not re.search(_NOT, label, re.IGNORECASE)


def _last_label_cut(before: str) -> str:
    """Returns what stands before the first name after all labels."""
    return _LABEL_END.split(before)[-1]


def _opens_as_fact(before: str, after: str, *, is_compound: bool) -> bool:
    """Whether what leads up to the names is no view, source or condition, and the word before a
    `that` vouches for it."""
    plain = _VOUCHED.sub("found ", CERTAIN.sub("known ", _IN_BRACKETS.sub(" ", before)))
    if not _are_sources_trusted(plain) or _SOURCE.search(plain):
        return False
    plain = _CONCEDED.sub("", plain)
    clause = _CONCEDED.sub("", _NEXT_CLAUSE.split(plain)[-1])
    if (condition := _CONDITION.search(clause)) and "," not in clause[condition.end() :]:
        return False
    if _CONFIRMED.search(after):
        return True
    if is_compound:
        return not _VIEWED.search(_SUGGESTS.sub(" ", clause))
    return not _VIEWED.search(clause) and _is_vouched_for(plain, after)


def _are_sources_trusted(text: str) -> bool:
    """Whether what `according to` names is known to be a source of knowledge."""
    return all(_TRUSTED.search(match[1]) and not _VIEWED.search(match[1]) for match in _ACCORDING.finditer(text))


def _is_vouched_for(before: str, after: str) -> bool:
    """Whether the word before the last `that` vouches for the clause after it; also where there is
    none."""
    governed = [match for match in _THAT.finditer(before) if _begins_clause(before[match.end() :])]
    for match in reversed(governed):
        leading = before[: match.start()]
        words_before = [w.casefold() for w in _WORD.findall(leading)]
        if words_before[-1:] in (["and"], ["or"]):
            continue
        if words_before and words_before[-1] in PREPOSITIONS:
            return True
        if not words_before:
            return bool(_CLEAR.search(after))
        return _governor_is_clear(words_before)
    others = _OTHERS_VERB.search(before)
    return not governed and (others is None or _governor_is_clear(["they", *others[1].casefold().split()]))


def _begins_clause(after_that: str) -> bool:
    """Whether a `that` is followed by a clause of its own, not by a verb, whose subject it is."""
    following = _WORD.search(after_that)
    if following is None:
        return True
    word = following[0].casefold()
    return not (word in AUXILIARIES or word in VERBS and word.endswith(("s", "ed")))


def _governor_is_clear(words_before: list[str]) -> bool:
    """Whether the last word before a `that` that says something vouches for what follows."""
    for at in range(len(words_before) - 1, max(-1, len(words_before) - 9), -1):
        word = words_before[at]
        if _CLEAR.fullmatch(word):
            if at == 0:  # not `prove that …`
                return word.endswith("ed") or word in _HEARERS
            return words_before[at - 1] != "to" or " ".join(words_before[at - 2 : at]) in {"able to", "first to", "possible to"}
        if " ".join(words_before[max(0, at - 1) : at + 1]) in {"we report", "we conclude"}:
            return True
        if word not in _SKIPPED and not word.endswith("ly"):
            return False
    return False


def _closes_as_fact(after: str) -> bool:
    """Whether what follows the names, in brackets and without, raises no doubt."""
    for match in _IN_BRACKETS.finditer(after):
        inner = match[1] or match[2] or ""
        if _BRACKET_DOUBT.search(inner):
            return False
        if match[2] is not None and inner.strip() and not re.search(r"\d", inner) and not _are_names(inner):
            return False
    values = [(sign, float(value)) for sign, value in _P_VALUE.findall(after)]
    if values and not any(value <= 0.05 and sign != ">" and sign != "≥" for sign, value in values):
        return False
    if _NOT_SIGNIFICANT.search(after) or _SPEAKER.search(after) or _DOUBTED_CONDITION.search(after):
        return False
    clause = _NEXT_CLAUSE.split(_IN_BRACKETS.sub(" ", after))[0]
    return not (_SEEMING.search(clause) or _SOURCE.search(clause)) and _are_sources_trusted(clause)


def _are_names(inner: str) -> bool:
    """Whether square brackets hold names of authors or sources alone."""
    return all(word[0].isupper() for word in _WORD.findall(inner))
