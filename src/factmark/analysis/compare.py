"""Systems compared: on answers question by question, on judged graphs triple by triple."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from factmark.analysis.compare_ratings import ratings_contest
from factmark.analysis.judged_graphs import GRAPH_SCORES, JudgedGraph
from factmark.analysis.reading import CompareInput, RatedLedger, ledger_at, read_results
from factmark.answers.core.averages import SCORES, question_units
from factmark.answers.core.records import Row, score_of
from factmark.answers.results import Results
from factmark.errors import InputError
from factmark.files.text_files import without_surrogates
from factmark.graphs.core.scores import LEAST_DECIDED, MEASURES
from factmark.model import content_hash
from factmark.stats.comparison import Options
from factmark.stats.contest import OVERALL, Contest, Outcome, compare_systems
from factmark.version import __version__


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
    contest = _read_contest(given, by, metric)
    score = contest.score(metric) if metric else contest.scores[0]
    if score is None:
        known = ", ".join(score.key for score in contest.scores)
        raise InputError(f"--metric {metric}: there are {known}.")
    return compare_systems(contest, score, options)


def _read_contest(given: Sequence[tuple[str, CompareInput]], by: str, metric: str) -> Contest:
    """Reads the results; returns who is compared on what."""
    inputs = {
        without_surrogates(name): ledger_at(value) if isinstance(value, Path) else value
        for name, value in given
    }
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
    held = [f"{next(iter(some))} holds {kind}" for kind, some in kinds.items() if some]
    if len(held) > 1:
        raise InputError(f"{' and '.join(held)}. Compare results of one kind.")
    if rated:
        return ratings_contest(rated, _signature(rated))
    if answers:
        return answers_contest(answers, by, _signature(answers))
    if by not in ("all", "file"):
        raise InputError(f"--by {by} is for answers; each file of a graph is one system.")
    systems = {
        (name, system): part
        for name, graph in graphs.items()
        for system, part in ((by == "all" and graph.systems) or {"": graph}).items()
    }
    named = dict(zip(_shortest_names(list(systems)), systems.values(), strict=True))
    return graphs_contest(named, _signature(named))


def _signature(read: Mapping[str, Results | JudgedGraph | RatedLedger]) -> dict[str, object]:
    """Returns where the numbers come from: the version, and a hash of what each input says."""
    hashes = {
        name: content_hash(
            dict(results.signature)
            if isinstance(results, Results)
            else sorted([*unit, *map(str, labels)] for unit, labels in results.labels.items())
        )[:32]
        for name, results in read.items()
    }
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
    strata: dict[str, str] = {}
    systems: defaultdict[tuple[str, ...], dict[str, list[Mapping[str, float] | None]]] = (
        defaultdict(dict)
    )
    for file, results in files.items():
        for row in _all_rows(results):
            question, answer, score = row.question, row.answer, score_of(row)
            strata.setdefault(question.query_id, question.category)
            model = answer.model if by in ("all", "model") else ""
            condition = answer.condition if by in ("all", "condition") else ""
            values = None if score is None else {s.key: getattr(score, s.key) for s in SCORES}
            systems[file, model, condition].setdefault(question.query_id, []).append(values)
    if len(systems) < 2:
        ((file, *parts),) = systems
        about = f" ({', '.join(filter(None, parts))})" if any(parts) else ""
        alone = f"{file}: holds one system{'' if by == 'all' else f' by {by}'}{about}."
        raise InputError(f"{alone} Name a second file{'' if by == 'all' else ', or another --by'}.")
    strata |= _never_answered(strata, files.values())
    return Contest(
        measure="answers",
        item="questions",
        unit="questions",
        scores=SCORES,
        systems={
            name: {score.key: question_units(given, strata, score.key) for score in SCORES}
            for name, given in zip(_shortest_names(list(systems)), systems.values(), strict=True)
        },
        stratum="category",
        strata=strata,
        problems=tuple(_problems(files, by)),
        signature={**signature, "by": by},
    )


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
            names = [", ".join(key[place] or "none" for place in places) for key in keys]
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
    problems = list(dict.fromkeys(p for graph in files.values() for p in graph.problems))
    if len({graph.judge for graph in files.values() if graph.judge}) > 1:
        problems.append("They were judged by different judges; a difference may come from that.")
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
        unjudged={name: graph.n_unjudged for name, graph in files.items() if measure == "claims"},
        problems=tuple(problems),
        signature=signature,
    )
