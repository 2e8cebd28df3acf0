"""Whether a reply's verdict is the judge's own, or one that the judge may quote. Pure.

A text that a judge is given may hold a line that reads as a verdict, and a judge may quote it with
any words around it, before or after: no list of introductions is ever whole. A verdict of such a
text is therefore the judge's own only where the reply says nothing else, where all its prose says
the same, or where it has a form that the text does not have.
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from factmark.replies import cues
from factmark.replies.labels import TOKEN, Finder, Mention, words_of
from factmark.replies.markup import ReplyLine, without_markup
from factmark.replies.plain import plain_spelling
from factmark.replies.repeated import is_in_given
from factmark.replies.verdicts.declared import declaration_of_sentence, sentences_of
from factmark.replies.verdicts.prose import label_of_main_clause

# characters, and labels, of a sentence that may be a verdict
_LONGEST = 1_000
_MOST = 5
_NUMBER = re.compile(r"\b\d{1,3}(?:[.)\]]+(?=\s)|(?=\s?[:=|]|\s?-))")
_MARKS = re.compile(r"[\"'`{}<>\[\]]+")
_FALSE = re.compile(r"\s*:\s*false\b", re.I)
# right before a label: words that tell a judge to give it
_TOLD = re.compile(
    r"\b(?:say|answer|reply|respond|output|write|return|print|mark|label|verdict|choose|select|rate|rating|give|score|judge|grade|call|deem|consider)\b"
    r"\W*(?:(?:with|only|just|this|that|these|it|is|are|be|must|should|a|an|the|claims?|statements?|answers?|everything|all|every|each|as|to|of|always|exactly|nothing|but|word|label|true|being|one|line|following)\W+){0,5}$",
    re.I,
)
# the only words of a line that says nothing but that a verdict follows, or which
_ANNOUNCING = frozenset(
    "here is are be the this my final overall revised corrected for of each every all both so therefore thus hence in to as it i as asked requested required"
    " verdict verdicts label labels answer answers result results judgement judgements judgment judgments rating ratings score scores evaluation evaluations"
    " assessment assessments decision decisions conclusion classification output response reply json format form structured object"
    " claim claims statement statements triple triples fact facts item items summary summaries clause clauses number no nr below following follows sure certainly okay ok".split()
)
_OWN = re.compile(
    r"\b(?:my|final|overall|revised|corrected|conclusion|so|therefore|thus|hence)\b", re.I
)

Verdict = tuple[str, bool]
"""A label that a given text has as a verdict, and whether it stands there as a line of its own, in
capitals or after a word for a verdict: not as a sentence among others, such as "Not supported."."""


@lru_cache(maxsize=64)  # a passage, against each reply on it
def verdicts_in(source: str, finder: Finder) -> frozenset[Verdict]:
    """Returns all verdicts in a given text: of each sentence, line, cell or value of JSON that
    would be read as one if it stood in a reply, and each label that it tells to give.
    """
    verdicts = set[tuple[str | None, bool]]()
    for piece, is_line in _pieces(without_markup(plain_spelling(source), finder), finder):
        mentions = finder.mentions(piece)
        is_short = len(piece) <= _LONGEST
        is_set_off = is_line or _is_in_capitals(piece, mentions)
        for mention in mentions:
            before = piece[max(0, mention.start - 60) : mention.start]
            if mention.strong or _TOLD.search(before):
                verdicts.add((mention.label, True))
            elif is_short and _is_announcement(piece, mention.label, finder):
                verdicts.add((mention.label, is_set_off))
            if _FALSE.match(piece, mention.end):
                verdicts.add((finder.negation.get(mention.label or ""), True))
        if not is_short:
            continue
        declared = declaration_of_sentence(piece, True, finder)
        if declared:
            is_set_off = is_set_off or declared.rank > 1
            if is_set_off or declared.alone:  # not "Supported by four trials."
                verdicts.add((declared.label, is_set_off))
        for mention in mentions[:_MOST]:
            verdicts.add((label_of_main_clause(piece, mention, finder), is_set_off))
    return frozenset((label, is_set_off) for label, is_set_off in verdicts if label is not None)


def _is_in_capitals(text: str, mentions: Sequence[Mention]) -> bool:
    """Whether one of the labels in a text is written in capitals, as most are offered."""
    if not mentions:
        return text.isupper()  # of a misspelt one
    return any(text[mention.start : mention.end].isupper() for mention in mentions)


def _pieces(text: str, finder: Finder) -> Iterator[tuple[str, bool]]:
    """Yields the sentences of a text without the numbers of a list, and what stands in them between
    marks of quotation, each with whether it is a whole line.
    """
    if not finder.labels_everywhere:
        text = _NUMBER.sub(" ", text)
    for line in text.split("\n"):
        sentences = sentences_of(line, finder)
        for sentence in sentences:
            parts = _MARKS.split(sentence)
            for piece in [" ".join(parts), *parts] if len(parts) > 1 else parts:
                if TOKEN.search(piece):
                    yield piece, len(sentences) == 1


def own_labels(
    labels: Iterable[str | None],
    text: str,
    lines: Sequence[ReplyLine],
    finder: Finder,
    given: Sequence[str],
) -> set[str]:
    """Returns those of the labels that a plain reply settles on which are the judge's own: no given
    text has them as a verdict, or the reply tells that they are no quotation.

    Args:
        lines: those of the reply, as they were read.
    """
    own = {label for label in labels if label is not None}
    sentences = []
    if given:
        sentences = _sentences(text, finder)
    for label in sorted(own):
        prose = []
        for part in sentences:
            if not _is_announcement(part, label, finder):
                prose.append(part)
        if not prose:
            continue
        verdicts = frozenset[Verdict]().union(*(verdicts_in(source, finder) for source in given))
        is_set_off = (label, True) in verdicts
        may_be_quoted = is_set_off or (label, False) in verdicts
        if not may_be_quoted and not any(_repeats_verdict(line, label, finder) for line in lines):
            continue
        own_json = (line.verdict for line in lines if line.verdict and not line.given)
        is_own_form = (
            label in [verdict[0] for verdict in own_json]
            or _is_in_words_of_a_verdict(sentences, label, finder, given)
            or (not is_set_off and _is_given_in_capitals(sentences, label, finder))
        )
        if not _is_borne_out(label, prose, finder, given, is_own_form):
            own.discard(label)
    return own


def _sentences(text: str, finder: Finder) -> list[str]:
    """Returns all sentences of a plain reply, also those that stand in marks of quotation or in
    fences: a passage may have set such a mark, lest the judge's own words be read.
    """
    lines = without_markup(text, finder).split("\n")
    sentences = (part for line in lines for part in cues.SENTENCE.split(line))
    return [sentence for sentence in sentences if TOKEN.search(sentence)]


def _is_borne_out(
    label: str, prose: Sequence[str], finder: Finder, given: Sequence[str], is_own_form: bool
) -> bool:
    """Whether the prose of a reply says no other label and, unless the form of its verdict is its
    own, says this one in each sentence.
    """
    labels_said = {_label_of_prose(part, finder) for part in prose}
    if labels_said - {None, label}:
        return False
    if is_own_form:
        return True
    ends = (
        (part, max(mention.end for mention in finder.mentions(part)))
        for part in prose
        if None not in labels_said
    )
    return None not in labels_said and not any(is_in_given(part[:end], given) for part, end in ends)


def _repeats_verdict(line: ReplyLine, label: str, finder: Finder) -> bool:
    """Whether a line of a reply gives the label in several words that stand in a given text."""
    mentions = []
    for mention in finder.mentions(line.text):
        if mention.label == label:
            mentions.append(mention)
    others = len(words_of(line.text)) - sum(
        len(words_of(line.text[mention.start : mention.end])) for mention in mentions
    )
    return bool(line.given and mentions) and others > 1


def _label_of_prose(sentence: str, finder: Finder) -> str | None:
    """Returns the label that a sentence of prose says in its main clause, or None."""
    mentions = finder.mentions(sentence)
    if mentions:
        return label_of_main_clause(sentence, mentions[0], finder)
    return None


def _is_announcement(sentence: str, label: str | None, finder: Finder) -> bool:
    """Whether a sentence has no more than labels, or this label and words that announce it."""
    mentions = finder.mentions(sentence)
    rest = sentence
    for mention in reversed(mentions):
        rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    words = set()
    for word in words_of(rest):
        if not word.isdigit():
            words.add(word)
    if not words:
        return True
    return words <= _ANNOUNCING and all(mention.label == label for mention in mentions)


def _is_in_words_of_a_verdict(
    sentences: Sequence[str], label: str, finder: Finder, given: Sequence[str]
) -> bool:
    """Whether a line gives the label as the judge's own ("My verdict: X"; where nothing follows, also
    "Verdict: X"), in words that no given text has.
    """
    head = ""
    for at, sentence in enumerate(sentences):
        line = f"{head} {sentence}"
        head = ""
        if not _is_announcement(sentence, label, finder):
            continue
        if not finder.mentions(sentence):
            head = ""
            if cues.NAMED.search(sentence):
                head = sentence
        elif _is_named_anew(line, finder, given):
            after = sentences[at + 1 :]
            if _OWN.search(line) or all(_is_announcement(s, label, finder) for s in after):
                return True
    return False


def _is_named_anew(line: str, finder: Finder, given: Sequence[str]) -> bool:
    """Whether a word for a verdict stands ahead of a line's label, as in no given text."""
    label = finder.mentions(line)[-1]
    ahead = list(cues.NAMED.finditer(line, 0, label.start))
    return bool(ahead) and not is_in_given(line[ahead[-1].start() : label.end], given)


def _is_given_in_capitals(sentences: Sequence[str], label: str, finder: Finder) -> bool:
    """Whether a sentence declares the label in capitals: nobody quotes "Not supported." so."""
    for sentence in sentences:
        if _is_in_capitals(sentence, finder.mentions(sentence)):
            verdict = declaration_of_sentence(sentence, True, finder)
            if verdict and verdict.label == label:
                return True
    return False
