"""factmark in Python: a function for each measure, results as tables.

    import factmark as fm
    results = fm.score("answers.jsonl")
    results.averages["S"], results.to_pandas(), results.report("out/")

Everything here also works in a notebook, where a result shows its first table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from factmark.model import Estimate

if TYPE_CHECKING:
    import pandas
    import polars

    from factmark.tables.layouts import DataTable

Answer = TypeVar("Answer")


class Frame(Protocol):
    """A DataFrame of pandas or polars."""

    @property
    def columns(self) -> Any:
        """Its columns."""


Rows = str | Path | Iterable[Mapping[str, Any]] | Frame
"""A file, rows as mappings, or a DataFrame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a measure came to.

    Attributes:
        averages: name of a score -> its overall estimate, with interval and what is missing; of
            several systems the names are "SCORE of SYSTEM".
        tables: name -> table, the most important one first.
        rows: one mapping per judged thing, flat.
        problems: what was wrong with the input, or is missing; one sentence each.
        details: the protocol's own results.
    """

    averages: Mapping[str, Estimate]
    tables: Mapping[str, DataTable]
    rows: tuple[Mapping[str, Any], ...]
    problems: tuple[str, ...]
    details: Any
    write: Callable[[Path], object]

    def report(self, folder: str | Path) -> Path:
        """Writes the HTML report with all files beside it, as the command's --out does.

        Returns:
            The folder.

        Raises:
            InputError: it holds files that factmark did not write.
        """
        self.write(Path(folder))
        return Path(folder)

    def to_pandas(self, table: str = "") -> pandas.DataFrame:
        """The rows, or a table by its name with unrounded values. Needs pandas."""
        from pandas import DataFrame

        return DataFrame(self._records(table))

    def to_polars(self, table: str = "") -> polars.DataFrame:
        """The rows, or a table by its name with unrounded values. Needs polars."""
        from polars import DataFrame

        return DataFrame(self._records(table), infer_schema_length=None)

    def _records(self, name: str) -> list[dict[str, Any]]:
        if not name:
            return [dict(row) for row in self.rows]
        if name not in self.tables:
            raise KeyError(f"no table {name!r}; there are {', '.join(self.tables)}")
        table = self.tables[name]
        return [dict(zip(table.record_names, record, strict=True)) for record in table.records]

    def __str__(self) -> str:
        from factmark.tables.layouts import markdown_table

        return markdown_table(next(iter(self.tables.values())))

    def _repr_html_(self) -> str:
        from factmark.tables.page import table_html

        return table_html(next(iter(self.tables.values())))


def score(
    answers: Rows,
    *,
    benchmark: str | Path = "ehds",
    store: str | Path | None = None,
    endpoint: str | None = None,
    people: str | Path | None = None,
    ledger: str | Path | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Measured:
    """Completeness, hallucination rate and combined score of answers: `factmark score`.

    Args:
        answers: with `query_id` and `answer`, and `model` and `condition` where there are several.
        benchmark: `ehds`, or a file with questions.
        store, endpoint: where the ground truth is derived, if the file does not hold it.
        people: answers whose facts people marked, to correct the scores by.
        ledger: where verdicts are kept; nowhere if None.
        level: of the intervals.
        seed: of the bootstrap.

    Returns:
        Averages "C", "H" and "S" (of several models or conditions: "S of MODEL, CONDITION"); a row
        per answer.

    Raises:
        FactmarkError: a file that cannot be read as meant, or a store that does not answer.
    """
    from factmark.answers.core.averages import METRICS, OVERALL, Settings
    from factmark.answers.derive import Reach
    from factmark.answers.results import answer_rows
    from factmark.answers.run_tables import run_tables
    from factmark.answers.study import ScoreOptions, score_answers, write_report
    from factmark.answers.tables import score_table

    with _as_file(answers) as path:
        options = ScoreOptions(
            answers=path,
            reach=Reach(benchmark=str(benchmark), store=_path(store), endpoint=endpoint),
            people=_path(people),
            ledger=_path(ledger),
            settings=Settings(level=level, seed=seed),
        )
        scored = _outside_loop(lambda: score_answers(options))
    assert scored is not None  # noqa: S101 - only a dry run has no results
    results, _ = scored
    overall = [summary for summary in results.summaries if summary.category == OVERALL]
    averages = {
        _named(metric.symbol, (one.model, one.condition), len(overall)): metric.estimate(one)
        for one in overall
        for metric in METRICS.values()
    }
    tables = {"scores": score_table(results)}
    tables |= {table.title: table for table in run_tables(results)}
    return Measured(
        averages=averages,
        tables=tables,
        rows=tuple(answer_rows(results)),
        problems=results.problems,
        details=results,
        write=lambda folder: write_report(results, folder),
    )


def factscore(
    triples: Rows | None = None,
    passages: str | Path | None = None,
    *,
    judge: str = "rules",
    **options: Any,
) -> Measured:
    """FActScore*: which triples does their passage support? `factmark graph factscore`.

    Args:
        triples: with head, relation, tail and a passage or its id; the bundled example if None.
        passages: a file with id and text.
        judge: `rules`, or a model: "openai:MODEL", with `asking=dict(base_url=..., ...)`.
        options: the command's other options by their names, as `limit=100` or `level=0.9`.

    Returns:
        The average "FActScore*" over pairs; a row per pair.

    Raises:
        FactmarkError: a file that cannot be read as meant, a model that cannot be asked.
        TypeError: an option that the command does not have.
    """
    from factmark.graphs.command import FactscoreCommand

    return _judged(FactscoreCommand, triples, judge, passages=_path(passages), **options)


def validity(triples: Rows | None = None, *, judge: str = "rules", **options: Any) -> Measured:
    """ValidityScore: which triples use their relation as the ontology allows?

    `factmark graph validity`; arguments, results and errors as of `factscore`.
    """
    from factmark.graphs.command import ValidityCommand

    return _judged(ValidityCommand, triples, judge, **options)


def ratings(ledger: str | Path, campaign: str | None = None) -> Measured:
    """What people gave the units of a campaign: `factmark annotate results`.

    Returns:
        An average per measure and system ("COARSE of SYSTEM"); a row per rating.

    Raises:
        FactmarkError: there is no such ledger or campaign.
    """
    import factmark.answers.annotations
    from factmark.people.report.rating_tables import campaign_tables
    from factmark.people.results import campaign_results, rating_rows, write_campaign_results

    results = campaign_results(
        Path(ledger), campaign, protocol_of=lambda kind: factmark.answers.annotations
    )
    return Measured(
        averages={
            _named(one.measure.symbol, (one.system,), 2): one.final for one in results.scores
        },
        tables=campaign_tables(results),
        rows=tuple(rating_rows(results)),
        problems=results.problems,
        details=results,
        write=lambda folder: write_campaign_results(results, folder),
    )


def _judged(command: Any, triples: Rows | None, judge: str, **options: Any) -> Measured:
    from factmark.cli.asking import Asking
    from factmark.files.flat_files import plain
    from factmark.graphs.report import write_graph_results
    from factmark.graphs.study import judge_graph
    from factmark.graphs.tables import MEASURES, graph_table

    if "asking" in options:
        options["asking"] = Asking(**options["asking"])
    with _as_file(triples) as path:
        asked = command(triples=path, judge=judge, **options).options()
        results = _outside_loop(lambda: judge_graph(asked))
    return Measured(
        averages={MEASURES[results.measure]: results.scores.pairs.estimate},
        tables={"scores": graph_table(results)},
        rows=tuple(plain(row) for row in results.rows),
        problems=results.problems,
        details=results,
        write=lambda folder: write_graph_results(results, folder),
    )


def _named(score: str, names: Iterable[str], n_systems: int) -> str:
    system = ", ".join(filter(None, names))
    return f"{score} of {system}" if n_systems > 1 and system else score


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)


@contextmanager
def _as_file(given: Rows | None) -> Iterator[Any]:
    """The path of a file; rows are written into one for as long as it is read."""
    if given is None or isinstance(given, str | Path):
        yield _path(given)
        return
    from factmark.files.temporary import temporary_folder

    with temporary_folder() as folder:
        path = folder / "rows.jsonl"
        with path.open("w", encoding="utf-8") as out:
            for row in _mappings(given):
                out.write(json.dumps(row, default=str) + "\n")
        yield path


def _mappings(given: Any) -> Iterable[Mapping[str, Any]]:
    rows: Iterable[Mapping[str, Any]] = given
    if hasattr(given, "to_dicts"):  # polars
        rows = given.to_dicts()
    elif hasattr(given, "to_dict"):  # pandas, where NaN is what is missing
        rows = given.astype(object).where(given.notna(), None).to_dict("records")
    return rows


def _outside_loop(function: Callable[[], Answer]) -> Answer:
    """Calls in a thread of its own: a notebook's has an event loop running already."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function).result()
