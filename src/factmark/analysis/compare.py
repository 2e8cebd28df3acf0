"""Systems compared: on answers question by question, on judged graphs triple by triple."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from factmark.analysis.compare_ratings import ratings_contest
from factmark.analysis.judged_graphs import GRAPH_SCORES, JudgedGraph
from factmark.analysis.options import CompareOptions
from factmark.analysis.reading import CompareInput, RatedLedger, ledger_at, read_results
from factmark.analysis.report import compare_report
from factmark.answers.core.averages import SCORES, question_units
from factmark.answers.core.corrected import MarkedAnswer, sides_of_marks
from factmark.answers.core.records import Row, score_of
from factmark.answers.results import Results
from factmark.cli.python import python_function
from factmark.cli.records import options_of
from factmark.errors import InputError
from factmark.files.text_files import without_surrogates
from factmark.graphs.core.scores import LEAST_DECIDED, MEASURES
from factmark.model import content_hash
from factmark.report.result import Result
from factmark.stats.comparison import Options
from factmark.stats.contest import OVERALL, Contest, Outcome, compare_systems
from factmark.stats.judge_line.pairs import too_few_labels
from factmark.version import __version__


@python_function(CompareOptions, without={"inputs"})
def compare(
    *results: Result | str | Path | Mapping[str, Result | str | Path], **options: Any
) -> Result:
    """Which system is better, on the same questions, triples or clusters of claims? `factmark
    compare`.

    Args:
        results: of `score`, `run`, `factscore`, `validity` or `claims`; or ledgers, and
            folders with one, that the commands wrote. A mapping gives them names:
            `compare({"ours": first, "theirs": second})`.
        options: the command's, as `metric="H"`, `by="condition"`, `level=0.9`.

    Returns:
        Of two systems the averages "SCORE: A - B"; of more "SCORE of SYSTEM". A row per comparison.

    Raises:
        FactmarkError: what cannot be read or compared, and options that there are none of.
    """
    given: list[tuple[str, CompareInput]] = []
    for number, result in enumerate(results, 1):
        if isinstance(result, Mapping):
            given += [(str(name), _input_of(value)) for name, value in result.items()]
        elif isinstance(result, str | Path):
            given.append((str(result), Path(result)))
        else:
            given.append((f"results {number}", _input_of(result)))
    how = options_of(CompareOptions, {"inputs": [], **options})
    return compare_report(outcome_of(given, how.by, how.metric, options_of_test(how)))


def _input_of(result: Any) -> CompareInput:
    """Returns what is compared of a result, or the path that names a ledger or folder."""
    if isinstance(result, str | Path):
        return Path(result)
    details: CompareInput = getattr(result, "details", result)
    return details


def options_of_test(given: CompareOptions) -> Options:
    """Returns how differences are tested, by the options of the command."""
    return Options(level=given.level, resamples=given.resamples, seed=given.seed)


def outcome_of(
    given: Sequence[tuple[str, CompareInput]], by: str, metric: str, options: Options
) -> Outcome:
    """Compares systems; returns every comparison, and of more than two a leader board for each
    score.

    Args:
        given: name and place of each: a ledger, or the folder with one that `--out` wrote; or
            results as they are.
        by: what tells systems apart: `all` (file, model and condition), `file`, `model` or
            `condition`; graphs are one system a file, claims one for each of their systems unless
            it is `file`.
        metric: the score that strata and ranks go by; the first, where it is empty. Of a ledger
            with two judged graphs it says which.

    Raises:
        InputError: for what cannot be read, mixed kinds, fewer than two systems, or no such score.
        LedgerError: a ledger cannot be read.
    """
    if not given:
        raise InputError(
            "There is nothing to compare. Give results of the same measure, or ledgers or folders "
            "that factmark wrote; one is enough where it holds several systems."
        )
    contest = _read_contest(given, by, metric)
    if metric:
        score = contest.score(metric)
    else:
        score = contest.scores[0]
    if score is None:
        known = ", ".join(score.key for score in contest.scores)
        raise InputError(f"--metric {metric}: there are {known}.")
    return compare_systems(contest, score, options)


def _read_contest(given: Sequence[tuple[str, CompareInput]], by: str, metric: str) -> Contest:
    """Reads the results; returns who is compared on what."""
    inputs = {}
    for name, value in given:
        inputs[without_surrogates(name)] = ledger_at(value) if isinstance(value, Path) else value
    files = {value.resolve() for value in inputs.values() if isinstance(value, Path)}
    if len(files) + sum(not isinstance(value, Path) for value in inputs.values()) < len(given):
        names = " and ".join(without_surrogates(name) for name, _ in given)
        raise InputError(f"{names}: two of them are the same file.")
    read = {name: read_results(name, value, metric) for name, value in inputs.items()}
    answers = {name: results for name, results in read.items() if isinstance(results, Results)}
    graphs = {name: results for name, results in read.items() if isinstance(results, JudgedGraph)}
    rated = {name: results for name, results in read.items() if isinstance(results, RatedLedger)}
    kinds: dict[str, Mapping[str, object]]
    kinds = {"answers": answers, "a judged graph or claims": graphs, "people's ratings": rated}
    held = []
    for kind, some in kinds.items():
        if some:
            held.append(f"{next(iter(some))} holds {kind}")
    if len(held) > 1:
        raise InputError(f"{' and '.join(held)}. Compare results of one kind.")
    if rated:
        return ratings_contest(rated, _signature(rated))
    if answers:
        return answers_contest(answers, by, _signature(answers))
    if by not in ("all", "file"):
        raise InputError(f"--by {by} is for answers; each file of a graph is one system.")
    systems = {}
    for name, graph in graphs.items():
        for system, part in ((by == "all" and graph.systems) or {"": graph}).items():
            systems[(name, system)] = part
    named = dict(zip(_shortest_names(list(systems)), systems.values(), strict=True))
    return graphs_contest(named, _signature(named))


def _signature(read: Mapping[str, Results | JudgedGraph | RatedLedger]) -> dict[str, object]:
    """Returns where the numbers come from: the version, and a hash of what each input says."""
    hashes = {}
    for name, results in read.items():
        hashes[name] = content_hash(
            dict(results.signature)
            if isinstance(results, Results)
            else sorted([*unit, *map(str, labels)] for unit, labels in results.labels.items())
        )[:32]
    return {"factmark": __version__, "inputs": hashes}


def answers_contest(
    files: Mapping[str, Results], by: str, signature: Mapping[str, object]
) -> Contest:
    """Returns the contest of all systems in these files, question by question.

    A question that some file asked and a system has no scored answer to is missing there. Of
    questions that nobody answered a file tells only how many there are.

    Args:
        by: `all` for a system per file, model and condition; or `file`, `model`, `condition`,
            which is averaged over what it leaves out, in each file.

    Raises:
        InputError: for fewer than two systems.
    """
    strata, systems, marked = _answers_of_systems(files, by)
    if len(systems) < 2:
        ((file, *parts),) = systems
        about = ""
        if any(parts):
            about = f" ({', '.join(filter(None, parts))})"
        alone = f"{file}: holds one system{'' if by == 'all' else f' by {by}'}{about}."
        raise InputError(f"{alone} Name a second file{'' if by == 'all' else ', or another --by'}.")
    strata |= _never_answered(strata, files.values())
    names = dict(zip(systems, _shortest_names(list(systems)), strict=True))
    marks = {names[system]: sides_of_marks(given) for system, given in marked.items()}
    few = too_few_labels(marks, names.values(), "questions")
    return Contest(
        measure="answers",
        item="questions",
        unit="questions",
        scores=SCORES,
        systems={
            names[system]: {score.key: question_units(given, strata, score.key) for score in SCORES}
            for system, given in systems.items()
        },
        stratum="category",
        strata=strata,
        marks=marks,
        problems=(*_problems(files, by), *few),
        signature={**signature, "by": by},
    )


class _AnswersOfSystems(NamedTuple):
    """What systems answered: question -> category; system -> question -> the scores of its answers;
    and system -> its scored answers with people's marks."""

    strata: dict[str, str]
    scores: Mapping[tuple[str, ...], Mapping[str, list[Mapping[str, float] | None]]]
    marked: Mapping[tuple[str, ...], list[MarkedAnswer]]


def _answers_of_systems(files: Mapping[str, Results], by: str) -> _AnswersOfSystems:
    """Returns the answers of each system in these files: of a file, model and condition, as `by`
    tells them apart."""
    strata: dict[str, str] = {}
    systems: defaultdict[tuple[str, ...], dict[str, list[Mapping[str, float] | None]]] = (
        defaultdict(dict)
    )
    marked: defaultdict[tuple[str, ...], list[MarkedAnswer]] = defaultdict(list)
    for file, results in files.items():
        for row in _all_rows(results):
            question = row.question
            answer = row.answer
            score = score_of(row)
            strata.setdefault(question.query_id, question.category)
            model = ""
            if by in ("all", "model"):
                model = answer.model
            condition = ""
            if by in ("all", "condition"):
                condition = answer.condition
            values = None
            if score is not None:
                values = {s.key: getattr(score, s.key) for s in SCORES}
                people = results.people.get(answer.id)
                marked[file, model, condition].append((question.query_id, score, people))
            systems[file, model, condition].setdefault(question.query_id, []).append(values)
    return _AnswersOfSystems(strata, systems, marked)


def _all_rows(results: Results) -> tuple[Row, ...]:
    """Returns the answers of results, scored or not."""
    return (*results.answers, *results.unscored)


def _shortest_names(keys: Sequence[tuple[str, ...]]) -> list[str]:
    """Returns names made of the fewest parts of the keys (file, model, condition; of claims file,
    system) that tell them apart.
    """
    most = len(keys[0])
    for size in range(1, most + 1):
        for places in combinations(range(most), size):
            names = []
            for key in keys:
                names.append(", ".join(key[place] or "none" for place in places))
            if len(set(names)) == len(names):
                return names
    return [repr(key) for key in keys]


def _never_answered(strata: Mapping[str, str], files: Iterable[Results]) -> dict[str, str]:
    """Returns a stand-in for each question that the benchmark has and no file has an answer to."""
    asked: Counter[str] = Counter()
    for results in files:
        for row in results.summaries:
            if row.category != OVERALL:
                asked[row.category] = max(asked[row.category], row.n_questions)
    known = Counter(strata.values())
    return {
        f"({category}: unanswered {number})": category
        for category, count in asked.items()
        for number in range(known[category], count)
    }


def _problems(files: Mapping[str, Results], by: str) -> Iterator[str]:
    """Yields what differs between the files besides the systems, and what is averaged over."""
    origins: dict[str, set[object]] = {
        "benchmarks": {results.benchmark for results in files.values()},
        "ground truths": {results.signature.get("ground_truth", "") for results in files.values()},
        "judges": {results.signature.get("judge_id", "") for results in files.values()},
    }
    for what, values in origins.items():
        if len(values) > 1:
            yield f"The files were scored with different {what}; a difference may come from that."
    for what in ("model", "condition"):
        most = max(
            len({getattr(row.answer, what) for row in _all_rows(results)})
            for results in files.values()
        )
        if most > 1 and by not in ("all", what):
            yield f"Each system is averaged over up to {most} {what}s."


def graphs_contest(files: Mapping[str, JudgedGraph], signature: Mapping[str, object]) -> Contest:
    """Returns the contest of these graphs over the same triples (with the same passage).

    Rows of the same triple and passage count as one unit with the mean of their values.

    Raises:
        InputError: for fewer than two graphs, or different measures.
    """
    if len(files) < 2:
        name, graph = next(iter(files.items()))
        more = ""
        if graph.measure == "claims":
            more = ", or have a column of the claims tell whose they are (--column system=NAME)"
        raise InputError(f"{name}: is one system. Name a second file{more}.")
    measures = {graph.measure: name for name, graph in files.items()}
    if len(measures) > 1:
        held = ", ".join(
            f"{name} holds {MEASURES[measure].name if measure in MEASURES else measure}"
            for measure, name in measures.items()
        )
        raise InputError(f"{held}. Compare the same measure.")
    (measure,) = measures
    strata: dict[str, str] = {}
    for graph in files.values():
        strata = {**graph.relations, **strata}
    marks = {name: {"score": graph.marks} for name, graph in files.items() if graph.marks}
    few = too_few_labels(marks, files, "clusters")
    return Contest(
        measure=measure,
        item="clusters" if measure == "claims" else "heads",
        unit="clusters" if measure == "claims" else "triples",
        scores=GRAPH_SCORES[measure],
        systems={
            name: {score.key: graph.units(score.key) for score in GRAPH_SCORES[measure]}
            for name, graph in files.items()
        },
        stratum="relation",
        strata=dict(sorted(strata.items(), key=lambda pair: pair[1])),
        per={score.key: "unit" for score in GRAPH_SCORES[measure]},
        least={name: LEAST_DECIDED for name, graph in files.items() if graph.by_rule},
        marks=marks,
        unjudged={name: graph.n_unjudged for name, graph in files.items() if measure == "claims"},
        problems=(*_problems_of_graphs(files.values()), *few),
        signature=signature,
    )


def _problems_of_graphs(graphs: Collection[JudgedGraph]) -> Iterator[str]:
    """Yields what a reader must know of these graphs, each once."""
    yield from dict.fromkeys(problem for graph in graphs for problem in graph.problems)
    if len({graph.judge for graph in graphs if graph.judge}) > 1:
        yield "They were judged by different judges; a difference may come from that."
