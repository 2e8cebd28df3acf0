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

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from factmark.answers.core.grounding import held
from factmark.answers.core.records import Question
from factmark.answers.core.run_records import Retrieval
from factmark.answers.core.tallies import Group, Row, Values, score_of
from factmark.answers.core.traces import Trace
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
    return Found(elements=truth, flags=held(truth, shown))


Given = Mapping[int, Found | None]
"""What each answer was given of G, by the `id()` of its row."""


def given_to(rows: Iterable[Row]) -> Given:
    """`found` of each row, looked for once; good for as long as the rows live."""
    return {id(row): found(row.question, row.answer.trace) for row in rows}


def retrieval(group: Group, given: Given | None = None) -> Retrieval | None:
    """The shares; None where no answer was given anything to answer from.

    Args:
        given: what `given_to` made of these rows (or of more), where it is known already.
    """
    known = given_to(group.rows) if given is None else given
    if all(known[id(row)] is None for row in group.rows):
        return None

    def share(name: str, values: Values, *, lower_is_better: bool = False) -> Estimate:
        return group.share(name, values, among=_has_elements, lower_is_better=lower_is_better)

    def cell(name: str, *, held: bool, said: bool, lower_is_better: bool = True) -> Estimate:
        return share(
            name,
            lambda row: _cell(row, known[id(row)], held=held, said=said),
            lower_is_better=lower_is_better,
        )

    return Retrieval(
        held=share("held", lambda row: _share_held(known[id(row)])),
        both=cell("both", held=True, said=True, lower_is_better=False),
        unsaid=cell("unsaid", held=True, said=False),
        unheld=cell("unheld", held=False, said=True),
        neither=cell("neither", held=False, said=False),
        whole=share("whole", lambda row: _whole(known[id(row)])),
        completeness=share("C of whole", lambda row: _completeness(row, known[id(row)])),
    )


def _has_elements(question: Question) -> bool:
    return bool(question.ground_truth)


def _share_held(given: Found | None) -> list[float] | None:
    return None if given is None else [sum(given.flags) / len(given.flags)]


def _whole(given: Found | None) -> list[float] | None:
    return None if given is None else [float(all(given.flags))]


def _completeness(row: Row, given: Found | None) -> list[float] | None:
    """Does not apply where not all of G was there, whether or not the answer has a score."""
    if given is None:
        return None
    if not all(given.flags):
        return []
    score = score_of(row)
    return None if score is None else [score.completeness]


def _cell(row: Row, given: Found | None, *, held: bool, said: bool) -> list[float] | None:
    """The share of G in one cell of retrieved by said."""
    score = score_of(row)
    if given is None or score is None:
        return None
    left = set(score.missing)
    here = sum(
        flag == held and (element not in left) == said
        for element, flag in zip(given.elements, given.flags, strict=True)
    )
    return [here / len(given.elements)]
