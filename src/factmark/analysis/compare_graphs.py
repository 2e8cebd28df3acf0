"""Judged graphs as `factmark graph --out` writes them, read back to be compared by triple."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from factmark.errors import InputError, LedgerError
from factmark.files.csv_cells import unguarded
from factmark.files.problems import Problems
from factmark.files.rows import header_of, read_rows
from factmark.graphs.core.claims import Triple, folded
from factmark.graphs.core.scores import LEAST_DECIDED, Missing, too_few
from factmark.ledger.judges import judges_of
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.verdicts import judged_rows, kinds_of
from factmark.model import Status
from factmark.replies.rubric import SUPPORT_LABELS, SUPPORTED, VALIDITY_LABELS, VALUES, YES
from factmark.stats.contest import Contest, Score

Rows = Sequence[tuple[str, Mapping[str, Any]]]
"""Each with its place."""

_COLUMNS = ("head", "relation", "tail", "passage", "status", "label")
_KINDS = ("pair", "triple")
_STATUSES = get_args(Status)
_LABELS = {"factscore": SUPPORT_LABELS, "validity": VALIDITY_LABELS}
_NAMES = {"factscore": "FActScore*", "validity": "ValidityScore"}
SCORES = {
    "factscore": (Score(key="score", symbol="F*", name="FActScore*", per="unit"),),
    "validity": (
        Score(key="score", symbol="V", name="ValidityScore", per="unit"),
        Score(key="strict_score", symbol="strict", name="strict score", per="unit"),
    ),
}
_VALUES: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "factscore": {"score": {label: float(label == SUPPORTED) for label in SUPPORT_LABELS}},
    "validity": {
        "score": VALUES,
        "strict_score": {label: float(label == YES) for label in VALIDITY_LABELS},
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedGraph:
    """The judged rows of a graph.

    Attributes:
        measure: `factscore` or `validity`.
        labels: head, and (triple and passage as one text) -> the labels of its rows; None without.
        relations: triple and passage -> relation.
        judge: its name, where the JSON file beside the rows tells it.
        by_rule: whether a rule judged them, which leaves units undecided.
        problems: what a reader must know.
    """

    measure: str
    labels: Mapping[tuple[str, str], tuple[str | None, ...]]
    relations: Mapping[str, str]
    judge: str
    by_rule: bool = False
    problems: tuple[str, ...] = ()

    @property
    def too_few(self) -> str:
        """Why its labels make no score, by the rule of `factmark graph`; empty where they do."""
        labels = [label for some in self.labels.values() for label in some]
        missing = Missing(undecided=labels.count(None))
        least = LEAST_DECIDED if self.by_rule else 0.0
        return too_few(len(labels) - missing.total, missing, least)


def judged_file(path: Path) -> Path:
    """The file with the rows, for a graph's JSON file, which holds the scores only."""
    if path.suffix.casefold() != ".json" or path.stem not in _LABELS:
        return path
    for end in (".parquet", ".csv"):
        if (beside := path.with_suffix(end)).is_file():
            return beside
    raise InputError(
        f"{path}: holds the scores only. Keep {path.stem}.csv or {path.stem}.parquet beside it."
    )


def read_judged_graph(path: Path) -> JudgedGraph:
    """Reads the rows of a judged graph, from CSV or Parquet.

    Raises:
        InputError: names the file and the line.
    """
    if path.suffix.casefold() not in (".csv", ".parquet"):
        raise InputError(
            f"{path}: cannot be compared. Name results.json of `factmark score`, or factscore or "
            "validity (.json, .csv, .parquet) of `factmark graph`."
        )
    header = header_of(path)
    if lacking := [name for name in _COLUMNS if name not in header]:
        raise InputError(
            f"{path}, line 1: no column {lacking[0]!r}. Name a file that `factmark graph` wrote, "
            "or results.json of `factmark score`."
        )
    problems = Problems()
    rows: Rows = list(read_rows(path, problems))
    if problems.n_dropped:
        raise InputError(f"{path}: is damaged. {'; '.join(problems.sentences())}.")
    if not rows:
        raise InputError(f"{path}: holds no judged rows.")
    beside = _beside(path)
    told: tuple[str, ...] = ()
    if beside.n_judged > len(rows):
        if (kept := _kept(path, beside)) is not None:
            rows = kept
        else:
            told = (
                f"{path.name} holds the first {len(rows)} of {beside.n_judged} judged rows, and "
                "no ledger.db beside it holds the others; only those are compared.",
            )
    return _graph(path, rows, beside.judge, told)


def kept_graph(path: Path, ledger: Ledger) -> JudgedGraph:
    """The graph whose units a ledger holds, as its one judge judged them.

    Raises:
        InputError: there is no such graph, or several judges went through one.
    """
    judged = [
        (judge, kind)
        for judge in judges_of(ledger)
        if judge.kind != "person"
        for kind in kinds_of(ledger, judge.id)
        if kind in _KINDS
    ]
    if len(judged) != 1:
        names = ", ".join(f"{judge.name} ({kind}s)" for judge, kind in judged) or "none"
        raise InputError(
            f"{path}: to be compared, a ledger holds answers or one judged graph; here are "
            f"{names}. Name the folder that the command wrote with --out."
        )
    ((judge, kind),) = judged
    rows: list[tuple[str, Mapping[str, Any]]] = [
        ("the ledger", {"passage": None, **row}) for row in judged_rows(ledger, judge.id, kind)
    ]
    return _graph(path, rows, judge.name, ())


def _graph(path: Path, rows: Rows, judge: str, problems: tuple[str, ...]) -> JudgedGraph:
    labels: dict[tuple[str, str], list[str | None]] = {}
    relations: dict[str, str] = {}
    for where, row in rows:
        label = _label(path, where, row)
        head, relation, tail = (_text(row[name]) for name in ("head", "relation", "tail"))
        triple = Triple(head=head, relation=relation, tail=tail)
        unit = json.dumps([*triple.key, _text(row["passage"])], ensure_ascii=False)
        labels.setdefault((folded(head), unit), []).append(label)
        relations.setdefault(unit, relation)
    return JudgedGraph(
        measure=_measure(path, labels),
        labels={key: tuple(some) for key, some in labels.items()},
        relations=relations,
        judge=judge,
        by_rule=any(row["status"] == "undecided" for _, row in rows),
        problems=problems,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Beside:
    """What the JSON file beside the rows tells; nothing where there is none."""

    judge: str = ""
    judge_id: str = ""
    n_judged: int = 0


def _beside(path: Path) -> _Beside:
    try:
        value = json.loads(path.with_suffix(".json").read_text("utf-8"))
        pairs = value["scores"]["pairs"]
        total = pairs["total_facts" if "total_facts" in pairs else "total_relations"]
        return _Beside(
            judge=str(value["judge"]),
            judge_id=str(value["signature"]["judge_id"]),
            n_judged=int(total) + sum(map(int, pairs["missing"].values())),
        )
    except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return _Beside()


def _kept(path: Path, beside: _Beside) -> Rows | None:
    """All judged rows, from the ledger beside the file; the file holds the first 2,000.

    None where there is no such ledger, or it holds other rows of that judge as well.
    """
    if not (ledger := path.with_name("ledger.db")).is_file():
        return None
    kind = "pair" if path.stem == "factscore" else "triple"
    try:
        with open_existing(ledger, read_only=True) as opened:
            found = judged_rows(opened, beside.judge_id, kind)
    except LedgerError:
        return None
    if len(found) != beside.n_judged:
        return None
    return [("the ledger", {"passage": None, **row}) for row in found]


def _text(value: object) -> str:
    return "" if value is None else unguarded(str(value))


def _label(path: Path, where: str, row: Mapping[str, Any]) -> str | None:
    status, label = _text(row["status"]), _text(row["label"])
    if status not in _STATUSES:
        raise InputError(f"{path}, {where}: {status!r} is none of {', '.join(_STATUSES)}.")
    if status != "ok":
        return None
    if not any(label in some for some in _LABELS.values()):
        known = ", ".join((*SUPPORT_LABELS, *VALIDITY_LABELS))
        raise InputError(f"{path}, {where}: the label {label!r} is none of {known}.")
    return label


def _measure(path: Path, labels: Mapping[tuple[str, str], list[str | None]]) -> str:
    """What was measured, by its labels; by the file's name where nothing has one."""
    found = {label for some in labels.values() for label in some if label is not None}
    for measure, known in _LABELS.items():
        if found and found <= set(known):
            return measure
    if not found and path.stem in _LABELS:
        return path.stem
    if not found:
        raise InputError(f"{path}: no row has a label.")
    raise InputError(f"{path}: has labels of two measures: {', '.join(sorted(found))}.")


def contest(files: Mapping[str, JudgedGraph], signature: Mapping[str, object]) -> Contest:
    """The contest of these graphs over the same triples (with the same passage).

    Rows of the same triple and passage count as one unit with the mean of their values.

    Raises:
        InputError: for fewer than two graphs, or different measures.
    """
    if len(files) < 2:
        raise InputError(f"{next(iter(files))}: is one system. Name a second file.")
    measures = {graph.measure: name for name, graph in files.items()}
    if len(measures) > 1:
        told = ", ".join(f"{name} holds {_NAMES[measure]}" for measure, name in measures.items())
        raise InputError(f"{told}. Compare the same measure.")
    (measure,) = measures
    strata: dict[str, str] = {}
    for graph in files.values():
        strata |= {unit: name for unit, name in graph.relations.items() if unit not in strata}
    judges = {graph.judge for graph in files.values() if graph.judge}
    problems = tuple(problem for graph in files.values() for problem in graph.problems)
    problems += tuple(
        f"{name}: {why}; judge it with a model before it is compared."
        for name, graph in files.items()
        if graph.by_rule and (why := graph.too_few)
    )
    if len(judges) > 1:
        problems += (
            "The graphs were judged by different judges; a difference may come from that.",
        )
    return Contest(
        measure=measure,
        item="heads",
        unit="triples",
        scores=SCORES[measure],
        systems={
            name: {score.key: _units(graph, score.key) for score in SCORES[measure]}
            for name, graph in files.items()
        },
        stratum="relation",
        strata=dict(sorted(strata.items(), key=lambda pair: pair[1])),
        least={name: LEAST_DECIDED for name, graph in files.items() if graph.by_rule},
        problems=problems,
        signature=signature,
    )


def _units(graph: JudgedGraph, key: str) -> dict[str, dict[str, tuple[float | None, ...]]]:
    values = _VALUES[graph.measure][key]
    out: dict[str, dict[str, tuple[float | None, ...]]] = {}
    for (head, unit), labels in graph.labels.items():
        made = tuple(None if label is None else values[label] for label in labels)
        out.setdefault(head, {})[unit] = made
    return out
