"""Paired differences within a study: between conditions, and between models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from factmark.answers.core.paired import SCORES
from factmark.answers.core.records import Results
from factmark.answers.core.run_records import PairedDifference
from factmark.tables.comparisons import probability
from factmark.tables.layouts import Cell, DataTable, Head, Line, interval_note, part_names, parts
from factmark.tables.shown_text import named, number, one_line


def differences_table(results: Results) -> DataTable:
    """Paired differences between conditions of a model and between models under a condition."""
    rows = results.differences
    symbols = {score.key: score.symbol for score in SCORES}
    groups: dict[tuple[str, str, str, str], list[PairedDifference]] = {}
    for row in rows:
        made = row.comparison
        groups.setdefault((row.between, row.of, made.a, made.b), []).append(row)
    heads = [(between, of) for between, of, _, _ in groups]
    keys = ("completeness", "hallucination_rate", "combined_score")
    several = len({row.of for row in rows if row.between == "conditions"}) > 1
    within = several or any(row.between == "models" for row in rows)
    return DataTable(
        title=f"{one_line(results.benchmark)}: paired differences, on the questions that both have",
        label_names=(*["within"] * within, "pair"),
        columns=(
            *(
                column
                for key in keys
                for column in (Head(name=symbols[key]), Head(name=f"{symbols[key]} p"))
            ),
            Head(name="n"),
        ),
        lines=tuple(
            Line(
                labels=(*[named(of)] * within, f"{named(a)} − {named(b)}"),
                cells=(
                    *(cell for key in keys for cell in _difference_cells(some, key)),
                    Cell(value=str(some[0].comparison.n_both)),
                ),
                starts_group=not place or not within or (between, of) != heads[place - 1],
            )
            for place, ((between, of, a, b), some) in enumerate(groups.items())
        ),
        notes=tuple(_difference_notes(rows)),
        record_names=(
            "between", "of", "score", "a", "b", *part_names("difference"), "p_permutation",
            "p_adjusted", "n_both",
        ),
        records=tuple(
            (
                row.between, one_line(row.of), row.score, one_line(row.comparison.a),
                one_line(row.comparison.b), *parts(row.comparison.difference),
                row.comparison.p_permutation, row.comparison.p_adjusted, row.comparison.n_both,
            )
            for row in rows
        ),
    )  # fmt: skip


def _difference_cells(rows: Iterable[PairedDifference], key: str) -> tuple[Cell, Cell]:
    made = next(row.comparison for row in rows if row.score == key)
    gap = made.difference
    bounds = "" if gap.low is None else f"[{number(gap.low)},{number(gap.high)}]"
    return Cell(value=number(gap.value), interval=bounds), Cell(value=probability(made.p))


def _difference_notes(rows: Sequence[PairedDifference]) -> Iterator[str]:
    pairs = {
        kind: sum(row.between == kind and row.score == SCORES[0].key for row in rows)
        for kind in ("conditions", "models")
    }
    told = " and ".join(f"{n} pairs of {kind}" for kind, n in pairs.items() if n > 1)
    holm = f", corrected by Holm over the {told}, for each score" if told else ""
    yield (
        "Above 0, A has more: better for C and S, worse for H. p: permutation test, questions "
        f"change sign as a whole{holm}. n: questions that both have an answer to."
    )
    yield from interval_note(row.comparison.difference for row in rows)
