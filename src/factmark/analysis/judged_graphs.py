"""Judged graphs and claims, in their ledger or as results, and the scores to compare them by.

Claims are compared cluster by cluster (response, document), each by the share of its claims that
are supported: two systems' claims differ, and what they were asked does not."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from factmark.claim_support.results import ClaimResults
from factmark.errors import InputError
from factmark.evaluated.columns import column_of_labels
from factmark.evaluated.corrected import How, judged_side
from factmark.evaluated.table import table_of_judge
from factmark.files.text_files import without_surrogates
from factmark.graphs.core.claims import Triple, folded
from factmark.graphs.core.scores import LEAST_DECIDED, MEASURES, STRICT, why_no_score
from factmark.graphs.results import GraphResults
from factmark.label_values import YES, label_values
from factmark.ledger.ledger import Ledger
from factmark.ledger.rows import rows_of_units, rows_without_verdict
from factmark.ledger.verdicts import judged_rows, judges_by_kind, people_values
from factmark.model import Measure
from factmark.stats.judge_line.difference import JudgedSide

_COLUMNS = ("head", "relation", "tail", "passage", "status", "label")
_VALUES: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "factscore": {"score": label_values("factscore")},
    "validity": {
        "score": label_values("validity"),
        "strict_score": {label: float(label == YES) for label in label_values("validity")},
    },
    "claims": {"score": label_values("factscore")},
}
"""Measure -> key of a score -> label -> value."""

_KINDS = {"factscore": "pair", "validity": "triple", "claims": "claim"}
GRAPH_SCORES = {
    "factscore": (MEASURES["factscore"],),
    "validity": (MEASURES["validity"], STRICT),
    "claims": (Measure(key="score", symbol="share", name="supported claims"),),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedGraph:
    """The judged rows of a graph, or of a table of claims.

    Attributes:
        measure: `factscore`, `validity` or `claims`.
        labels: head, and (triple and passage as one text) -> the labels of its rows; None without.
            Of claims both are the cluster.
        relations: triple and passage -> relation.
        judge: its name, where it is known.
        by_rule: whether a rule judged them, which leaves units undecided.
        problems: what a reader must know.
        systems: of claims of several systems, those of each.
        marks: of claims of which people labelled some.
    """

    measure: str
    labels: Mapping[tuple[str, str], Sequence[str | None]]
    relations: Mapping[str, str]
    judge: str
    by_rule: bool = False
    problems: tuple[str, ...] = ()
    systems: Mapping[str, JudgedGraph] = field(default_factory=dict)
    marks: JudgedSide | None = None

    @property
    def n_unjudged(self) -> int:
        """Rows without a verdict."""
        return sum(label is None for labels in self.labels.values() for label in labels)

    def units(self, key: str) -> dict[str, dict[str, tuple[float | None, ...]]]:
        """Head -> triple and passage -> the values of its rows by a score."""
        values = _VALUES[self.measure][key]
        units: defaultdict[str, dict[str, tuple[float | None, ...]]] = defaultdict(dict)
        for (head, unit), labels in self.labels.items():
            units[head][unit] = tuple(None if label is None else values[label] for label in labels)
        return dict(units)


def graph_of_results(name: str, results: GraphResults | ClaimResults) -> JudgedGraph:
    """Returns the judged graph, or claims, in results that are at hand."""
    if isinstance(results, ClaimResults):
        claims = []
        for claim in results.rows:
            row = claim.row
            verdict = claim.verdict
            people = claim.people
            claims.append(
                (
                    row.system,
                    {
                        "item": row.cluster,
                        "status": verdict.status,
                        "label": verdict.label,
                        "people": people,
                    },
                )
            )
        return _graph_of_claims(name, claims, results.judge, ())
    rows = [{column: getattr(row, column) for column in _COLUMNS} for row in results.units]
    return _graph_of_rows(name, results.measure, rows, results.judge, ())


def _graph_of_claims(
    name: str,
    claims: Iterable[tuple[str, Mapping[str, Any]]],
    judge: str,
    problems: tuple[str, ...],
) -> JudgedGraph:
    """Returns claims, each with its system, as what is compared: all, and those of each system
    where there are several."""
    rows: list[Mapping[str, Any]] = []
    systems: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for system, row in claims:
        rows.append(row)
        systems[system].append(row)
    parts = {
        system: _graph_of_rows(f"{name}, {system or 'none'}", "claims", some, judge, problems)
        for system, some in systems.items()
        if len(systems) > 1
    }
    return replace(_graph_of_rows(name, "claims", rows, judge, problems), systems=parts)


def holds_graph(ledger: Ledger) -> bool:
    """Whether a judge that is no person judged units of a graph, or claims, there."""
    return any(kind in _KINDS.values() for kind, *_ in judges_by_kind(ledger))


def graph_in_ledger(name: str, ledger: Ledger, metric: str) -> JudgedGraph:
    """Returns the graph whose units a ledger holds, with the verdicts of the judge that began last.

    Args:
        metric: a score of the measure, where the ledger holds both.

    Raises:
        InputError: there is no such graph, or no telling which of two.
    """
    judged = judges_by_kind(ledger)
    kinds = {kind for kind, *_ in judged}
    held = [measure for measure, kind in _KINDS.items() if kind in kinds]
    named = [measure for measure in held if any(s.is_called(metric) for s in GRAPH_SCORES[measure])]
    if len(held) > 1 and len(named) == 1:
        chosen = named
    else:
        chosen = held
    if len(chosen) != 1:
        symbols = " or ".join(GRAPH_SCORES[measure][0].symbol for measure in held)
        which = "neither answers nor a judged graph nor claims. Name the ledger of who judged"
        if held:
            which = f"judged {' and '.join(held)}. Say which with --metric: {symbols}"
        raise InputError(f"{name}: holds {which}.")
    (measure,) = chosen
    judges = [(judge, called) for kind, judge, called in judged if kind == _KINDS[measure]]
    (judge, called), earlier = judges[-1], [without_surrogates(other) for _, other in judges[:-1]]
    rows = judged_rows(ledger, judge, _KINDS[measure])
    problems = []
    if earlier:
        last = without_surrogates(called)
        problems.append(f"{name}: {last} is compared, which began after {', '.join(earlier)}.")
    counted = _n_units_reported(ledger, measure, judge)
    if counted and counted < len(rows):
        problems.append(
            f"{name}: of the {len(rows)} units in the ledger the last results count {counted}; all "
            "are compared. Judge each graph into a folder of its own."
        )
    if measure == "claims":
        people, _ = people_values(ledger, _KINDS[measure])
        rows = [{**row, "people": people.get(row["unit"])} for row in rows]
        claims = [*_with_systems(ledger, rows), *_without_verdict(ledger, judge)]
        return _graph_of_claims(name, claims, called, tuple(problems))
    return _graph_of_rows(name, measure, rows, called, tuple(problems))


def _marks_of(rows: Sequence[Mapping[str, Any]]) -> JudgedSide | None:
    """Returns claims as what people's labels correct; None where they labelled none.

    Nothing says how the claims were drawn, so a label counts as many claims of the same verdict as
    it stands for.
    """
    people = {}
    for place, row in enumerate(rows):
        if row.get("people") is not None:
            people[place] = row["people"]
    labels = [row["label"] if row["status"] == "ok" else None for row in rows]
    table = table_of_judge(
        column_of_labels("judge", labels, _VALUES["claims"]["score"]),
        people,
        clusters=[row["item"] for row in rows],
    )
    return judged_side(table, "judge", How(by_verdict=True))


def _with_systems(
    ledger: Ledger, rows: Sequence[dict[str, Any]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the system of each row of users' tables with its judged claim, once where a table was
    judged under two names. Ledgers of before rows had a cluster know one for each claim."""
    tables = rows_of_units(ledger, [row["unit"] for row in rows])
    for row in rows:
        for user in {user.place: user for user in tables.get(row["unit"], ())}.values():
            cluster = str(user.data.get("cluster") or row["item"])
            yield str(user.data.get("system") or ""), row | {"item": cluster}
        if row["unit"] not in tables:
            yield "", row


def _without_verdict(ledger: Ledger, judge: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the rows of the tables judged that have no verdict, as `_with_systems` does."""
    for user in rows_without_verdict(ledger, _KINDS["claims"], judge):
        missing = {"item": str(user.data.get("cluster") or user.id), "status": "", "label": None}
        yield str(user.data.get("system") or ""), missing


def _n_units_reported(ledger: Ledger, measure: str, judge: str) -> int:
    """Returns of how many units the results beside a ledger are, where they are of that judge; else
    0.
    """
    try:
        results = json.loads(ledger.path.with_name("results.json").read_text("utf-8"))
        of_units = "unique"
        if measure == "factscore":
            of_units = "pairs"
        score = results["details"]["scores"][of_units]["estimate"]
        judged_by = results["signature"]["judge_id"]
        is_same = judged_by == judge and results["measure"]["key"] == measure
        if is_same:
            return int(score["n_units"] + score["n_missing"])
        return 0
    except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return 0


def _graph_of_rows(
    name: str,
    measure: str,
    rows: Sequence[Mapping[str, Any]],
    judge: str,
    problems: tuple[str, ...],
) -> JudgedGraph:
    """Returns the judged graph of rows with head, relation, tail, passage, status and label."""
    labels: defaultdict[tuple[str, str], list[str | None]] = defaultdict(list)
    relations: dict[str, str] = {}
    for row in rows:
        head, relation, tail, passage = (str(row.get(column) or "") for column in _COLUMNS[:4])
        triple = Triple(head=head, relation=relation, tail=tail)
        unit = json.dumps([*triple.key, passage], ensure_ascii=False)
        label = None
        if row["status"] == "ok":
            label = row["label"]
        if label is not None and label not in _VALUES[measure]["score"]:
            raise InputError(f"{name}: the label {label!r} of {triple.key} is none of {measure}.")
        if measure == "claims":
            labels[row["item"], row["item"]].append(label)
            continue
        labels[folded(head), unit].append(label)
        relations.setdefault(unit, relation)
    by_rule = any(row["status"] == "undecided" for row in rows)
    decided = sum(label is not None for some in labels.values() for label in some)
    if by_rule and (few := why_no_score(decided, len(rows), LEAST_DECIDED)):
        problems += (f"{name}: {few}; judge it with a model before it is compared.",)
    return JudgedGraph(
        measure=measure,
        labels=labels,
        relations=relations,
        judge=judge,
        by_rule=by_rule,
        problems=problems,
        marks=_marks_of(rows) if measure == "claims" else None,
    )
