"""Whether what a model was given held the ground truth, and what became of it.

Over questions with elements in G, for answers that were given something (chunks, tool results).
R are the elements of G that stand in it (`held`), A those that the answer covers:

    held      |R| / |G|             both     |R ∩ A| / |G|
    unsaid    |R \\ A| / |G|         unheld   |A \\ R| / |G|        neither  the rest
    whole     [R = G]               completeness   C, over the answers with R = G

each averaged per question, then over questions. `held` looks for the words of an element in a row:
a count such as 30 stands in a long text by chance, and a name in other words is not found.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from factmark.answers.grounding import held
from factmark.answers.records import Question
from factmark.answers.run_records import Retrieval
from factmark.answers.tallies import Group, Row, Values, score_of
from factmark.answers.traces import Trace
from factmark.model import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Per element of G: whether it stood in what the model was given."""

    elements: tuple[str, ...]
    flags: tuple[bool, ...]

    @property
    def retrieved(self) -> tuple[str, ...]:
        """The elements that did, in G's order."""
        return tuple(e for e, flag in zip(self.elements, self.flags, strict=True) if flag)


def found(question: Question, trace: Trace | None) -> Found | None:
    """What of G a model was given; None where it was given nothing, or there is no trace."""
    shown = None if trace is None else trace.shown
    if shown is None:
        return None
    truth = question.ground_truth or ()
    return Found(elements=truth, flags=_held(truth, shown))


@lru_cache(maxsize=1024)
def _held(truth: tuple[str, ...], shown: tuple[str, ...]) -> tuple[bool, ...]:
    return held(truth, shown)


def retrieval(group: Group) -> Retrieval | None:
    """The shares; None where no answer was given anything to answer from."""
    if all(_shown(row) is None for row in group.rows):
        return None

    def share(name: str, values: Values, *, lower_is_better: bool = False) -> Estimate:
        return group.share(name, values, among=_has_elements, lower_is_better=lower_is_better)

    return Retrieval(
        held=share("held", _share_held),
        both=share("both", lambda row: _cell(row, held=True, said=True)),
        unsaid=share("unsaid", lambda row: _cell(row, held=True, said=False), lower_is_better=True),
        unheld=share("unheld", lambda row: _cell(row, held=False, said=True), lower_is_better=True),
        neither=share(
            "neither", lambda row: _cell(row, held=False, said=False), lower_is_better=True
        ),
        whole=share("whole", _whole),
        completeness=share("C of whole", _completeness),
    )


def _has_elements(question: Question) -> bool:
    return bool(question.ground_truth)


def _shown(row: Row) -> Found | None:
    return found(row.question, row.answer.trace)


def _share_held(row: Row) -> list[float] | None:
    given = _shown(row)
    return None if given is None else [sum(given.flags) / len(given.flags)]


def _whole(row: Row) -> list[float] | None:
    given = _shown(row)
    return None if given is None else [float(all(given.flags))]


def _completeness(row: Row) -> list[float] | None:
    given, score = _shown(row), score_of(row)
    if given is None or score is None:
        return None
    return [score.completeness] if all(given.flags) else []


def _cell(row: Row, *, held: bool, said: bool) -> list[float] | None:
    """The share of G in one cell of retrieved by said."""
    given, score = _shown(row), score_of(row)
    if given is None or score is None:
        return None
    left = set(score.missing)
    here = sum(
        flag == held and (element not in left) == said
        for element, flag in zip(given.elements, given.flags, strict=True)
    )
    return [here / len(given.elements)]
