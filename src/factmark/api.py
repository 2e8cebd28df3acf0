"""factmark in Python: a function for each measure, results as tables.

    import factmark as fm
    results = fm.score("answers.jsonl")
    results.averages["S"], results.to_pandas(), results.report("out/")

A result shows its first table in a notebook. All raise `errors.FactmarkError` for what cannot be
read or asked, and TypeError for an option that the command does not have.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from factmark.claim_support.study import claims
from factmark.cli.python import outside_loop
from factmark.cli.records import options_of
from factmark.errors import InputError
from factmark.files.frames import Rows, as_file
from factmark.graphs.study import factscore, validity
from factmark.measured import Measured
from factmark.model import Estimate

if TYPE_CHECKING:
    from factmark.answers.results import Results
    from factmark.graph_answers.results import GraphRagResults
    from factmark.report.layouts import DataTable
    from factmark.report.sentence import FirstSentence
    from factmark.stats.given_columns import Values


__all__ = [
    "agree",
    "claims",
    "compare",
    "correct",
    "factscore",
    "graphrag",
    "plan",
    "ratings",
    "run",
    "score",
    "validity",
]


def score(
    answers: Rows,
    *,
    benchmark: Rows = "ehds",
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
        benchmark: `ehds`, a file with questions, or rows or a frame of them.
        store, endpoint: where the ground truth is derived, if the file does not hold it.
        people: answers whose facts people marked, to correct the scores by.
        ledger: where verdicts are kept; nowhere if None.
        level: of the intervals.
        seed: of the bootstrap.

    Returns:
        Averages "C", "H" and "S" (of several models or conditions: "S of MODEL, CONDITION"); a row
        per answer.
    """
    from factmark.answers.options import ScoreOptions
    from factmark.answers.study import score_answers
    from factmark.interop.reading import read_answers

    with as_file(answers) as path, as_file(benchmark, "benchmark") as questions:
        given = {"answers": path, "benchmark": str(questions), "store": store, "people": people}
        given |= {"endpoint": endpoint, "ledger": ledger, "level": level, "seed": seed}
        options = options_of(ScoreOptions, given)
        scored = outside_loop(lambda: score_answers(options, read_answers))
    assert scored is not None  # noqa: S101 - only a dry run has no results
    return _measured_answers(scored[0])


def ratings(
    ledger: str | Path | Sequence[str | Path], campaign: str | Sequence[str] | None = None
) -> Measured:
    """What people gave the units of a campaign, or of several as one: `factmark annotate results`.

    Returns:
        An average per measure and system ("COARSE of SYSTEM"); a row per rating, and one without a
        label for what is not rated.
    """
    from factmark.cli.annotate import protocol_of
    from factmark.people.opening import campaign_opening
    from factmark.people.result_files import write_campaign_results
    from factmark.people.study import campaign_results
    from factmark.people.tables import campaign_tables, rating_rows

    several = [ledger] if isinstance(ledger, str | Path) else ledger
    results = campaign_results([*map(Path, several)], campaign, protocol_of=protocol_of)
    return Measured(
        averages={
            score.measure.symbol + _of_names(score.system): score.final for score in results.scores
        },
        tables=campaign_tables(results),
        rows=tuple(rating_rows(results)),
        problems=results.problems,
        details=results,
        write=lambda folder: write_campaign_results(results, folder),
        opening=campaign_opening(results),
    )


def graphrag(
    triples: Rows | None = None,
    questions: Rows | None = None,
    *,
    asking: Mapping[str, Any] | None = None,
    **options: Any,
) -> Measured:
    """GraphRAG: are questions answered better with the graph? `factmark graph graphrag`.

    Args:
        triples: as of `factscore`.
        questions: a file, rows or a frame of questions with their answers; the bundled ones if
            None.
        options: the command's others, as `model="ollama:MODEL"`, `judge`, `control`, `top_k`.
        asking: how a model is asked: `base_url`, `key_env`, `concurrency`, `max_calls`, ...

    Returns:
        An average for each graph and control ("accuracy of GRAPH"); a row per answer.
    """
    from factmark.graph_answers.options import GraphragOptions
    from factmark.graph_answers.result_files import write_graphrag_results
    from factmark.graph_answers.study import open_plan, results_of, run_graphrag
    from factmark.graph_answers.tables import answer_row, answer_tables, graphrag_opening

    with as_file(triples) as path, as_file(questions, "questions") as qa:
        given = options_of(
            GraphragOptions, {"triples": path, "questions": qa, "asking": asking or {}, **options}
        )

        async def study() -> GraphRagResults:
            async with open_plan(given) as plan:
                run = await run_graphrag(plan)
                return results_of(plan, run, level=given.level, seed=given.seed)

        results = outside_loop(lambda: asyncio.run(study()))
    return Measured(
        averages={
            f"accuracy of {name}": scores.overall.estimate
            for name, scores in results.scores.items()
        },
        tables={table.title: table for table in answer_tables(results)},
        rows=tuple(map(answer_row, results.run.answers)),
        problems=results.problems,
        details=results,
        write=lambda folder: write_graphrag_results(results, folder),
        opening=graphrag_opening(results),
    )


def run(study: str | Path = "ehds", **options: Any) -> Measured:
    """Asks models the questions of a benchmark and scores the answers: `factmark run`.

    Replies, verdicts and the report are kept in the study's folder; the same call goes on there.

    Args:
        study: `ehds`, a study file, or a file with questions.
        options: the command's, as `model="ollama:MODEL"`, `condition="baseline,rag"`, `max_calls`.

    Returns: as `score`.
    """
    from factmark.runs.options import RunOptions
    from factmark.runs.study import run_study

    given = options_of(RunOptions, {"study": str(study), **options}).read_study()
    results, *_ = outside_loop(lambda: asyncio.run(run_study(given)))
    return _measured_answers(results)


def compare(
    *results: Measured | str | Path | Mapping[str, Measured | str | Path],
    by: Literal["all", "file", "model", "condition"] = "all",
    metric: str = "",
    level: float = 0.95,
    seed: int = 0,
) -> Measured:
    """Which system is better, on the same questions, triples or clusters of claims? `factmark
    compare`.

    Args:
        results: of `score`, `run`, `factscore`, `validity` or `claims`; or ledgers, and
            folders with one, that the commands wrote. A mapping gives them names:
            `compare({"ours": first, "theirs": second})`.
        by: what tells systems apart.
        metric: what strata and ranks go by: "S", "C", "H", "F*", "V"; the first, if empty.

    Returns:
        Of two systems the averages "SCORE: A - B"; of more "SCORE of SYSTEM". A row per comparison.
    """
    from factmark.analysis.compare import outcome_of
    from factmark.analysis.result_files import compare_json
    from factmark.report.comparisons import compare_opening, compare_rows, compare_tables
    from factmark.stats.comparison import Options

    named: list[tuple[str, Measured | str | Path]] = []
    for n, result in enumerate(results, 1):
        if isinstance(result, Mapping):
            named += result.items()
        else:
            named.append((f"results {n}" if isinstance(result, Measured) else str(result), result))
    given = [
        (name, result.details if isinstance(result, Measured) else Path(result))
        for name, result in named
    ]
    outcome = outcome_of(given, by, metric, Options(level=level, seed=seed))
    opening = compare_opening(outcome)
    tables, rows = compare_tables(outcome), tuple(compare_rows(outcome))
    score = outcome.score
    averages = {
        f"{row.score.symbol}: {row.comparison.a} - {row.comparison.b}": row.comparison.difference
        for row in outcome.rows
        if row.stratum == "overall"
    }
    if board := outcome.boards.get(score.key):
        averages = {f"{score.symbol} of {place.name}": place.value for place in board.places}
    return Measured(
        averages=averages,
        tables={table.title: table for table in tables},
        rows=rows,
        problems=outcome.contest.problems,
        details=outcome,
        write=_files_writer("compare", compare_json(outcome), (opening, tables), rows),
        opening=opening,
    )


def agree(ledger: str | Path, **options: Any) -> Measured:
    """How far do judges agree: rules, models and people alike? `factmark agree`.

    Args:
        options: the command's options, as `judge=["rules"]`, `kind="pair"`, `by="relation"`.

    Returns:
        Krippendorff's alpha of each comparison ("alpha of A and B, KIND"); a row per comparison.
    """
    from factmark.analysis.agree import agreement_of
    from factmark.analysis.options import AgreeOptions
    from factmark.analysis.result_files import agree_json
    from factmark.analysis.results import OVERALL
    from factmark.analysis.tables import agree_opening, agree_records, agree_tables, title_of

    given = options_of(AgreeOptions, {"ledger": Path(ledger), **options})
    agreements, problems = agreement_of(given)
    opening = agree_opening(agreements)
    tables, rows = agree_tables(agreements), agree_records(agreements)
    return Measured(
        averages={
            f"alpha of {title_of(compared)}, {panel.kind}": compared.agreement.alpha
            for panel in agreements
            for compared in panel.compared
            if compared.stratum == OVERALL
        },
        tables={table.title: table for table in tables},
        rows=tuple(rows),
        problems=problems,
        details=agreements,
        write=_files_writer(
            "agree", agree_json(given, agreements, problems), (opening, tables), rows
        ),
        opening=opening,
    )


def plan(half_width: float, **options: Any) -> Measured:
    """How many labels by people does an interval of that half-width need? `factmark plan`.

    Args:
        half_width: of the interval that is wanted, as 0.05.
        options: the command's: `share` (that is expected) with `agreement`, or `ledger` of a pilot.

    Returns:
        A row per design, the last the cheapest; for a pilot, the average "now".
    """
    from factmark.analysis.options import PlanOptions
    from factmark.analysis.plan import plan_of
    from factmark.analysis.result_files import plan_json
    from factmark.analysis.tables import plan_table
    from factmark.files.flat_files import to_json_value

    given = options_of(PlanOptions, {"half_width": half_width, **options})
    planned = plan_of(given)
    table = plan_table(planned, given)
    rows = tuple(to_json_value(need) for need in planned.needs)
    return Measured(
        averages={} if planned.standing is None else {"now": planned.standing.estimate},
        tables={"designs": table},
        rows=rows,
        problems=(planned.advice,) if planned.advice else (),
        details=planned,
        write=_files_writer("plan", plan_json(planned, given), (None, [table]), rows),
    )


def correct(
    judge: Mapping[Any, str | None] | Values,
    people: Mapping[Any, str | float | bool] | Values,
    *,
    level: float = 0.95,
    population: bool = False,
) -> Estimate:
    """What people would have said of all units, from a judge's labels of all and theirs of some.

    Args:
        judge: unit -> the judge's label, None where it has none; or a column of a frame, a pandas
            one by its index.
        people: unit -> a person's label (YES, NO, SUPPORTED, MAYBE and the like), or its value from
            0 to 1; or a column, where what is missing is no label. The units are a random part of
            the judge's, or random within each label.
        population: whether these units are all there are, and not a sample.

    Returns:
        The mean of people's values; see `stats.corrected_mean`, method `mover`.
    """
    from factmark.stats.cells import value_by_name
    from factmark.stats.corrections import corrected_mean
    from factmark.stats.given_columns import labels_by_unit

    try:
        given, labels = labels_by_unit(judge), labels_by_unit(people)
    except ValueError as error:
        raise InputError(f"{error}.") from None
    places = {unit: place for place, unit in enumerate(given)}
    values: dict[int, float] = {}
    for unit, label in labels.items():
        if label is None:
            continue
        value = value_by_name(label, {}) if isinstance(label, str) else float(label)
        if unit not in places or value is None:
            why = "no unit of the judge's" if value is not None else f"label {label!r} has no value"
            raise InputError(f"people's unit {unit!r}: {why}.")
        values[places[unit]] = value
    return corrected_mean(list(given.values()), values, level=level, population=population)


def _measured_answers(results: Results) -> Measured:
    """Returns scored answers as the public functions give them."""
    from factmark.answers.core.averages import METRICS, OVERALL
    from factmark.answers.core.opening import answers_opening
    from factmark.answers.run_tables import run_tables
    from factmark.answers.study import write_report
    from factmark.answers.tables import answer_rows, corrected_table, score_table

    overall = [row for row in results.summaries if row.category == OVERALL]
    several = len(overall) > 1
    averages = {
        metric.symbol + (_of_names(row.model, row.condition) if several else ""): metric.estimate(
            row
        )
        for row in overall
        for metric in METRICS.values()
    }
    tables = {"corrected": corrected_table(results)} if results.corrections else {}
    tables["scores"] = score_table(results)
    tables |= {table.title: table for table in run_tables(results)}
    return Measured(
        averages=averages,
        tables=tables,
        rows=tuple(answer_rows(results)),
        problems=results.problems,
        details=results,
        write=lambda folder: write_report(results, folder),
        opening=answers_opening(results),
    )


def _files_writer(
    stem: str,
    value: Mapping[str, Any],
    report: tuple[FirstSentence | None, Sequence[DataTable]],
    rows: Sequence[Any],
) -> Callable[[Path], str]:
    """Returns what writes these results into a folder, as a command with --out does."""
    from factmark.analysis.result_files import write_files

    return lambda folder: write_files(folder, stem, (), value, report, rows)


def _of_names(*names: str) -> str:
    """Returns ` of NAME, NAME`, for the end of a title; empty without names."""
    system = ", ".join(filter(None, names))
    return f" of {system}" if system else ""
