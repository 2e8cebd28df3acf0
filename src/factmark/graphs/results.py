"""The results of a judged graph: the record, and how it is made of pairs with their verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from statistics import fmean
from typing import Literal, overload

from factmark.ask.budget import Spend
from factmark.ask.judges.unit_judge import judge_noun
from factmark.evaluated.columns import column_of_labels
from factmark.evaluated.corrected import How, correction_of
from factmark.evaluated.table import table_of_judge
from factmark.graphs.core.claims import EvidenceMark, basis_of
from factmark.graphs.core.rubrics import SUPPORT_GENERAL
from factmark.graphs.core.scores import (
    LEAST_DECIDED,
    GraphScore,
    GraphScores,
    MeasureKey,
    VerdictColumns,
    graph_scores,
)
from factmark.graphs.judges import RULES_VERSION
from factmark.graphs.reading import GraphUnits
from factmark.graphs.triples.triples import graph_name
from factmark.label_values import label_values
from factmark.model import Estimate, Judge, Status, Target, hash_of_list
from factmark.report.result import Result
from factmark.stats.corrections import Correction
from factmark.stats.estimators import mean_by_design
from factmark.text.judge_notes import one_label_note
from factmark.text.shown_text import count, number, some
from factmark.version import __version__

SHOWN = 2_000  # units that a report shows one by one; the files have all rows


@dataclass(slots=True, kw_only=True)  # frozen, it takes three times as long
class GraphRow:
    """One row of the file with what its pair or triple was judged; several may share a unit. Not
    changed once it is made.

    Attributes:
        id: the user's name of the row, or its place in the file.
        claim: the triple in plain language.
        passage: None for validity.
        status: `open` where it is not judged yet.
        label: None where the status is not `ok`.
        marks: where head, tail and cue stand in the passage; may be empty, may overlap.
        truth: the label that is known to be right, in the bundled example; else None.
        place: where it stands in the file.
        unit: the id of what was judged.
        repeats: the id of the first row of the same unit, which is judged and counted once; empty
            of that row itself.
        given: the file's other columns.
    """

    id: str
    head: str
    relation: str
    tail: str
    claim: str
    passage: str | None
    status: Status | Literal["open"]
    label: str | None
    reason: str
    marks: tuple[EvidenceMark, ...] = ()
    truth: str | None = None
    place: str = ""
    passage_id: str = ""
    unit: str = ""
    repeats: str = ""
    given: Mapping[str, object] = field(default_factory=dict)


class RowsOnDemand(Sequence[GraphRow]):
    """Rows of a file that are made as they are gone through, each time anew: all of a large graph
    at once would take more memory than the graph.

    Args:
        n: how many there are.
        make: makes them, in the order of the file.
        have_more: whether any may have columns of the file that were not read.
    """

    def __init__(
        self, n: int, make: Callable[[], Iterator[GraphRow]], *, have_more: bool = True
    ) -> None:
        self._n = n
        self._make = make
        self.have_more = have_more

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, place: int) -> GraphRow: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[GraphRow]: ...

    def __getitem__(self, place: int | slice) -> GraphRow | Sequence[GraphRow]:
        if isinstance(place, slice):
            return list(self._make())[place]
        at = range(self._n)[place]
        return next(islice(self._make(), at, None))

    def __iter__(self) -> Iterator[GraphRow]:
        return self._make()


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphResults:
    """The measure of one graph by one judge.

    Attributes:
        scores: over pairs and unique triples, per relation and head type, with intervals.
        rows: every row of the file, in its order, those of one unit and those not judged too.
        left: units that stay to be judged, for want of budget; they are in no score.
        by_basis: the score of pairs with a passage and of those judged by general truth alone,
            where there are such.
        with_passages: whether a row of the file has one; no matter for validity.
        agreement: share of rows whose label is the known one, where the truth is known.
        correction: the score as people would have given it, where people labelled some units; over
            pairs, or for validity over unique triples.
        annotators: the people.
        sample: that a sample was judged, and of how many; empty where all was.
        whole: the score of the whole graph by the estimator of the sample's design, where a sample
            was judged.
        problems: what was wrong with the input, one sentence each.
        signature: how the numbers were made.
        profile: what the graph is like, where there is no score.
        mapping: which column was read as what, as a file that --mapping reads.
    """

    measure: MeasureKey
    graph: str
    judge: str
    scores: GraphScores
    rows: Sequence[GraphRow]
    by_basis: Mapping[str, GraphScore] = field(default_factory=dict)
    left: int = 0
    with_passages: bool = True
    agreement: float | None = None
    correction: Correction | None = None
    annotators: tuple[str, ...] = ()
    sample: str = ""
    whole: Estimate | None = None
    spent: Spend = field(default_factory=Spend)
    problems: tuple[str, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)
    profile: Result | None = None
    mapping: str = ""

    @property
    def units(self) -> Iterator[GraphRow]:
        """The first row of each judged unit, in the order of the file, one by one."""
        return (row for row in self.rows if row.status != "open" and not row.repeats)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What makes the score worth less than it looks."""
        return (*filter(None, [self.sample]), *cautions_of(self.judge, self.scores.main))


def cautions_of(judge: str, score: GraphScore) -> tuple[str, ...]:
    """Returns what makes a score worth less than it looks: that the judge gave every unit the same
    label."""
    return tuple(filter(None, [one_label_note(judge, score.by_label, score.n_units)]))


@dataclass(slots=True, kw_only=True)
class JudgedPairs:
    """The verdicts that the ledger holds of a graph.

    Attributes:
        pairs: every pair of the file that has a verdict.
        bases: what each pair is judged by where general truth may count, see `basis_of`.
        units: the ids of the judged units.
        places: the place of the first pair of each.
        rows: all rows of the file.
        undecided: why the rules decided nothing, of each such unit.
        agrees: whether a label is the known one, of each pair whose truth is known.
        strata: unit -> why it is suspect, where `factmark graph profile` has kept that: people may
            have labelled more of some.
    """

    pairs: VerdictColumns = field(default_factory=VerdictColumns)
    bases: list[str] = field(default_factory=list)
    units: Sequence[str] = ()
    places: Sequence[int] = ()
    rows: Sequence[GraphRow] = ()
    undecided: list[str] = field(default_factory=list)
    agrees: list[bool] = field(default_factory=list)
    strata: Mapping[str, str] = field(default_factory=dict)


def graph_results(
    graph: GraphUnits,
    judge: Judge,
    judged: JudgedPairs,
    people: tuple[Mapping[str, float], tuple[str, ...]],
    *,
    level: float,
    target: Target,
    spent: Spend,
    problems: Iterable[str],
) -> GraphResults:
    """Returns the results: scores and corrections of what is judged. Units without a verdict are in
    no score and are counted.

    Args:
        people: unit -> the value that people gave it, and who they are.
        target: what scores speak for: just these triples, or what made the graph.
    """
    source = graph.source
    scores_of = partial(
        graph_scores,
        source.measure,
        level=level,
        rubric=rubric_of(judge),
        target=target,
        part=_part_judged(graph, judged),
    )
    least = 0.0
    if judge.kind == "rule":
        least = LEAST_DECIDED
    scores = scores_of(judged.pairs, least=least)
    main = scores.main.estimate
    labels, annotators = people
    results = GraphResults(
        measure=source.measure,
        graph=graph_name(source.triples),
        judge=judge.name,
        scores=scores,
        rows=judged.rows,
        by_basis=_by_basis(judge, judged, scores_of),
        left=graph.size - len(judged.units),
        with_passages=any(triple.passage for triple, _, _ in graph.rows()) or not graph.size,
        agreement=fmean(judged.agrees) if judged.agrees else None,
        correction=_correction(graph, judged, labels, main),
        annotators=annotators,
        sample=_sample_note(graph),
        whole=_estimate_of_graph(graph, judged, main),
        spent=spent,
        signature=signature_of(
            source.measure,
            judge,
            limit=source.limit,
            sampling_seed=source.seed,
            level=level,
            target=target,
            triples=hash_of_list(judged.pairs.triples),
        ),
    )
    notes = tuple(_notes(graph, judged, results, judge, problems))
    return replace(results, problems=notes, mapping="\n".join(graph.problems.mapping[:1]))


def goes_by_truth(judge: Judge) -> bool:
    """Whether a judge was told that what is generally true supports a unit, too."""
    return judge.parameters.get("rubric_name") == SUPPORT_GENERAL.name


def rubric_of(judge: Judge) -> str:
    """Returns what the judge went by, in one word: a rubric, or a version of the rules or of a
    function."""
    if judge.kind == "foreign":
        return judge.name
    name = judge.parameters.get("rubric_name")
    source = judge.parameters.get("source")
    if source is None:
        version = RULES_VERSION
    else:
        version = str(source)[:12]
    return str(name or f"{judge.name}/{version}")


def _by_basis(
    judge: Judge, judged: JudgedPairs, scores_of: Callable[[VerdictColumns], GraphScores]
) -> Mapping[str, GraphScore]:
    """Returns the score of pairs with a passage and of those without; nothing where general truth
    does not count, or all have one."""
    if not goes_by_truth(judge) or basis_of(None) not in judged.bases:
        return {}
    return scores_of(replace(judged.pairs, relations=list(judged.bases))).by_relation


def _part_judged(graph: GraphUnits, judged: JudgedPairs) -> float:
    """Returns the share of a graph's units that was judged, or was to be and has no verdict; it is
    less where some were drawn, or are left."""
    drawn = graph.size / max(1, graph.n_to_draw)
    return min(1.0, drawn * len(judged.units) / max(1, graph.size))


def _sample_note(graph: GraphUnits) -> str:
    """Returns that a sample was drawn, how, and of how many triples; empty where all are judged."""
    if graph.size == graph.n_to_draw:
        return ""
    kind = {
        "random": "A random sample",
        "relation": "A random sample of each relation",
        "twcs": "A sample of heads by their size",
    }[graph.source.design]
    return f"{kind} was drawn: {graph.size:,} of {count(graph.n_to_draw, 'triple', 'triples')}."


def _heads_drawn_by_size(graph: GraphUnits) -> bool:
    """Whether heads were drawn by size, so that units do not weigh the same."""
    return graph.drawn is not None and graph.source.design == "twcs"


def _correction(
    graph: GraphUnits,
    judged: JudgedPairs,
    people: Mapping[str, float],
    main: Estimate,
) -> Correction | None:
    """Returns the score as people would have given it, beside the judge's own, `main`; None if they
    labelled nothing that was judged, or heads were drawn by size."""
    labels = {}
    for place, unit in enumerate(judged.units):
        if unit in people:
            labels[place] = people[unit]
    if not labels or _heads_drawn_by_size(graph):
        return None
    pairs = judged.pairs
    verdicts = [pairs.labels[place] for place in judged.places]
    table = table_of_judge(
        column_of_labels("judge", verdicts, label_values(graph.source.measure)),
        labels,
        clusters=[pairs.clusters[place] for place in judged.places],
        strata=[judged.strata.get(unit) for unit in judged.units],
    )
    how = How(
        level=main.level,
        target=main.target,
        part=_part_judged(graph, judged),
        by_verdict=True,  # a file of labels does not say how its units were drawn
        by_stratum=True,
    )
    corrected = correction_of(table, "judge", how)
    if corrected is None:
        return None
    estimate = replace(corrected.corrected, rubric=main.rubric)
    return replace(corrected, corrected=estimate, judge_only=main)


def _estimate_of_graph(graph: GraphUnits, judged: JudgedPairs, main: Estimate) -> Estimate | None:
    """Returns the mean of the whole graph by the sample's design; None if that is the score which
    is shown anyway."""
    if graph.drawn is None or main.value is None:
        return None
    worth = label_values(graph.source.measure)
    values = {}
    for unit, place in zip(judged.units, judged.places, strict=True):
        label = judged.pairs.labels[place]
        values[unit] = worth[label] if label else None
    whole = mean_by_design(graph.drawn, values, level=main.level)
    same = number(whole.value) == number(main.value)
    if same:
        return None
    return replace(whole, rubric=main.rubric)


def signature_of(measure: str, judge: Judge, **parts: object) -> dict[str, object]:
    """Returns how numbers were made: version, judge, and further parts by name."""
    signature = {
        "factmark": __version__,
        "measure": measure,
        "judge": judge.name,
        "judge_id": judge.id,
        **judge.parameters,
        **parts,
    }
    return dict(sorted(signature.items()))


def _notes(
    graph: GraphUnits,
    judged: JudgedPairs,
    results: GraphResults,
    judge: Judge,
    problems: Iterable[str],
) -> Iterator[str]:
    """Yields what is to be known of the results, a sentence each."""
    units = len(judged.units)
    yield from results.cautions
    if judged.undecided:
        decided = sum(judged.pairs.labels[at] is not None for at in judged.places)
        of_units = decided, units
        yield from _undecided_notes(graph.source.measure, judged.undecided, of_units, judge)
    yield from problems
    if units > SHOWN:
        yield f"The report shows the first {SHOWN} of {units} units; the files have all rows."
    if results.annotators and _heads_drawn_by_size(graph):
        yield "A TWCS sample is not corrected by people's labels; draw it at random instead."
    if results.left:
        yield f"{results.left} of {graph.size} units are not judged yet and in no score."


def _undecided_notes(
    measure: MeasureKey, reasons: Collection[str], of_units: tuple[int, int], judge: Judge
) -> Iterator[str]:
    """Yields what the judge left undecided and why, and for rules what to do about it."""
    yield undecided_note(reasons, of_units, "units", judge)
    decided, units = of_units
    if decided < LEAST_DECIDED * units and judge_noun(judge) == "The rules":
        more = "--ontology FILE"
        if measure == "factscore":
            more = '--wordings FILE, TOML with lines such as regulates = "{head} regulates {tail}",'
        yield (
            f"A score by rule needs {LEAST_DECIDED:.0%} of the units decided. Judge with a model "
            f"(--judge openai:MODEL, see docs/judges.md); {more} gives the rules more to go by."
        )


def undecided_note(
    reasons: Collection[str], of_units: tuple[int, int], nouns: str, judge: Judge
) -> str:
    """Returns how many units the judge left undecided, and why.

    Args:
        of_units: how many have a label, and how many there are; further ones may be unparsed.
    """
    counts: Counter[str] = Counter()
    names: dict[str, dict[str, None]] = {}
    for reason in reasons:
        kind, _, about = (reason or "without a reason").partition(": ")
        counts[kind] += 1
        names.setdefault(kind, {})[about] = None
    why = "; ".join(f"{n:,} {kind}{_first_names(names[kind])}" for kind, n in counts.most_common())
    decided = f"{of_units[0]:,} of {of_units[1]:,} {nouns}"
    return f"{judge_noun(judge)} decided {decided}. Left undecided: {why}."


def _first_names(names: Collection[str]) -> str:
    """Returns the first three names in brackets, and how many more there are; empty for none.

    >>> _first_names(["a", "b", "c", "d"])
    ' (a, b, c and 1 more)'
    """
    named = []
    for name in names:
        if name:
            named.append(name)
    if named:
        return f" ({some(named, 3)})"
    return ""
