"""The report on graphs that are used for answering, declared: first sentence, columns, figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from factmark.ask.budget import Spend
from factmark.files.flat_files import to_json_value
from factmark.graph_answers.cards import HELD, STRATA, TONES, Card, outcome_of, question_cards
from factmark.graph_answers.comparison_tables import board_tables, controls_table, correction_tables
from factmark.graph_answers.contexts import context_values, retrieved_texts
from factmark.graph_answers.core.records import NONE, RULES, TEXT, GraphAnswer
from factmark.graph_answers.core.scores import KIND
from factmark.graph_answers.results import GraphRagResults
from factmark.graph_answers.score_tables import (
    context_table,
    passages_table,
    scores_table,
    strata_table,
)
from factmark.graphs.published import accuracy_table, is_medical, published_figures
from factmark.model import Estimate, Measure
from factmark.report.charts import NO_VERDICT, BarChart, stacked_bar
from factmark.report.correction_tables import CORRECTED
from factmark.report.file_columns import FileColumn, attributes
from factmark.report.layouts import DataTable
from factmark.report.page import Figure, Filters, Page, spent_figures
from factmark.report.result import Result
from factmark.report.sentence import FirstSentence, aside, best_first, brackets, figures, lacking
from factmark.text.shown_text import count, named, one_line

GRAPHRAG = Measure(
    key="graphrag",
    symbol="accuracy",
    name="share of questions that a model answers correctly from the graph",
)
ANSWERS = 2_000
"""Answers that are shown one by one, in cards of a question each."""

_CONTROL_WORDS = {NONE: "without a graph", TEXT: "from passages alone"}
_LIMITS = (
    "The interval tells how much the score would vary with other questions of the same sort. It "
    "does not tell how often the judge is wrong; labels by people do.",
    "Whether a context holds the answer goes by the triples that the question names, where a graph "
    "has them, and else by the words of the reference answer: one in other words is missed, and "
    "the same words in another sense are taken for it.",
    "A correct answer whose context holds the answer may still come from what the model knew "
    "before.",
)

ROW_COLUMNS: tuple[FileColumn[GraphAnswer], ...] = (
    FileColumn(name="question", value=attrgetter("question.id")),
    *attributes("system"),
    *attributes("sample", type="BIGINT"),
    *attributes("kind", "text", of="question"),
    FileColumn(name="options", value=lambda answer: list(answer.question.options)),
    FileColumn(name="references", value=lambda answer: list(answer.question.references)),
    FileColumn(name="strata", value=lambda answer: dict(answer.question.strata)),
    *attributes("status", "label"),
    *attributes("value", type="DOUBLE"),
    *attributes("reason", "reply", "said"),
    *attributes("abstained", "held", type="BOOLEAN"),
    FileColumn(name="held_by", value=lambda answer: answer.held_by or None),
    *attributes("named", "reachable", of="given", type="BOOLEAN"),
    FileColumn(
        name="context",
        value=lambda answer: context_values(retrieved_texts(answer)),
        meaning="what was retrieved, as JSON, with the columns of --contexts from rank on",
        long=True,
    ),
    FileColumn(
        name="carriers",
        value=lambda answer: list(answer.given.carriers),
        meaning="places in the context, from 0, that hold the answer",
    ),
    FileColumn(name="linked", value=lambda answer: to_json_value(answer.given.linked)),
    *attributes("unit"),
)


def graphrag_report(results: GraphRagResults) -> Result:
    """Returns the result of questions answered with graphs and without, in all its forms."""
    run = results.run
    averages = {}
    for n, each in results.scores.items():
        averages[f"accuracy of {n}"] = each.overall.estimate
    for name, corrected in results.corrections.items():
        averages[f"{CORRECTED} of {name}"] = corrected.corrected
    return Result(
        measure=GRAPHRAG,
        subject=", ".join(_graphs(results)) or "no graph",
        judge=run.judge,
        averages=averages,
        tables=dict(_tables(results)),
        rows=run.answers,
        columns=ROW_COLUMNS,
        page=lambda: graphrag_page(results),
        sentence=first_sentence(results),
        next_step=_next_step(results),
        spent={name: spend.as_json() for name, _, spend in _spends(results)},
        problems=results.problems,
        signature=results.signature,
        figures=_figures(results),
        published=_published_names(results),
        details=results,
    )


def _graphs(results: GraphRagResults) -> list[str]:
    """Returns the names of the graphs, without the controls."""
    graphs = []
    for name, kind in results.kinds.items():
        if kind == "graph":
            graphs.append(name)
    return graphs


def _spends(results: GraphRagResults) -> Iterator[tuple[str, str, Spend]]:
    """Yields each work, who did it, and what it took."""
    run = results.run
    yield "answering", run.model, run.answering or Spend()
    yield "judging", run.judge, run.judged or Spend()


def first_sentence(results: GraphRagResults) -> FirstSentence:
    """Returns how many questions are answered correctly with each graph, the best first, and
    without one; as people would have judged, if they labelled answers of each system."""
    run = results.run
    scores = [each.overall for each in results.scores.values()]
    by_people = results.scores.keys() <= results.corrections.keys()
    systems = _systems_in_words(results, by_people=by_people)
    estimates = [estimate for _, estimate in systems]
    asked = max((score.num_queries for score in scores), default=0)
    sentence = f"Of {count(asked, 'question', 'questions')}, "
    if all(estimate.value is None for estimate in estimates):
        sentence += "none has an answer with a verdict, so there is no accuracy"
        return FirstSentence(sentence=f"{sentence}.", cautions=results.cautions)
    whose = ""
    if by_people:
        whose = "as people would judge, by their labels of some"
    who = f"answered by {named(run.model)}, judged by {named(run.judge)}"
    sentence += f"a share of {figures(systems, ' is answered correctly')}"
    sentence += aside(who, whose, brackets(*estimates))
    missing = sum(s.missing.total for s in scores)
    answers = sum(s.answers for s in scores)
    sentence += lacking(missing, answers, "answers without a verdict")
    return FirstSentence(sentence=f"{sentence}.", cautions=results.cautions)


def _systems_in_words(results: GraphRagResults, *, by_people: bool) -> list[tuple[str, Estimate]]:
    """Returns graphs, the best first, then controls, as the sentence names them, with accuracy."""
    graphs = []
    controls = []
    for name, kind in results.kinds.items():
        estimate = results.scores[name].overall.estimate
        if by_people:
            estimate = results.corrections[name].corrected
        if kind == "graph":
            graphs.append((f"with the graph {named(name)}", estimate))
        else:
            controls.append((_CONTROL_WORDS[name], estimate))
    return [*best_first(graphs), *best_first(controls)]


def _next_step(results: GraphRagResults) -> str:
    """Returns what makes the figures worth more: the rest, a model, or labels by people."""
    run = results.run
    if not run.complete:
        return "The same command goes on where it stopped."
    if run.model == RULES:
        return (
            "How a model does with the graph: --model ollama:MODEL; --dry-run says what it asks "
            "and costs."
        )
    if not results.corrections:
        return (
            "How far the judge can be trusted, labels by people tell: `factmark plan --ledger "
            "LEDGER --half-width 0.05 --sheet next.csv`."
        )
    return ""


def _tables(results: GraphRagResults) -> Iterator[tuple[str, DataTable]]:
    """Yields the tables with their names, those that there are, the first for the first screen."""
    yield "scores", scores_table(results)
    yield "context", context_table(results)
    passages = passages_table(results)
    if passages is not None:
        yield "passages", passages
    if results.comparisons:
        yield "controls", controls_table(results)
    yield from board_tables(results).items()
    for name, table in correction_tables(results).items():
        yield f"corrected {name}", table
    strata = strata_table(results)
    if strata is not None:
        yield "strata", strata


def _figures(results: GraphRagResults) -> dict[str, Any]:
    """Returns what results.json holds beside tables and rows."""
    run = results.run
    return {
        "model": run.model,
        "settings": run.settings,
        "systems": [{"name": name, "kind": kind} for name, kind in results.kinds.items()],
        "scores": results.scores,
        "comparisons": [
            {**to_json_value(pair), "told_apart": pair.told_apart} for pair in results.comparisons
        ],
        "leader_board": results.board,
        "corrections": results.corrections,
        "annotators": list(results.annotators),
        "published": published_figures("graphrag"),
    }


def _published_names(results: GraphRagResults) -> dict[str, Any]:
    """Returns the values that the published code gives, by its names; of several graphs none."""
    graphs = _graphs(results)
    if len(graphs) != 1:
        return {}
    score = results.scores[graphs[0]].overall
    return {
        "score": score.score,
        "retrieval_accuracy": score.retrieval_accuracy,
        "generation_quality": score.generation_quality,
        "overall_performance": score.overall_performance,
        "num_queries": score.num_queries,
        "correct_answers": score.correct_answers,
    }


def graphrag_page(results: GraphRagResults, *, answers: int = ANSWERS) -> Page:
    """Returns what the page shows: scores, chart, and a card for each of the first questions.

    Args:
        answers: how many are shown at most, with all systems of a question together. Scores and
            chart are over all.
    """
    run = results.run
    cards, total = question_cards(run.answers, answers)
    asked = count(total, "question", "questions")
    charts = []
    folded = {}
    if run.answers:
        charts.append(answer_chart(run.systems, run.answers))
    if _is_medical(run.answers):
        folded["Published figures of GraphMERT, for comparison"] = accuracy_table()
    before = {"answering": "Answered before", "judging": "Judged before"}
    return Page(
        template="graphrag.html",
        title="Is the graph useful?",
        lead=(
            f"{asked} answered by {run.model}, judged by {run.judge}",
            *(f"{name} {value}" for name, value in _shown_settings(run.settings)),
        ),
        figures=list(_large_figures(results)),
        stopped=" ".join(
            f"{work.capitalize()} stopped before the end: {spend.stopped.rstrip('.')}."
            for work, _, spend in _spends(results)
            if spend.stopped
        ),
        spent=[
            spent_figures(work.capitalize(), spend, model=model, before=before[work])
            for work, model, spend in _spends(results)
        ],
        charts=charts,
        folded=folded,
        cards=cards,
        total=total,
        filters=_filters(run.systems, cards),
        limits=_LIMITS,
        styles=("graph.css", "graphrag.css"),
        values={"kinds": results.kinds},
    )


def _is_medical(answers: Sequence[GraphAnswer]) -> bool:
    """Whether the triples that were found are of medicine, as those of the published figures."""
    contexts = (answer.given.context for answer in answers)
    facts = (fact for context in contexts if context is not None for fact in context.facts)
    return is_medical(fact.triple.relation for fact in facts)


def _large_figures(results: GraphRagResults) -> Iterator[Figure]:
    """Yields the accuracy of each graph and control, the numbers at the head of the page."""
    for name, kind in results.kinds.items():
        score = results.scores[name].overall
        is_graph = kind == "graph"
        yield Figure(
            name=name if is_graph else f"Control {name}",
            value=score.estimate,
            note=score.reasons.get("score", ""),
            main=is_graph,
        )


def _shown_settings(settings: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yields the settings that are set, with their names for people."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _shown_settings(value)
        elif value is not None:
            yield name.replace("_", " "), str(value)


def answer_chart(systems: Sequence[str], answers: Sequence[GraphAnswer]) -> BarChart:
    """Returns the chart of what became of all answers, also of those without a card."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in systems}
    for answer in answers:
        counts[answer.system][outcome_of(answer)] += 1
    seen = set[str]().union(*counts.values())
    return BarChart(
        caption="What became of the answers of each system; at the right, how many",
        label="What became of answers",
        tones={outcome: tone for outcome, tone in TONES.items() if outcome in seen},
        bars=tuple(stacked_bar(one_line(name), n, TONES) for name, n in counts.items()),
        note="In context: the reference answer is in what the system was given. Context "
        "not known: that cannot be told, or nothing was given.",
    )


def _filters(systems: Sequence[str], cards: Sequence[Card]) -> Filters:
    """Returns by what the cards of questions can be filtered."""
    answers = []
    for card in cards:
        answers.extend(card["answers"])
    verdicts = sorted({answer["verdict"] for answer in answers} - {NO_VERDICT})
    if any(answer["verdict"] == NO_VERDICT for answer in answers):
        verdicts.append(NO_VERDICT)
    contexts = {answer["context"] for answer in answers}
    choices = {
        "system": list(systems),
        "verdict": verdicts,
        "context": [name for name in HELD.values() if name in contexts],
    }
    for name in (KIND, *STRATA):
        values = set()
        for card in cards:
            for key, value in card["filters"]:
                if key == name:
                    values.add(value)
        choices[name] = sorted(values)
    flags: tuple[tuple[str, str], ...] = ()
    if any(answer["abstained"] for answer in answers):
        flags = (("abstained", "“I don’t know”"),)
    return Filters(
        singular="question",
        many="questions",
        text="h3, .meta, .answer, .facts-given, .reason",
        hint="in question, context, reply or reason",
        choices={name: values for name, values in choices.items() if values},
        flags=flags,
    )
