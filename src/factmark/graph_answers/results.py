"""What a run on the use of graphs for answering came to, and how it is summed up. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from factmark.ask.budget import Spend
from factmark.evaluated.columns import column_of_labels
from factmark.evaluated.corrected import How, correction_of
from factmark.evaluated.table import table_of_judge
from factmark.graph_answers.core.records import CONTROLS, NONE, RULES, VERIFIED, GraphAnswer
from factmark.graph_answers.core.scores import GraphRagScores, graphrag_score, graphrag_scores
from factmark.model import content_hash
from factmark.stats import Comparison, Correction, LeaderBoard, difference, leader_board
from factmark.stats.comparison import Options, Units
from factmark.stats.contest import with_holm
from factmark.text.judge_notes import one_label_note, own_work_note
from factmark.version import __version__

UNIT = "graphrag"
"""The kind of the units that are judged: an answer with its question and reference."""

UNITS = Options(per="unit")
"""How systems are compared: by the mean over all answers."""

FEWEST = 30
"""Questions below which a note says that there are few."""

_MANY_UNTOLD = 0.2  # share of questions of unknown retrieval, above which a note says so


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphragRun:
    """The answers of a run with their verdicts, and what it took; nothing that came in is missing.

    Attributes:
        answers: by system, question and sample.
        systems: in the order of the report; `none` and `text` are controls, all others graphs.
        model, judge: names of who answered and who judged; `rules` for rules.
        answering, judging, retrieval: what answers, verdicts on them and on contexts took; None
            where rules did it.
        unlooked: contexts that the judge was to look at and did not.
        problems: what a reader must know, one sentence each.
        settings: what decides what is retrieved and asked.
        rubric: what the judge was asked, name and version.
        signature: how it was made.
    """

    answers: Sequence[GraphAnswer]
    systems: Sequence[str]
    model: str
    judge: str
    answering: Spend | None = None
    judging: Spend | None = None
    retrieval: Spend | None = None
    unlooked: int = 0
    problems: Sequence[str] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    rubric: str = ""
    signature: Mapping[str, object] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether each answer came and was judged, and each context that was to be judged."""
        lost = any(answer.status in ("failed", "left") for answer in self.answers)
        return not lost and not self.unlooked

    @property
    def judged(self) -> Spend | None:
        """What judging answers and contexts took; None if rules did it."""
        if self.judging is None or self.retrieval is None:
            return self.judging
        return self.judging + self.retrieval


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRagResults:
    """Questions answered with graphs and without, judged by one judge.

    Attributes:
        scores: system -> its scores.
        comparisons: each graph as A with each control as B, paired by question, with Holm's p
            over them where there are several.
        board: of the graphs where there are two or more.
        options: how they were compared.
        corrections: system -> its score as people would have given it, where they labelled answers.
        annotators: the people.
        problems, signature: those of the run and of the comparison.
    """

    run: GraphragRun
    scores: Mapping[str, GraphRagScores]
    comparisons: tuple[Comparison, ...]
    board: LeaderBoard | None
    options: Options
    corrections: Mapping[str, Correction]
    annotators: tuple[str, ...]
    problems: tuple[str, ...]
    signature: Mapping[str, object]

    @property
    def cautions(self) -> tuple[str, ...]:
        """What makes the scores worth less than they look; they are among the problems."""
        return tuple(_cautions(self.run))

    @property
    def kinds(self) -> dict[str, str]:
        """System -> `graph` or `control`."""
        return {name: "control" if name in CONTROLS else "graph" for name in self.run.systems}


def summarise(
    run: GraphragRun,
    options: Options = UNITS,
    people: Mapping[str, float] | None = None,
    annotators: Sequence[str] = (),
) -> GraphRagResults:
    """Returns scores, comparisons, leader board and corrections of all systems.

    Args:
        people: unit -> the mean of what people said of that answer, 0 to 1.
    """
    groups = _answers_by_system(run)
    units = {name: paired_units(answers) for name, answers in groups.items()}
    graphs = [name for name in groups if name not in CONTROLS]
    pairs = []
    for graph in graphs:
        for control in groups:
            if control in CONTROLS:
                pairs.append(
                    difference(
                        units[graph], units[control], names=(graph, control), options=options
                    )
                )
    if len(pairs) > 1:
        pairs = list(with_holm(pairs))
    board = None
    if len(graphs) > 1:
        board = leader_board({name: units[name] for name in graphs}, options)
    corrections = {}
    for name, answers in groups.items():
        corrections[name] = corrected_score(
            answers, people or {}, level=options.level, rubric=run.rubric
        )
    signature = {
        "factmark": __version__,
        "level": options.level,
        "resamples": options.resamples,
        "draws": options.draws,
        "seed": options.seed,
        "verdicts": content_hash(
            [(a.system, a.question.id, a.sample, a.status, a.label) for a in run.answers]
        ),
    }
    return GraphRagResults(
        run=run,
        scores={
            name: graphrag_scores(group, level=options.level, rubric=run.rubric)
            for name, group in groups.items()
        },
        comparisons=tuple(pairs),
        board=board,
        options=options,
        corrections={name: each for name, each in corrections.items() if each is not None},
        annotators=tuple(annotators),
        problems=(*_cautions(run), *run.problems, *_problem_notes(groups, run.model, run.judge)),
        signature=dict(sorted({**signature, **run.settings, **run.signature}.items())),
    )


def _answers_by_system(run: GraphragRun) -> dict[str, list[GraphAnswer]]:
    """Returns the answers of each system."""
    groups: dict[str, list[GraphAnswer]] = {name: [] for name in run.systems}
    for answer in run.answers:
        groups[answer.system].append(answer)
    return groups


def paired_units(answers: Sequence[GraphAnswer]) -> Units:
    """Returns question -> itself -> the values of its answers, as `factmark.stats.difference` takes
    them."""
    units: dict[str, dict[str, list[float | None]]] = {}
    for answer in answers:
        name = answer.question.id
        units.setdefault(name, {name: []})[name].append(answer.value)
    return units


def corrected_score(
    answers: Sequence[GraphAnswer],
    people: Mapping[str, float],
    *,
    level: float = 0.95,
    rubric: str = "",
) -> Correction | None:
    """Returns the score of a system as people would have given it; None if they labelled none of
    its answers.

    Over the answers that were judged, with or without success; answers that never came have
    nothing to be labelled. Several answers to one question stay together. The judge alone is the
    score: over the answers that have a verdict, see `graphrag_score`.
    """
    judged = []
    for answer in answers:
        if answer.unit and answer.status != "left":
            judged.append(answer)
    labels = {}
    for at, answer in enumerate(judged):
        if answer.unit in people:
            labels[at] = people[answer.unit]
    table = table_of_judge(
        column_of_labels("judge", [answer.label for answer in judged], VERIFIED),
        labels,
        clusters=[answer.question.id for answer in judged],
    )
    how = How(level=level, by_verdict=True)  # labels do not say how their units were drawn
    correct = correction_of(table, "judge", how)
    if correct is None:
        return None
    return replace(
        correct,
        corrected=replace(correct.corrected, rubric=rubric),
        judge_only=graphrag_score(answers, level=level, rubric=rubric).estimate,
    )


def _cautions(run: GraphragRun) -> Iterator[str]:
    """Yields a caution if a model judges its own answers, and one if it gave all of them one label.

    Who says "I don't know" gives a judge nothing to tell apart. Of rules, which compare words
    with the reference, neither is told.
    """
    if run.judge == RULES:
        return
    yield from filter(None, [own_work_note(run.judge, {run.model: run.model}, "answers")])
    answers = []
    for answer in run.answers:
        if answer.unit and not answer.abstained:
            answers.append(answer)
    counts = Counter(answer.label for answer in answers if answer.label is not None)
    yield from filter(None, [one_label_note(run.judge, counts, len(answers))])


def _problem_notes(
    groups: Mapping[str, Sequence[GraphAnswer]], model: str, judge: str
) -> Iterator[str]:
    """Yields what a reader must know of the scores, a sentence each."""
    if model == judge == RULES:
        yield (
            "Answers and verdicts are by rules, a baseline: the rules that read an answer out of a "
            "context and those that compare it with the reference both go by words. How well they "
            "read depends on how relations are named and how passages are written: a difference "
            "between systems, also between a graph and `text`, is one of the rules' reading too."
        )
    questions = len({answer.question.id for group in groups.values() for answer in group})
    if questions < FEWEST:
        yield f"Questions: {questions}, which is few; intervals are wide, and tests find little."
    left = sum(answer.status == "left" for group in groups.values() for answer in group)
    if left:
        yield f"Answers not asked for or not judged yet: {left}; they are in no score."
    for name, group in groups.items():
        untold = len({a.question.id for a in group if a.held is None and a.status != "left"})
        asked = len({answer.question.id for answer in group})
        if name != NONE and untold > _MANY_UNTOLD * asked:
            yield (
                f"{name}: of {untold} of {asked} questions it cannot be told whether the context "
                "holds the answer; retrieval accuracy and generation quality are over the others."
            )
