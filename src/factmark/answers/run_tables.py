"""What is told of runs, as tables: grounding, effort, repeats; paired differences stand apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from factmark.answers.core.averages import OVERALL
from factmark.answers.core.records import Results
from factmark.answers.core.run_records import RunSummary
from factmark.answers.difference_table import differences_table
from factmark.model import Estimate
from factmark.tables.layouts import (
    Cell,
    DataTable,
    Head,
    Line,
    Value,
    estimate_cell,
    interval_note,
    part_names,
    parts,
)
from factmark.tables.shown_text import NO_VALUE, named, one_line

_NONE = Cell(value=NO_VALUE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measure:
    """A column: its head, its name for machines, and where in a run its estimate is.

    Attributes:
        path: a field of a run, or a part of it and a field of that.
        note: what it means, in a sentence.
    """

    name: str
    key: str
    path: str
    better: Literal["higher", "lower", ""] = ""
    note: str = ""

    def of(self, run: RunSummary) -> Estimate | None:
        """The estimate, where the run has that part."""
        found: Any = run
        for field in self.path.split("."):
            found = None if found is None else getattr(found, field)
        made: Estimate | None = found
        return made


_GROUNDING = (
    _Measure(
        name="tool accuracy",
        key="tool_accuracy",
        path="tools.accuracy",
        better="higher",
        note="Tool accuracy: share of questions where an expected tool was called.",
    ),
    _Measure(
        name="retrieved",
        key="retrieved",
        path="retrieval.held",
        better="higher",
        note="Retrieved: share of the elements of G that stood in the chunks or tool results; a "
        "count may stand there by chance.",
    ),
    _Measure(
        name="retrieved, not said",
        key="unsaid",
        path="retrieval.unsaid",
        better="lower",
        note="Retrieved, not said, and said, not retrieved: shares of the same elements.",
    ),
    _Measure(name="said, not retrieved", key="unheld", path="retrieval.unheld", better="lower"),
    _Measure(
        name="C if all retrieved",
        key="completeness_if_whole",
        path="retrieval.completeness",
        better="higher",
        note="C if all retrieved: over the questions whose G was retrieved whole.",
    ),
    _Measure(
        name="abstained",
        key="abstained",
        path="abstained",
        note="Abstained: nothing was stated that could be checked.",
    ),
)
_REPEATS = (
    _Measure(
        name="C differs by", key="completeness", path="variation.completeness", better="lower",
        note="Differs by: mean absolute difference between two answers to a question.",
    ),
    _Measure(
        name="H differs by", key="hallucination_rate", path="variation.hallucination_rate",
        better="lower",
    ),
    _Measure(
        name="S differs by", key="combined_score", path="variation.combined_score", better="lower"
    ),
    _Measure(
        name="same S", key="same", path="variation.same", better="higher",
        note="Same S: share of questions whose answers all have the same.",
    ),
    _Measure(name="worst S", key="worst", path="variation.worst"),
    _Measure(
        name="best S", key="best", path="variation.best",
        note="Worst and best S: if each question counted with its worst, its best answer.",
    ),
)  # fmt: skip
_BY_ROUNDS = (
    _Measure(name="calls", key="calls", path="tools.calls"),
    _Measure(name="failed calls", key="failed", path="tools.failed"),
    _Measure(name="out of rounds", key="out_of_rounds", path="endings.out_of_rounds"),
)


def run_tables(results: Results) -> tuple[DataTable, ...]:
    """All tables that there is something for, in the order in which they are shown."""
    made: list[DataTable] = []
    if results.runs:
        made += [grounding_table(results), effort_table(results)]
    if any(run.variation for run in results.runs):
        made.append(repeats_table(results))
    if results.differences:
        made.append(differences_table(results))
    return tuple(made)


def grounding_table(results: Results) -> DataTable:
    """Were sensible tools called, was the ground truth retrieved, and was it said."""
    runs = _overall(results)
    return _estimates(results, "Grounding", runs, _GROUNDING)


def repeats_table(results: Results) -> DataTable:
    """How much the answers to the same question differ."""
    runs = [run for run in _overall(results) if run.variation]
    sizes = [size for run in runs if run.variation for size in run.variation.answers]
    least, most = min(sizes), max(sizes)
    several = f"{least}" if least == most else f"{least} to {most}"
    note = f"Over questions with {several} scored answers."
    return _estimates(results, "Repeats", runs, _REPEATS, note)


def _estimates(
    results: Results,
    title: str,
    runs: Sequence[RunSummary],
    measures: Sequence[_Measure],
    note: str = "",
) -> DataTable:
    """A table of estimates; columns that no run has a value for are left out."""
    shown = [measure for measure in measures if any(measure.of(run) for run in runs)]
    found = [[measure.of(run) for measure in shown] for run in runs]
    return DataTable(
        title=f"{one_line(results.benchmark)}: {title.lower()}",
        label_names=_label_names(results),
        columns=tuple(Head(name=measure.name, better=measure.better) for measure in shown),
        lines=tuple(
            Line(
                labels=_labels(results, run),
                cells=tuple(_NONE if one is None else estimate_cell(one) for one in some),
                starts_group=_starts(runs, place),
            )
            for place, (run, some) in enumerate(zip(runs, found, strict=True))
        ),
        notes=(
            " ".join(filter(None, (note, *(measure.note for measure in shown)))),
            *_missing(runs, shown),
            *interval_note(_known(found)),
        ),
        record_names=(*_NAMES, *(name for measure in shown for name in part_names(measure.key))),
        records=tuple(
            (
                *_names(run),
                *(
                    value
                    for measure in shown
                    for one in [measure.of(run)]
                    for value in ((None,) * 5 if one is None else parts(one))
                ),
            )
            for run in results.runs
        ),
    )


_HEADS = {
    "calls": "Calls: per question.",
    "failed calls": "Failed calls: share of a question's calls.",
    "out of rounds": "Out of rounds: share of questions where tools were called until the model "
    "was told to answer without.",
    "seconds": "Seconds: median and 95th percentile (nearest rank) over answers.",
    "p95": "",
    "tokens in": "",
    "tokens out": "",
    "cost": "",
    "answers": "",
}


def effort_table(results: Results) -> DataTable:
    """What the answers took: calls, rounds, seconds, tokens, cost; those that are known."""
    runs = _overall(results)
    rows = [dict(zip(_HEADS, _effort_cells(run), strict=True)) for run in runs]
    shown = [name for name in _HEADS if any(row[name] != _NONE for row in rows)]
    return DataTable(
        title=f"{one_line(results.benchmark)}: effort",
        label_names=_label_names(results),
        columns=tuple(Head(name=name) for name in shown),
        lines=tuple(
            Line(
                labels=_labels(results, run),
                cells=tuple(row[name] for name in shown),
                starts_group=_starts(runs, place),
            )
            for place, (run, row) in enumerate(zip(runs, rows, strict=True))
        ),
        notes=(
            *filter(None, (" ".join(filter(None, (_HEADS[name] for name in shown))),)),
            *_effort_notes(runs),
        ),
        record_names=(*_NAMES, *_EFFORT),
        records=tuple((*_names(run), *_effort_record(run)) for run in results.runs),
    )


_NAMES = ("category", "model", "condition")
_EFFORT = (
    "calls", "failed", "out_of_rounds", "latency_median", "latency_p95", "latency_n",
    "input_tokens", "output_tokens", "estimated", "cost", "n_answers",
)  # fmt: skip


def _by_rounds(run: RunSummary, measure: _Measure) -> Estimate | None:
    """What is told of rounds of calls: nothing where no tools were offered."""
    return None if run.tools is None else measure.of(run)


def _effort_cells(run: RunSummary) -> tuple[Cell, ...]:
    took, used = run.latency, run.usage
    about = "~" if used is not None and used.estimated else ""
    return (
        *(
            _NONE if (one := _by_rounds(run, measure)) is None else estimate_cell(one)
            for measure in _BY_ROUNDS
        ),
        _NONE if took is None else Cell(value=f"{took.median:.1f}"),
        _NONE if took is None else Cell(value=f"{took.p95:.1f}"),
        _NONE if used is None else Cell(value=f"{about}{used.input_tokens:,}"),
        _NONE if used is None else Cell(value=f"{about}{used.output_tokens:,}"),
        _NONE if used is None or used.cost is None else Cell(value=f"{about}${used.cost:.4f}"),
        Cell(value=str(run.n_answers)),
    )


def _effort_record(run: RunSummary) -> tuple[Value, ...]:
    took, used = run.latency, run.usage
    return (
        *(None if (one := measure.of(run)) is None else one.value for measure in _BY_ROUNDS),
        *((None, None, 0) if took is None else (took.median, took.p95, took.n)),
        *(
            (None, None, None, None)
            if used is None
            else (used.input_tokens, used.output_tokens, int(used.estimated), used.cost)
        ),
        run.n_answers,
    )


def _effort_notes(runs: Sequence[RunSummary]) -> Iterator[str]:
    used = [run.usage for run in runs if run.usage is not None]
    if any(one.estimated for one in used):
        yield "~: a server did not count all tokens; they are estimated from the text."
    if any(one.cost is None for one in used):
        yield f"Cost {NO_VALUE}: the price of some answers is not known."
    for run in runs:
        without = [
            f"{record.n_missing} without {name}"
            for name, record in (("seconds", run.latency), ("tokens", run.usage))
            if record is not None and record.n_missing
        ]
        if without:
            yield f"{_name(run)}: of {run.n_answers} answers {', '.join(without)}; not in these."
    shown = [m for m in _BY_ROUNDS if any(_by_rounds(run, m) for run in runs)]
    yield from _missing([run for run in runs if run.tools is not None], shown)
    found = [[_by_rounds(run, measure) for measure in _BY_ROUNDS] for run in runs]
    yield from interval_note(_known(found))


def _overall(results: Results) -> list[RunSummary]:
    return [run for run in results.runs if run.category == OVERALL]


def _models(results: Results) -> list[str]:
    return list(dict.fromkeys(run.model for run in results.runs))


def _label_names(results: Results) -> tuple[str, ...]:
    return ("model", "condition") if len(_models(results)) > 1 else ("condition",)


def _labels(results: Results, run: RunSummary) -> tuple[str, ...]:
    names = (run.model, run.condition) if len(_models(results)) > 1 else (run.condition,)
    return tuple(map(named, names))


def _starts(runs: Sequence[RunSummary], place: int) -> bool:
    """Whether a line begins a group: of a model, or of one condition where there is one model."""
    one = len({run.model for run in runs}) == 1
    return one or not place or runs[place - 1].model != runs[place].model


def _names(run: RunSummary) -> tuple[str, ...]:
    return tuple(one_line(name) for name in (run.category, run.model, run.condition))


def _name(run: RunSummary) -> str:
    return " ".join(filter(None, map(one_line, (run.model, run.condition)))) or OVERALL


def _known(found: Iterable[Iterable[Estimate | None]]) -> list[Estimate]:
    return [one for some in found for one in some if one is not None]


def _missing(runs: Sequence[RunSummary], measures: Sequence[_Measure]) -> Iterator[str]:
    """How many questions have no value, since an answer is missing; they are in none of these."""
    lacking = [
        f"{_name(run)}, {measure.name}: {one.n_missing} of {run.n_questions}"
        for run in runs
        for measure in measures
        if (one := measure.of(run)) is not None and one.n_missing
    ]
    if lacking:
        yield f"Questions without an answer to tell, and in no value: {'; '.join(lacking)}."
