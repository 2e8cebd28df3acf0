"""What an answer commits itself to, decided once for the whole of it: yes, no or neither; that
there is nothing, or an answer.

Asked where no *yes* or *no* stands by itself, and where G is empty. No rule for a single sentence
decides that: *The race was called off* says no, and *every robot has a fence* that there is none
without. Three sentences are weighed, the first, the last and the one that says most of the question
again (above all as a conclusion), by whether they deny or keep something out, by what they report
and by the facts in them and around. `benchmarks/tagger.py` learns the weights, from what sentences
report by weights that had not seen their domains: what was learnt from is read too well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from factmark.answers.core.extraction import absence
from factmark.answers.core.extraction.absence import (
    LABELS,
    NO_LIST,
    Report,
    after_others,
    values_of,
)
from factmark.answers.core.extraction.question_words import content_words
from factmark.answers.core.extraction.sentences import asks_the_reader
from factmark.answers.core.extraction.verdict import (
    HEDGE,
    NO,
    Stated,
    share_of_question,
    verdict_of_a_sentence,
    weight_of_place,
)
from factmark.answers.core.extraction.weights import SCALE
from factmark.text.lexicon import phrases

VERDICTS = ("yes", "no", "none")
_EXCLUDES = phrases("exclusions")
_STEP = 1_500  # of a lead
_MANY = 4  # sentences
_FACTS = 2  # of a sentence
_NEAR = 0.4  # of a question's content words
_DOUBT = 500_000  # in favour of neither: a wrong yes or no counts in H, none does not


def is_absence(question: str, answer: str, reports: Sequence[Report]) -> bool:
    """Whether an answer reports that there is nothing of what was asked for, or that it cannot
    say."""
    if not reports:
        return NO_LIST.search(answer) is not None
    if after_others(reports):
        return False  # `Asthma and COPD. No other dataset does`
    table: Mapping[str, int] = absence.weights()["answers"]
    evidence = evidence_of(question, reports)
    return sum(value * table.get(name, 0) for name, value in evidence.items()) > 0


def implied_verdict(question: str, reports: Sequence[Report]) -> Stated | None:
    """The yes or no that an answer leaves to be understood, at the sentence that says it best; None
    where it commits itself to neither.

    Args:
        reports: what the sentences of the answer report, behind an agent's steps.
    """
    reports = _without_asides(question, reports)
    if all(HEDGE.search(report.sentence.plain) for report in reports):
        return None  # `It is possible that herons swallow swans`
    table: Mapping[str, Sequence[int]] = absence.weights()["verdicts"]
    sums = [0, 0, _DOUBT]
    for name, value in evidence_of_verdict(question, reports).items():
        for place, weight in enumerate(table.get(name, ())):
            sums[place] += value * weight
    verdict = VERDICTS[sums.index(max(sums))]
    if verdict == "none":
        return None
    tokens = reports[_deciding(question, reports)].sentence.tokens
    return Stated(verdict, tokens[0].start, tokens[-1].end)


def evidence_of_verdict(question: str, reports: Sequence[Report]) -> dict[str, int]:
    """As `evidence_of`, with what the sentence says that has most of the question."""
    stated = verdict_of_a_sentence(question, [report.sentence for report in reports], asked=True)
    value = "none"
    if stated:
        value = stated.value
    return evidence_of(question, reports) | {f"a sentence says {value}": SCALE}


def evidence_of(question: str, reports: Sequence[Report]) -> dict[str, int]:
    """What is known of an answer, by name, as whole numbers of 1/`SCALE`; one that is 0 may be left
    out. What says nothing of what was asked (`I hope this helps!`) changes none."""
    reports = _without_asides(question, reports)
    names = []
    for place, report in _three(question, reports).items():
        names += _of_place(place, question, report)
    for index, label in enumerate(LABELS[:-1]):
        names.append(f"{label} {max(report.leads[index] for report in reports) // _STEP}")
        names.append(f"{label} alone {max(report.alone[index] for report in reports) // _STEP}")
    names.append(f"sentences {min(len(reports), _MANY)}")
    return values_of(reports) | dict.fromkeys(names, SCALE)


def _without_asides(question: str, reports: Sequence[Report]) -> Sequence[Report]:
    """The reports without those of asides; all of them where there is nothing else."""
    kept = [report for report in reports if not _is_aside(question, report)]
    return kept or reports


def _is_aside(question: str, report: Report) -> bool:
    """Whether a sentence states and denies nothing, and has no word of the question."""
    if asks_the_reader(report.sentence):
        return True
    if report.facts or report.label != "answer":
        return False
    text = report.sentence.plain
    says_something = NO.search(text) or _EXCLUDES.search(text)
    return not says_something and not share_of_question(_about(question), report.sentence)


def _three(question: str, reports: Sequence[Report]) -> dict[str, Report]:
    """The three sentences that are weighed, by their place in the answer."""
    best = reports[_deciding(question, reports)]
    return {"first": reports[0], "last": reports[-1], "best": best}


def _of_place(place: str, question: str, report: Report) -> list[str]:
    """The names of what a sentence at a place of the answer says: whether it denies or keeps
    something out where the question does not, what it reports, and how many facts."""
    text = report.sentence.plain
    has_no = NO.search(text) is not None
    excludes = has_no or _EXCLUDES.search(text) is not None
    is_negative = NO.search(question) is not None
    denies = has_no != is_negative
    keeps_out = excludes != is_negative
    names = [
        f"{place} denies {denies}",
        f"{place} denies {denies} {min(report.facts, _FACTS)}",
        f"{place} keeps out {keeps_out}",
        f"{place} {report.label}",
    ]
    if share_of_question(_about(question), report.sentence) > _NEAR:
        names.append(f"{place} denies {denies} near")
    return names


def _deciding(question: str, reports: Sequence[Report]) -> int:
    """The place of the sentence that says most of the question again, above all as a conclusion."""
    about = _about(question)
    last = len(reports) - 1
    shares = []
    for at, report in enumerate(reports):
        share = share_of_question(about, report.sentence)
        shares.append(share + weight_of_place(report.sentence, at == last))
    return shares.index(max(shares))


@lru_cache(maxsize=4096)
def _about(question: str) -> frozenset[str]:
    """The content words of a question."""
    return frozenset(content_words(question))
