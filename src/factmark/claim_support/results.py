"""The results of judged claims: the record, and how it is made of rows with their verdicts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from factmark.ask.budget import Spend
from factmark.ask.judges.unit_judge import contrary_note
from factmark.claim_support.core.beside_people import (
    JudgeBesidePeople,
    Labelled,
    balanced_accuracy,
    label_counts,
    over_two_sides,
)
from factmark.claim_support.core.claim_rows import ClaimRow, claim_id
from factmark.claim_support.options import ClaimsOptions
from factmark.claim_support.reading import ClaimTable
from factmark.claim_support.splitting import responses_answered
from factmark.evaluated.columns import column_of_labels
from factmark.evaluated.corrected import How, correction_of
from factmark.evaluated.table import table_of_judge
from factmark.files.own_columns import FOREIGN
from factmark.graphs.core.scores import (
    LEAST_DECIDED,
    GraphScore,
    GraphScores,
    VerdictColumns,
    graph_scores,
)
from factmark.graphs.results import (
    cautions_of,
    goes_by_truth,
    rubric_of,
    signature_of,
    undecided_note,
)
from factmark.label_values import (
    CONTRADICTED,
    NOT_SUPPORTED,
    SUPPORT_VALUES,
    SUPPORTED,
)
from factmark.model import Estimate, Judge, Verdict, content_hash
from factmark.stats.clusters import mean_over_clusters
from factmark.stats.scales import of_observed, share_observed
from factmark.text.shown_text import count


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedClaim:
    """A row with its verdict.

    Attributes:
        row: with the label that people gave its claim in another row, if it has none itself.
        people: the value that people gave it: 1 where it is supported; None where they said
            nothing.
    """

    row: ClaimRow
    verdict: Verdict
    people: float | None = None

    @property
    def people_label(self) -> str | None:
        """The label that people gave it, of those in a ledger supported or not; None where they
        gave none, or are divided."""
        return self.row.label or _side(self.people)

    @property
    def differs(self) -> bool:
        """Whether the judge says otherwise than people."""
        theirs = self.people_label
        ours = self.verdict.label
        if self.row.label is None and ours is not None:
            ours = _side(SUPPORT_VALUES[ours])
        return None not in (theirs, ours) and theirs != ours


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResults:
    """What a table of claims came to by one judge.

    Attributes:
        score: the share of the claims that are supported, with an interval from resampling
            clusters.
        by_system: the same of each system, if there are several.
        by_cluster: the same of each cluster, if there are fewer of them than claims.
        by_basis: the same of claims with a passage and of those judged by general truth alone,
            where there are such.
        answered: system -> how many of its responses answer, and how many there are; empty where
            the table holds claims.
        per_cluster: the mean of the clusters' scores (FActScore's own, where a cluster is a
            response).
        judges: the judge and the foreign ones, each beside people.
        rows: all that have a verdict, in the order of the table.
        left: claims, and sentences not split yet, that wait for budget; they are in no score.
        annotators: who labelled claims in the ledger.
        problems: what was wrong with the input, one sentence each.
        signature: how the numbers were made.
        mapping: how the table's columns were read, as `--mapping` reads it.
    """

    table: str
    judge: str
    score: GraphScore
    by_system: Mapping[str, GraphScore]
    by_cluster: Mapping[str, GraphScore]
    per_cluster: Estimate | None
    judges: tuple[JudgeBesidePeople, ...]
    rows: tuple[JudgedClaim, ...]
    by_basis: Mapping[str, GraphScore] = field(default_factory=dict)
    answered: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    left: int = 0
    annotators: tuple[str, ...] = ()
    spent: Spend = field(default_factory=Spend)
    problems: tuple[str, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)
    mapping: str = ""

    def respond_ratio(self, system: str | None = None) -> float | None:
        """The share of the responses, all or a system's, that answer; None where the table holds
        claims."""
        counts = []
        for name, n in self.answered.items():
            if system is None or name == system:
                counts.append(n)
        total = sum(given for _, given in counts)
        if total:
            return sum(answered for answered, _ in counts) / total
        return None

    @property
    def own(self) -> JudgeBesidePeople:
        """The judge that judged here, beside people."""
        return self.judges[0]

    @property
    def cautions(self) -> tuple[str, ...]:
        """What makes the score worth less than it looks."""
        return cautions_of(self.judge, self.score)


def _signature(
    given: ClaimsOptions, judge: Judge, claims: Sequence[JudgedClaim]
) -> Mapping[str, object]:
    """Returns how the numbers were made."""
    return signature_of(
        "claims",
        judge,
        split=given.split,
        corpus=given.corpus and given.corpus.name,
        k=given.k if given.corpus else None,
        limit=given.limit,
        sampling_seed=given.seed,
        level=given.level,
        target=given.target,
        claims=content_hash([claim_id(claim.row) for claim in claims]),
    )


def claim_results(
    given: ClaimsOptions,
    table: ClaimTable,
    rows: Sequence[ClaimRow],
    judged: tuple[Judge, Mapping[str, Verdict]],
    people: tuple[Mapping[str, float], tuple[str, ...]],
    *,
    spent: Spend,
    left: int,
    problems: Iterable[str],
) -> ClaimResults:
    """Returns the results of rows.

    Args:
        judged: the judge, and unit -> its verdict.
        people: unit -> the value that people gave it in the ledger, and who they are; what the
            table itself says comes before that.
        left: sentences that are not split yet.
    """
    judge, verdicts = judged
    values, annotators = people
    if given.foreign in table.judges:  # nobody will judge what the column leaves empty
        why = f"no verdict in the column {FOREIGN}{given.foreign}"
        empty = Verdict(unit="", judge=judge.id, status="undecided", reason=why)
        verdicts = {**dict.fromkeys(map(claim_id, rows), empty), **verdicts}
    claims = tuple(_judged_claims(rows, verdicts, values))
    least = 0.0
    if judge.kind == "rule":
        least = LEAST_DECIDED
    waiting = left + len(rows) - len(claims)
    part = len(claims) / max(1, len(claims) + waiting) * len(table.rows) / max(1, table.size)
    scores_of = partial(_scores, level=given.level, target=given.target, part=part)
    scores = partial(scores_of, claims, rubric=rubric_of(judge))
    score = scores("cluster", least=least).pairs
    by_cluster = _scores_by("cluster", claims, lambda part: scores("place", part))
    has_mean = by_cluster and score.estimate.value is not None
    by_basis = goes_by_truth(judge) and any(row.passage is None for row in rows)
    beside = partial(_beside_people, part=part)
    judges = [beside(judge.name, claims, score.estimate, least=least)]
    for name in table.judges:
        if name != given.foreign:
            theirs = _with_foreign_labels(claims, name)
            share = scores_of(theirs, "cluster").pairs.estimate
            judges.append(replace(beside(name, theirs, share, least=0.0), foreign=True))
    results = ClaimResults(
        table=table.name,
        judge=judge.name,
        score=score,
        by_system=_scores_by("system", claims, lambda part: scores("cluster", part)),
        by_cluster=by_cluster,
        per_cluster=_mean_of_clusters(by_cluster, score.estimate) if has_mean else None,
        by_basis=scores("cluster", "basis", least=least).by_relation if by_basis else {},
        judges=tuple(judges),
        rows=claims,
        answered=responses_answered(table),
        left=waiting,
        annotators=annotators,
        spent=spent,
        signature=_signature(given, judge, claims),
        mapping=table.mapping.as_toml(),
    )
    return replace(results, problems=(*_notes(results, table, judge), *problems))


def _judged_claims(
    rows: Sequence[ClaimRow], verdicts: Mapping[str, Verdict], values: Mapping[str, float]
) -> Iterator[JudgedClaim]:
    """Yields the rows that have a verdict, or that nobody judges. What people say of a claim
    in one row, and nowhere otherwise, counts for rows of the same claim that have no label."""
    units = [claim_id(row) for row in rows]
    labels: defaultdict[str, set[str | None]] = defaultdict(set)
    for unit, row in zip(units, rows, strict=True):
        labels[unit].add(row.label)
    for unit, row in zip(units, rows, strict=True):
        given = labels[unit] - {None}
        label = row.label or (given.pop() if len(given) == 1 else None)
        people: float | None
        if label:
            people = SUPPORT_VALUES[label]
        else:
            people = values.get(unit)
        verdict = row.unjudged or verdicts.get(unit)
        if verdict:
            yield JudgedClaim(row=replace(row, label=label), verdict=verdict, people=people)


def _scores(
    claims: Sequence[JudgedClaim], resampled: str, by: str = "system", **options: Any
) -> GraphScores:
    """Returns the scores of claims, counted as FActScore* counts pairs, with parts as relations.

    Args:
        resampled, by: fields of a row, such as cluster.
        options: of `graph_scores`.
    """
    columns = VerdictColumns(
        triples=[(claim.row.place, "", "") for claim in claims],
        clusters=[getattr(claim.row, resampled) for claim in claims],
        relations=[getattr(claim.row, by) for claim in claims],
        statuses=[claim.verdict.status for claim in claims],
        labels=[claim.verdict.label for claim in claims],
        head_types=[""] * len(claims),
    )
    return graph_scores("factscore", columns, **options)


def _scores_by(
    part: str, claims: Sequence[JudgedClaim], scores: Callable[[str], GraphScores]
) -> dict[str, GraphScore]:
    """Returns the score of each part, in the table's order; none where there is one part, or as
    many as claims."""
    names = dict.fromkeys(getattr(claim.row, part) for claim in claims)
    by_name: Mapping[str, GraphScore] = {}
    if 1 < len(names) < len(claims):
        by_name = scores(part).by_relation
    return {name: by_name[name] for name in names if by_name}


def _mean_of_clusters(by_cluster: Mapping[str, GraphScore], like: Estimate) -> Estimate:
    """Returns the mean of the clusters' shares of supported claims, with the level and target of
    the score."""
    tallies = {}
    for name, score in by_cluster.items():
        tallies[name] = [SUPPORT_VALUES[label] for label in Counter(score.by_label).elements()]
    lost = {name: score.n_missing for name, score in by_cluster.items()}
    only_lost = sum(not values for values in tallies.values())
    return mean_over_clusters(
        tallies, level=like.level, n_missing=only_lost, lost=lost, target=like.target
    )


def _with_foreign_labels(claims: Sequence[JudgedClaim], name: str) -> list[JudgedClaim]:
    """Returns the claims with the labels of a foreign judge; those that it has none for are
    undecided, and so are those on which its rows contradict each other."""
    empty = Verdict(unit="", judge=name, status="undecided")
    units = [claim_id(claim.row) for claim in claims]
    given: defaultdict[str, set[str]] = defaultdict(set)
    for unit, claim in zip(units, claims, strict=True):
        if label := claim.row.foreign.get(name):
            given[unit] |= {label}
        else:
            given[unit] |= set()
    taken = {unit: next(iter(labels)) for unit, labels in given.items() if len(labels) == 1}
    verdicts = {u: replace(empty, status="ok", label=label) for u, label in taken.items()}
    return [
        replace(claim, verdict=verdicts.get(unit, empty))
        for unit, claim in zip(units, claims, strict=True)
    ]


def _beside_people(
    judge: str, claims: Sequence[JudgedClaim], score: Estimate, *, least: float, part: float
) -> JudgeBesidePeople:
    """Returns a judge's labels beside people's, and the score that these correct.

    Args:
        least: the share of the claims that must have a verdict for there to be a value.
        part: the share of the table's claims that these are.
    """
    labels = [claim.verdict.label for claim in claims]
    clusters = [claim.row.cluster for claim in claims]
    people = [claim.people_label for claim in claims]
    sides = zip(clusters, people, labels, strict=True)
    rows = []
    for cluster, theirs, ours in sides:
        if theirs:
            rows.append((cluster, theirs, ours))
    counts = label_counts(rows)
    table = table_of_judge(
        column_of_labels(judge, labels, SUPPORT_VALUES),
        {n: claim.people for n, claim in enumerate(claims) if claim.people is not None},
        clusters=clusters,
    )
    how = How(
        level=score.level,
        target=score.target,
        part=part,
        by_verdict=True,  # a column of labels does not say how its claims were drawn
    )
    corrected = correction_of(table, judge, how)
    labelled = share_observed(score.target, part * len(rows) / max(1, len(claims)))

    def balanced(pairs: Sequence[Labelled]) -> Estimate:
        accuracy = balanced_accuracy(pairs, level=score.level, least=least)
        return of_observed(accuracy, labelled)

    return JudgeBesidePeople(
        judge=judge,
        score=score,
        balanced_accuracy=balanced(over_two_sides(rows)) if rows else None,
        over_labels=balanced(rows) if len(counts) == 3 else None,
        labels=counts,
        correction=replace(corrected, judge_only=score) if rows and corrected else None,
    )


def _side(value: float | None) -> str | None:
    """Returns the label of a value that people gave; None where they gave none, or are divided."""
    if value is None or value == 0.5:
        return None
    if value > 0.5:
        return SUPPORTED
    return NOT_SUPPORTED


def _notes(results: ClaimResults, table: ClaimTable, judge: Judge) -> Iterator[str]:
    """Yields what is to be known of the results, a sentence each."""
    yield from results.cautions
    rows = results.rows
    undecided = []
    for row in rows:
        if row.verdict.status == "undecided":
            undecided.append(row.verdict.reason)
    if undecided:
        decided = sum(row.verdict.label is not None for row in rows)
        yield undecided_note(undecided, (decided, len(rows)), "claims", judge)
    for name in table.judges:
        labels = ((claim_id(row.row), row.row.place, row.row.foreign.get(name)) for row in rows)
        yield from contrary_note(name, labels)
    if table.are_responses and not rows and not results.left:
        yield "The responses state nothing that could be judged."
    if len(table.rows) < table.size:
        yield f"A random sample of {len(table.rows):,} of {table.size:,} rows was judged."
    counts = results.own.labels
    if CONTRADICTED not in counts and counts and results.score.by_label[CONTRADICTED]:
        yield (
            "People called no claim contradicted; balanced accuracy tells supported from not, and "
            "takes contradicted and not supported for the same."
        )
    if results.left:
        waiting = count(results.left, "claim or sentence waits", "claims or sentences wait")
        yield f"{waiting} to be judged, in no score."
