"""Judged graphs, from their ledger or as `factmark graph --out` writes them, compared by triple."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from factmark.errors import InputError, LedgerError
from factmark.files.flat_files import unguarded
from factmark.files.problems import Problems
from factmark.files.rows import header_of, read_rows
from factmark.graphs.core.claims import Triple, folded
from factmark.graphs.core.scores import LEAST_DECIDED, too_few
from factmark.graphs.results import GraphResults
from factmark.graphs.tables import MEASURES, judged_units
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.verdicts import judged_rows, judges_of, kinds_of
from factmark.model import Status
from factmark.replies.rubric import YES, values_of
from factmark.stats.contest import Contest, Score

Rows = Sequence[tuple[str, Mapping[str, Any]]]
"""Each with its place."""

_COLUMNS = ("head", "relation", "tail", "passage", "status", "label")
_VALUES: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "factscore": {"score": values_of("factscore")},
    "validity": {
        "score": values_of("validity"),
        "strict_score": {label: float(label == YES) for label in values_of("validity")},
    },
}
"""Measure -> key of a score -> label -> value."""

_KINDS = {"factscore": "pair", "validity": "triple"}
GRAPHS = tuple(_KINDS)
SCORES = {
    "factscore": (Score(key="score", symbol="F*", name="FActScore*", per="unit"),),
    "validity": (
        Score(key="score", symbol="V", name="ValidityScore", per="unit"),
        Score(key="strict_score", symbol="strict", name="strict score", per="unit"),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedGraph:
    """The judged rows of a graph.

    Attributes:
        measure: `factscore` or `validity`.
        labels: head, and (triple and passage as one text) -> the labels of its rows; None without.
        relations: triple and passage -> relation.
        judge: its name, where it is known.
        by_rule: whether a rule judged them, which leaves units undecided.
        problems: what a reader must know.
    """

    measure: str
    labels: Mapping[tuple[str, str], Sequence[str | None]]
    relations: Mapping[str, str]
    judge: str
    by_rule: bool = False
    problems: tuple[str, ...] = ()

    @property
    def too_few(self) -> str:
        """Why its labels make no score, by the rule of `factmark graph`; empty where they do."""
        labels = [label for some in self.labels.values() for label in some]
        decided = len(labels) - labels.count(None)
        return too_few(decided, len(labels), LEAST_DECIDED) if self.by_rule else ""

    def units(self, key: str) -> dict[str, dict[str, tuple[float | None, ...]]]:
        """Head -> triple and passage -> the values of its rows by a score."""
        values = _VALUES[self.measure][key]
        units: defaultdict[str, dict[str, tuple[float | None, ...]]] = defaultdict(dict)
        for (head, unit), labels in self.labels.items():
            units[head][unit] = tuple(None if label is None else values[label] for label in labels)
        return dict(units)


def read_graph(path: Path) -> JudgedGraph:
    """Reads a judged graph: its JSON stands for its ledger's rows, else for the table beside it.

    Raises:
        InputError: names the file and the line.
    """
    end, table = path.suffix.casefold(), path
    rows: Rows | None = None
    if end not in (".json", ".csv", ".parquet"):
        raise InputError(
            f"{path}: cannot be compared. Name results.json of `factmark score`, or factscore or "
            "validity (.json, .csv, .parquet) of `factmark graph`."
        )
    judge, judge_id, n_judged = _beside(path)
    if end == ".json":
        rows = _kept(path, judge_id, n_judged)
        tables = [path.with_suffix(end) for end in (".parquet", ".csv")]
        table = next((file for file in tables if file.is_file()), path)
    if rows is None and table.suffix == ".json":
        raise InputError(
            f"{path}: holds the scores only. Keep {path.stem}.csv or {path.stem}.parquet beside it."
        )
    rows = rows or _rows(table)
    return _graph(path, rows, judge, tuple(_cut(table.name, len(rows), n_judged)))


def graph_of(name: str, results: GraphResults) -> JudgedGraph:
    """The graph of results as they are."""
    rows = [(name, {column: getattr(row, column) for column in _COLUMNS}) for row in results.rows]
    cut = _cut(name, len(rows), judged_units(results))
    return _graph(Path(name) / results.measure, rows, results.judge, tuple(cut))


def _cut(name: str, n_rows: int, n_judged: int) -> Iterator[str]:
    if n_judged > n_rows:
        yield (
            f"{name} holds the first {n_rows} of {n_judged} judged rows; only those are compared. "
            "To compare all, name the folder of the results with ledger.db in it."
        )


def graph_in_ledger(path: Path, ledger: Ledger) -> JudgedGraph:
    """The graph whose units a ledger holds, as its one judge judged them.

    Raises:
        InputError: there is no such graph, or several judges went through one.
    """
    judged = [
        (judge, kind)
        for judge in judges_of(ledger)
        if judge.kind != "person"
        for kind in kinds_of(ledger, judge.id)
        if kind in _KINDS.values()
    ]
    if len(judged) != 1:
        names = ", ".join(f"{judge.name} ({kind}s)" for judge, kind in judged) or "none"
        raise InputError(
            f"{path}: to be compared, a ledger holds answers or one judged graph; here are "
            f"{names}. Name the folder that the command wrote with --out."
        )
    ((judge, kind),) = judged
    return _graph(path, _in_ledger(ledger, judge.id, kind), judge.name, ())


def _beside(path: Path) -> tuple[str, str, int]:
    """Judge, its id, and how many rows it judged, as a graph's JSON file tells; else nothing."""
    try:
        value = json.loads(path.with_suffix(".json").read_text("utf-8"))
        pairs = value["scores"]["pairs"]
        labelled = pairs["total_facts" if "total_facts" in pairs else "total_relations"]
        n_judged = int(labelled) + sum(map(int, pairs["missing"].values()))
        return str(value["judge"]), str(value["signature"]["judge_id"]), n_judged
    except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return "", "", 0


def _kept(path: Path, judge: str, n_judged: int) -> Rows | None:
    """All judged rows, from the ledger beside a file; None where it does not hold just those."""
    ledger = path.with_name("ledger.db")
    if not ledger.is_file() or not n_judged:
        return None
    try:
        with open_existing(ledger, read_only=True) as opened:
            rows = _in_ledger(opened, judge, _KINDS[path.stem])
    except LedgerError:
        return None
    return rows if len(rows) == n_judged else None


def _in_ledger(ledger: Ledger, judge: str, kind: str) -> Rows:
    return [("the ledger", {"passage": None, **row}) for row in judged_rows(ledger, judge, kind)]


def _rows(path: Path) -> Rows:
    header = header_of(path)
    if lacking := [name for name in _COLUMNS if name not in header]:
        raise InputError(
            f"{path}, line 1: no column {lacking[0]!r}. Name a file that `factmark graph` wrote, "
            "or results.json of `factmark score`."
        )
    problems = Problems()
    rows = list(read_rows(path, problems))
    if problems.n_dropped:
        raise InputError(f"{path}: is damaged. {'; '.join(problems.sentences())}.")
    if not rows:
        raise InputError(f"{path}: holds no judged rows.")
    return [
        (where, {name: unguarded(str(row[name] or "")) for name in _COLUMNS}) for where, row in rows
    ]


def _graph(path: Path, rows: Rows, judge: str, problems: tuple[str, ...]) -> JudgedGraph:
    labels: defaultdict[tuple[str, str], list[str | None]] = defaultdict(list)
    relations: dict[str, str] = {}
    for where, row in rows:
        head, relation, tail, passage = (str(row[name] or "") for name in _COLUMNS[:4])
        triple = Triple(head=head, relation=relation, tail=tail)
        unit = json.dumps([*triple.key, passage], ensure_ascii=False)
        labels[folded(head), unit].append(_label(f"{path}, {where}", row))
        relations.setdefault(unit, relation)
    return JudgedGraph(
        measure=_measure(path, {label for some in labels.values() for label in some} - {None}),
        labels=labels,
        relations=relations,
        judge=judge,
        by_rule=any(row["status"] == "undecided" for _, row in rows),
        problems=problems,
    )


def _label(where: str, row: Mapping[str, Any]) -> str | None:
    status, label = str(row["status"] or ""), str(row["label"] or "")
    if status not in get_args(Status):
        raise InputError(f"{where}: {status!r} is none of {', '.join(get_args(Status))}.")
    if status != "ok":
        return None
    known = [label for measure in GRAPHS for label in _VALUES[measure]["score"]]
    if label not in known:
        raise InputError(f"{where}: the label {label!r} is none of {', '.join(known)}.")
    return label


def _measure(path: Path, labels: set[str | None]) -> str:
    """What was measured, by its labels; by the file's name where nothing has one."""
    for measure, values in _VALUES.items():
        if labels <= values["score"].keys() if labels else path.stem == measure:
            return measure
    if not labels:
        raise InputError(f"{path}: no row has a label.")
    raise InputError(f"{path}: has labels of two measures: {', '.join(map(str, labels))}.")


def graphs_contest(files: Mapping[str, JudgedGraph], signature: Mapping[str, object]) -> Contest:
    """The contest of these graphs over the same triples (with the same passage).

    Rows of the same triple and passage count as one unit with the mean of their values.

    Raises:
        InputError: for fewer than two graphs, or different measures.
    """
    if len(files) < 2:
        raise InputError(f"{next(iter(files))}: is one system. Name a second file.")
    measures = {graph.measure: name for name, graph in files.items()}
    if len(measures) > 1:
        held = ", ".join(f"{name} holds {MEASURES[measure]}" for measure, name in measures.items())
        raise InputError(f"{held}. Compare the same measure.")
    (measure,) = measures
    strata: dict[str, str] = {}
    for graph in files.values():
        strata = {**graph.relations, **strata}
    return Contest(
        measure=measure,
        item="heads",
        unit="triples",
        scores=SCORES[measure],
        systems={
            name: {score.key: graph.units(score.key) for score in SCORES[measure]}
            for name, graph in files.items()
        },
        stratum="relation",
        strata=dict(sorted(strata.items(), key=lambda pair: pair[1])),
        least={name: LEAST_DECIDED for name, graph in files.items() if graph.by_rule},
        problems=_problems(files),
        signature=signature,
    )


def _problems(files: Mapping[str, JudgedGraph]) -> tuple[str, ...]:
    known = [problem for graph in files.values() for problem in graph.problems]
    few = [
        f"{name}: {graph.too_few}; judge it with a model before it is compared."
        for name, graph in files.items()
        if graph.too_few
    ]
    several = len({graph.judge for graph in files.values() if graph.judge}) > 1
    judges = "The graphs were judged by different judges; a difference may come from that."
    return (*known, *few, *[judges] * several)
