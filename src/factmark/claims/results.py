"""The results of judged claims: the record, and how it is made of rows with their verdicts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from factmark.ask.budget import Spend
from factmark.claims.core.beside_people import (
    JudgeBesidePeople,
    balanced_accuracy,
    label_counts,
    over_two_sides,
)
from factmark.claims.core.claim_rows import ClaimRow, claim_id
from factmark.claims.options import ClaimsOptions
from factmark.claims.reading import ClaimTable
from factmark.files.own_columns import FOREIGN
from factmark.graphs.core.scores import LEAST_DECIDED, GraphScore, VerdictColumns, graph_scores
from factmark.graphs.results import cautions_of, rubric_of, signature_of, undecided_note
from factmark.label_values import (
    CONTRADICTED,
    NOT_SUPPORTED,
    SUPPORT_LABELS,
    SUPPORT_VALUES,
    SUPPORTED,
)
from factmark.model import Estimate, Judge, Status, Verdict, content_hash
from factmark.stats.clusters import mean_over_clusters
from factmark.stats.corrections import correction
from factmark.tables.shown_text import count


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedClaim:
    """A row with its verdict.

    Attributes:
        label: None where the status is not `ok`.
        people: the value that people gave it: 1 where it is supported; None where they said
            nothing.
    """

    row: ClaimRow
    status: Status
    label: str | None
    reason: str
    people: float | None = None

    @property
    def people_label(self) -> str | None:
        """The label that people gave it, of those in a ledger supported or not; None where they
        gave none, or are divided."""
        return self.row.label or _side(self.people)

    @property
    def differs(self) -> bool:
        """Whether the judge says otherwise than people."""
        theirs, ours = self.people_label, self.label
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
        per_cluster: the mean of the clusters' scores (FActScore's own, where a cluster is a
            response).
        judges: the judge and the foreign ones, each beside people.
        rows: all that have a verdict, in the order of the table.
        left: claims, and sentences not split yet, that wait for budget; they are in no score.
        annotators: who labelled claims in the ledger.
        problems: what was wrong with the input, one sentence each.
        signature: how the numbers were made.
    """

    table: str
    judge: str
    score: GraphScore
    by_system: Mapping[str, GraphScore]
    by_cluster: Mapping[str, GraphScore]
    per_cluster: Estimate | None
    judges: tuple[JudgeBesidePeople, ...]
    rows: tuple[JudgedClaim, ...]
    left: int = 0
    annotators: tuple[str, ...] = ()
    spent: Spend = field(default_factory=Spend)
    problems: tuple[str, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)

    @property
    def own(self) -> JudgeBesidePeople:
        """The judge that judged here, beside people."""
        return self.judges[0]

    @property
    def cautions(self) -> tuple[str, ...]:
        """What makes the score worth less than it looks."""
        return cautions_of(self.judge, self.score)


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
    silent = given.foreign if given.foreign in table.judges else ""
    claims = tuple(_judged_claims(rows, verdicts, values, silent))
    least = LEAST_DECIDED if judge.kind == "rule" else 0.0
    rubric = rubric_of(judge)
    columns = _columns(claims, "cluster")
    score = graph_scores("factscore", columns, level=given.level, rubric=rubric, least=least).pairs
    by_system = _scores_by(claims, given.level, rubric, "system", "cluster")
    by_cluster = _scores_by(claims, given.level, rubric, "cluster", "place")
    with_mean = by_cluster and score.estimate.value is not None
    whole = len(table.rows) == table.size and not left
    judges = [_beside_people(judge.name, claims, given.level, least, score.estimate, whole)]
    for name in table.judges:
        if name == given.foreign:
            continue
        theirs = tuple(_with_foreign_labels(claims, name))
        scores = graph_scores("factscore", _columns(theirs, "cluster"), level=given.level)
        estimate = scores.pairs.estimate
        beside = _beside_people(name, theirs, given.level, 0.0, estimate, whole)
        judges.append(replace(beside, foreign=True))
    results = ClaimResults(
        table=table.name,
        judge=judge.name,
        score=score,
        by_system=by_system,
        by_cluster=by_cluster,
        per_cluster=_mean_of_clusters(claims, given.level) if with_mean else None,
        judges=tuple(judges),
        rows=claims,
        left=left + len(rows) - len(claims),
        annotators=annotators,
        spent=spent,
        signature=signature_of(
            "claims",
            judge,
            split=given.split,
            corpus=given.corpus and given.corpus.name,
            k=given.k if given.corpus else None,
            limit=given.limit,
            sampling_seed=given.seed,
            level=given.level,
            claims=content_hash([claim_id(claim.row) for claim in claims]),
        ),
    )
    return replace(results, problems=(*_notes(results, table, judge), *problems))


def _judged_claims(
    rows: Sequence[ClaimRow],
    verdicts: Mapping[str, Verdict],
    values: Mapping[str, float],
    silent: str,
) -> Iterator[JudgedClaim]:
    """Yields the rows that have a verdict, or that could not be split. What people say of a claim
    in one row, and nowhere otherwise, counts for rows of the same claim that have no label.

    Args:
        silent: the judge whose verdicts stand in the table itself; a row without one is undecided,
            for nobody will judge it. Empty where a judge is at work, who may come to it.
    """
    units = [claim_id(row) for row in rows]
    labels: defaultdict[str, set[str]] = defaultdict(set)
    for unit, row in zip(units, rows, strict=True):
        labels[unit] |= {row.label} if row.label else set()
    for unit, row in zip(units, rows, strict=True):
        theirs = row.label or (min(labels[unit]) if len(labels[unit]) == 1 else None)
        row = replace(row, label=theirs)
        people = SUPPORT_VALUES[row.label] if row.label else values.get(unit)
        if row.unsplit is not None:
            status, reason = row.unsplit
            yield JudgedClaim(row=row, status=status, label=None, reason=reason)
        elif (verdict := verdicts.get(unit)) is not None:
            yield JudgedClaim(
                row=row,
                status=verdict.status,
                label=verdict.label,
                reason=verdict.reason,
                people=people,
            )
        elif silent:
            reason = f"no verdict in the column {FOREIGN}{silent}"
            yield JudgedClaim(row=row, status="undecided", label=None, reason=reason, people=people)


def _with_foreign_labels(claims: Iterable[JudgedClaim], name: str) -> Iterator[JudgedClaim]:
    """Yields the claims with the labels of a foreign judge; those that it has none for are
    undecided."""
    for claim in claims:
        label = claim.row.foreign.get(name)
        yield replace(claim, label=label, status="ok" if label else "undecided", reason="")


def _columns(claims: Sequence[JudgedClaim], resampled: str, part: str = "") -> VerdictColumns:
    """Returns the verdicts on claims as scores count them: as FActScore* counts pairs.

    Args:
        resampled, part: fields of a row, such as cluster.
    """
    rows = [claim.row for claim in claims]
    return VerdictColumns(
        triples=[(row.place, "", "") for row in rows],
        clusters=[getattr(row, resampled) for row in rows],
        relations=[getattr(row, part) if part else "" for row in rows],
        statuses=[claim.status for claim in claims],
        labels=[claim.label for claim in claims],
        head_types=[""] * len(rows),
    )


def _scores_by(
    claims: Sequence[JudgedClaim], level: float, rubric: str, part: str, resampled: str
) -> dict[str, GraphScore]:
    """Returns the score of each part, in the table's order; none where there is one part, or as
    many as claims. Arguments as of `_columns`."""
    names = dict.fromkeys(getattr(claim.row, part) for claim in claims)
    if not 1 < len(names) < len(claims):
        return {}
    columns = _columns(claims, resampled, part)
    scores = graph_scores("factscore", columns, level=level, rubric=rubric).by_relation
    return {name: scores[name] for name in names}


def _mean_of_clusters(claims: Iterable[JudgedClaim], level: float) -> Estimate:
    """Returns the mean of the clusters' shares of supported claims."""
    tallies: defaultdict[str, list[float]] = defaultdict(list)
    lost: Counter[str] = Counter()
    for claim in claims:
        if claim.label is None:
            lost[claim.row.cluster] += 1
        else:
            tallies[claim.row.cluster].append(SUPPORT_VALUES[claim.label])
    only_lost = len(lost.keys() - tallies.keys())
    return mean_over_clusters(tallies, level=level, n_missing=only_lost, lost=lost)


def _beside_people(
    name: str,
    claims: Sequence[JudgedClaim],
    level: float,
    least: float,
    score: Estimate,
    whole: bool,
) -> JudgeBesidePeople:
    """Returns a judge's labels beside people's, and the score that these correct."""
    rows = [
        (claim.row.cluster, label, claim.label)
        for claim in claims
        if (label := claim.people_label) is not None
    ]
    people = {n: c.people for n, c in enumerate(claims) if c.people is not None}
    beside = JudgeBesidePeople(name=name, foreign=False, score=score, counts=label_counts(rows))
    if not rows:
        return beside
    every = beside.counts.keys() == set(SUPPORT_LABELS)
    corrected = correction(
        [claim.label for claim in claims],
        people,
        level=level,
        clusters=[claim.row.cluster for claim in claims],
        judge_values=SUPPORT_VALUES,
        population=whole,
        by_verdict=True,  # a column of labels does not say how its claims were drawn
    )
    return replace(
        beside,
        balanced=balanced_accuracy(over_two_sides(rows), level=level, least=least),
        over_labels=balanced_accuracy(rows, level=level, least=least) if every else None,
        correction=replace(corrected, judge_only=score),
    )


def _side(value: float | None) -> str | None:
    """Returns the label of a value that people gave; None where they gave none, or are divided."""
    if value is None or value == 0.5:
        return None
    return SUPPORTED if value > 0.5 else NOT_SUPPORTED


def _notes(results: ClaimResults, table: ClaimTable, judge: Judge) -> Iterator[str]:
    """Yields what is to be known of the results, a sentence each."""
    yield from results.cautions
    rows = results.rows
    if undecided := [row.reason for row in rows if row.status == "undecided"]:
        yield undecided_note(undecided, len(rows), "claims", judge)
    if table.are_responses and not rows and not results.left:
        yield "The responses state nothing that could be judged."
    if len(table.rows) < table.size:
        yield f"A random sample of {len(table.rows):,} of {table.size:,} rows was judged."
    counts = results.own.counts
    if CONTRADICTED not in counts and counts and results.score.by_label[CONTRADICTED]:
        yield (
            "People called no claim contradicted; balanced accuracy tells supported from not, and "
            "takes contradicted and not supported for the same."
        )
    if results.left:
        waiting = count(results.left, "claim or sentence waits", "claims or sentences wait")
        yield f"{waiting} to be judged, in no score."
