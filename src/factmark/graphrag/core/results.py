"""What a report on the use of graphs for answering is made from, and how it is summed up. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from factmark import __version__
from factmark.ask.spend import Spend
from factmark.graphrag.core.outcomes import NONE, TEXT, VERIFIED, Outcome
from factmark.graphrag.core.scores import GraphRagScores, graphrag_score, graphrag_scores, holds
from factmark.model import content_hash
from factmark.stats import Comparison, Correction, LeaderBoard, correction, difference, leader_board
from factmark.stats.comparison import Options, Units
from factmark.stats.contest import adjusted

UNIT = "graphrag"
"""The kind of the units that are judged: an answer with its question and reference."""

UNITS = Options(per="unit")
"""How systems are compared: by the mean over all answers."""

FEWEST = 30
"""Questions below which a note says that there are few."""

_MANY_UNTOLD = 0.2  # share of questions of which retrieval cannot be told, from where on it is said


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSystem:
    """What answered: a graph by its name, or one of the controls `none` and `text`."""

    name: str
    kind: Literal["graph", "control"]

    @classmethod
    def of(cls, name: str) -> GraphSystem:
        """The system of that name."""
        return cls(name=name, kind="control" if name in (NONE, TEXT) else "graph")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRagResults:
    """Questions answered with graphs and without, judged by one judge.

    Attributes:
        systems: in the order of the report.
        scores: system -> its scores.
        comparisons: each graph as A with each control as B, paired by question, with Holm's p
            over them where there are several.
        board: of the graphs where there are two or more.
        options: how they were compared.
        corrections: system -> its score as people would have given it, where they labelled answers.
        annotators: the people.
        outcomes: every answer, in the order of systems and questions.
        model, judge: names of who answered and who judged.
        answering, judging: what these took.
        settings: top_k, hops, and what else decides what is retrieved and asked.
        problems: what a reader must know, one sentence each.
        signature: how the numbers were made.
    """

    systems: tuple[GraphSystem, ...]
    scores: Mapping[str, GraphRagScores]
    comparisons: tuple[Comparison, ...]
    board: LeaderBoard | None
    options: Options
    outcomes: tuple[Outcome, ...]
    model: str
    judge: str
    corrections: Mapping[str, Correction] = field(default_factory=dict)
    annotators: tuple[str, ...] = ()
    answering: Spend = field(default_factory=Spend)
    judging: Spend = field(default_factory=Spend)
    settings: Mapping[str, object] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)

    def of_run(
        self,
        *,
        answering: Spend | None = None,
        judging: Spend | None = None,
        settings: Mapping[str, object] | None = None,
        problems: Sequence[str] = (),
        signature: Mapping[str, object] | None = None,
    ) -> GraphRagResults:
        """With how the answers came about, see the attributes."""
        settings = settings or {}
        return replace(
            self,
            answering=answering or Spend(),
            judging=judging or Spend(),
            settings=settings,
            problems=(*problems, *self.problems),
            signature=dict(sorted({**self.signature, **settings, **(signature or {})}.items())),
        )

    def named(self, kind: Literal["graph", "control"]) -> list[str]:
        """The names of the graphs, or of the controls."""
        return [system.name for system in self.systems if system.kind == kind]


def summarise(
    outcomes: Sequence[Outcome],
    *,
    systems: Sequence[str],
    model: str,
    judge: str,
    options: Options = UNITS,
    rubric: str = "",
    people: Mapping[str, float] | None = None,
    annotators: Sequence[str] = (),
) -> GraphRagResults:
    """Scores, comparisons, leader board and corrections of all systems.

    Args:
        systems: in the order of the report; `none` and `text` are controls, all others graphs.
        model, judge: names; `rules` for rules.
        rubric: what the judge was asked, name and version.
        people: unit -> the mean of what people said of that answer, 0 to 1.

    Raises:
        ValueError: for a system named twice, an outcome of none of them, or two outcomes of the
            same system, question and sample.
    """
    by_system = _by_system(outcomes, systems)
    named = tuple(map(GraphSystem.of, systems))
    graphs = [system.name for system in named if system.kind == "graph"]
    controls = [system.name for system in named if system.kind == "control"]
    units = {name: paired_units(some) for name, some in by_system.items()}
    ordered = tuple(one for some in by_system.values() for one in some)
    corrections = {
        name: corrected(some, people or {}, level=options.level, rubric=rubric)
        for name, some in by_system.items()
    }
    return GraphRagResults(
        systems=named,
        scores={
            name: graphrag_scores(some, level=options.level, rubric=rubric)
            for name, some in by_system.items()
        },
        comparisons=tuple(_against(units, graphs, controls, options)),
        board=leader_board({name: units[name] for name in graphs}, options)
        if len(graphs) > 1
        else None,
        options=options,
        outcomes=ordered,
        model=model,
        judge=judge,
        corrections={name: made for name, made in corrections.items() if made is not None},
        annotators=tuple(annotators),
        problems=tuple(_problems(by_system, model, judge)),
        signature=_signature(ordered, options),
    )


def paired_units(outcomes: Sequence[Outcome]) -> Units:
    """Question -> itself -> the values of its answers, for `factmark.stats.difference`."""
    values: dict[str, list[float | None]] = {}
    for one in outcomes:
        values.setdefault(one.question.id, []).append(one.value)
    return {name: {name: some} for name, some in values.items()}


def corrected(
    outcomes: Sequence[Outcome],
    people: Mapping[str, float],
    *,
    level: float = 0.95,
    rubric: str = "",
) -> Correction | None:
    """The score of a system as people would have given it; None where they labelled none of it.

    Over the answers that were judged, with or without success; answers that never came have
    nothing to be labelled. Several answers to one question stay together. The judge alone is the
    score: over the answers that have a verdict, see `graphrag_score`.

    Args:
        people: unit -> the mean of what people said of it.
    """
    judged = [one for one in outcomes if one.unit and one.status != "left"]
    labels = {place: people[one.unit] for place, one in enumerate(judged) if one.unit in people}
    if not labels:
        return None
    repeated = max(Counter(one.question.id for one in judged).values()) > 1
    made = correction(
        [one.label for one in judged],
        labels,
        level=level,
        clusters=[one.question.id for one in judged] if repeated else None,
        judge_values=VERIFIED,
        by_verdict=True,  # labels do not say how their units were drawn
    )
    return replace(
        made,
        corrected=replace(made.corrected, rubric=rubric),
        judge_only=graphrag_score(outcomes, level=level, rubric=rubric).estimate,
    )


def _by_system(
    outcomes: Sequence[Outcome], systems: Sequence[str]
) -> dict[str, tuple[Outcome, ...]]:
    groups: dict[str, list[Outcome]] = {name: [] for name in systems}
    if len(groups) != len(systems):
        raise ValueError(f"a system is named twice: {list(systems)}")
    seen: set[tuple[str, str, int]] = set()
    for one in outcomes:
        key = (one.system, one.question.id, one.sample)
        if one.system not in groups:
            raise ValueError(f"an outcome of {one.system!r}, which is none of {list(systems)}")
        if key in seen:
            raise ValueError(f"two outcomes of system, question, sample {key}")
        seen.add(key)
        groups[one.system].append(one)
    return {name: tuple(some) for name, some in groups.items()}


def _against(
    units: Mapping[str, Units], graphs: Sequence[str], controls: Sequence[str], options: Options
) -> list[Comparison]:
    made = [
        difference(units[graph], units[control], names=(graph, control), options=options)
        for graph in graphs
        for control in controls
    ]
    return adjusted(made) if len(made) > 1 else made


def _problems(by_system: Mapping[str, Sequence[Outcome]], model: str, judge: str) -> Iterator[str]:
    if model == judge:
        yield (
            "Answers and verdicts are by rules, a baseline: the rules that read an answer out of a "
            "context and those that compare it with the reference both go by words. How well they "
            "read depends on how relations are named and how passages are written: a difference "
            "between systems, also between a graph and `text`, is one of the rules' reading too."
            if model == "rules"
            else f"{model} judges its own answers, and models tend to favour their own; judge "
            "with another, or label some by people."
        )
    questions = len({one.question.id for some in by_system.values() for one in some})
    if questions < FEWEST:
        yield f"Questions: {questions}, which is few; intervals are wide, and tests find little."
    left = sum(one.status == "left" for some in by_system.values() for one in some)
    if left:
        yield f"Answers not asked for or not judged yet: {left}; they are in no score."
    for name, some in by_system.items():
        untold = len({o.question.id for o in some if holds(o) is None and o.status != "left"})
        asked = len({one.question.id for one in some})
        if name != NONE and untold > _MANY_UNTOLD * asked:
            yield (
                f"{name}: of {untold} of {asked} questions it cannot be told whether the context "
                "holds the answer; retrieval accuracy and generation quality are over the others."
            )


def _signature(outcomes: Sequence[Outcome], options: Options) -> dict[str, object]:
    return {
        "factmark": __version__,
        "level": options.level,
        "resamples": options.resamples,
        "draws": options.draws,
        "seed": options.seed,
        "verdicts": content_hash(
            [(one.system, one.question.id, one.sample, one.status, one.label) for one in outcomes]
        ),
    }
