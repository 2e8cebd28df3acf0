"""The report on answers, declared: first sentence, figures, charts, page; its columns stand in
`row_columns`, its tables in `score_tables` and `run_tables`, its cards in `cards`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from factmark.answers.cards import AnswerCard, answer_cards, explain, mark_facts
from factmark.answers.core.averages import METRICS, Metric, overall_rows
from factmark.answers.core.instrument import bias_over_writers, own_errors, unseen
from factmark.answers.core.rows import RULES
from factmark.answers.core.system_gaps import error_by_rule
from factmark.answers.results import CorrectedSummary, Results, Summary
from factmark.answers.row_columns import answer_columns
from factmark.answers.run_tables import run_tables
from factmark.answers.score_tables import in_order, score_tables
from factmark.files.flat_files import to_json_value
from factmark.model import Estimate
from factmark.report.charts import Dot, DotChart, DotPanel, dot_of
from factmark.report.page import Filters, Page
from factmark.report.result import Result
from factmark.report.sentence import (
    FirstSentence,
    aside,
    best_first,
    brackets,
    figure,
    figures,
    lacking,
)
from factmark.text.judge_notes import own_work_note
from factmark.text.shown_text import NO_VALUE, count, one_line

_SCALE = "1 is all of the ground truth and nothing else"
_LIMITS = (
    "Polarity is not judged: “distribution is not permitted” contains the fact “distribution”. "
    "Whether an answer says yes or no is recorded beside its facts and does not enter C, H or S.",
    "Matching compares words. Synonyms and other spellings of an element do not count as covering "
    "it.",
    "A fact that is true but that the question did not ask for is not in the ground truth, and so "
    "counts in H.",
)
_LIMIT_OF_RUNS = (
    "An element of G counts as retrieved where its words stand in a row in what the model was "
    "given. A count may stand there by chance; a name in other words is not found."
)
_FLAGS = {
    "review": "no fact, to be looked at",
    "unsaid": "elements retrieved, not said",
    "failed": "failed tool calls",
    "abstained": "nothing to check",
}


def answers_report(results: Results) -> Result:
    """Returns the result of scored answers in all its forms."""
    return Result(
        measure=METRICS["combined_score"],
        subject=results.benchmark,
        judge=str(results.signature.get("judge", "")),
        averages=_averages(results),
        tables={**score_tables(results), **run_tables(results)},
        rows=(*results.answers, *results.unscored),
        columns=answer_columns(results),
        page=lambda: _page(results),
        sentence=first_sentence(results),
        next_step=_next_step(results),
        problems=results.problems,
        signature=results.signature,
        figures=_figures(results),
        published=_published_names(results),
        details=results,
    )


def _averages(results: Results) -> dict[str, Estimate]:
    """Returns C, H and S of each system by the judge, then as people would have scored."""
    overall = overall_rows(results.summaries)
    averages = {}
    for prefix, rows in (("", overall), ("corrected ", results.corrections)):
        for row in rows:
            names = ", ".join(filter(None, (row.model, row.condition)))
            system = ""
            if names and len(overall) > 1:
                system = f" of {names}"
            for metric in METRICS.values():
                averages[f"{prefix}{metric.symbol}{system}"] = metric.estimate(row)
    return averages


def _published_names(results: Results) -> dict[str, Any]:
    """Returns C, H and S by the names of the published harness, where there is one system."""
    overall = overall_rows(results.summaries)
    if len(overall) != 1:
        return {}
    names = {}
    for key, metric in METRICS.items():
        names[key] = metric.estimate(overall[0]).value
    return names


def _next_step(results: Results) -> str:
    """Returns what makes the figures worth more: the missing answers, or marks by people."""
    if any(row.why.status in ("failed", "left") for row in results.unscored):
        return "The same command asks for what is missing."
    if results.signature.get("judge") != RULES or results.corrections:
        return ""
    return (
        "How far the rules are off here, people's marks tell: `factmark plan --answers FOLDER "
        "--sheet marks.csv` draws 40 answers of each system, and `factmark report FOLDER --people "
        "marks.csv` corrects by them; FOLDER is what --out names."
    )


def _figures(results: Results) -> dict[str, Any]:
    """Returns what results.json holds beside tables and rows: all estimates whole."""
    differences = []
    for row in results.differences:
        differences.append(
            {
                **{"between": row.between, "of": row.of, "score": row.score},
                **to_json_value(row.comparison),
                "told_apart": row.comparison.told_apart,
            }
        )
    parts = {
        "averages": results.summaries,
        "corrected": results.corrections,
        "agreement": results.agreement,
        "by_rows": results.by_rows,
        "asserted": results.asserted,
        "instrument": _instrument(results),
        "runs": results.runs,
        "differences": differences,
    }
    return {name: part for name, part in parts.items() if part}


def _instrument(results: Results) -> dict[str, Any]:
    """Returns what the rules are off by in new domains, over writers, and on the answers that
    people marked; nothing where others found the facts."""
    if results.signature.get("judge") != RULES:
        return {}
    measured = unseen()["domain"]
    return {
        "rules": measured["rules"],
        "error": error_by_rule(results),
        "truths": measured["truths"],
        "bias_over_writers": {key: list(ends) for key, ends in bias_over_writers().items()},
        "marked": {
            key: {"bias": own.bias, "error": own.error} for key, own in own_errors(results).items()
        },
    }


# The first sentence


def first_sentence(results: Results) -> FirstSentence:
    """Returns the combined score of each model and condition, the best first; of a single one C and
    H too. They are as people would have scored, where people marked answers of each."""
    overall = overall_rows(results.summaries)
    corrected = {}
    for row in results.corrections:
        corrected[(row.model, row.condition)] = row
    rows: Sequence[Summary | CorrectedSummary] = overall
    by = ""
    if overall and {(row.model, row.condition) for row in overall} <= corrected.keys():
        rows = [corrected[row.model, row.condition] for row in overall]
        by = "as people would score them, "
    questions = max((row.n_questions for row in overall), default=0)
    missing = sum(row.n_missing for row in overall)
    asked = sum(row.n_questions for row in overall)
    lack = lacking(missing, asked, "answers missing")
    answered = ""
    if len(overall) == 1 and lack and missing < asked:
        answered = f"{asked - missing:,} of "
    words = f"On {answered}{count(questions, 'question', 'questions')} {_scores(rows, by)}{lack}."
    models = (row.model for row in overall)
    return FirstSentence(sentence=words, cautions=own_answers_cautions(results.signature, models))


def own_answers_cautions(signature: Mapping[str, object], models: Iterable[str]) -> tuple[str, ...]:
    """Returns a caution for a model that finds the facts in its own answers; none where none does.

    Args:
        signature: of the results: who found the facts, and in a run which model each name is.
        models: what the models are called whose answers these are.
    """
    judge: Any = signature.get("judge_model") or ""
    known: Any = signature.get("models") or {}
    names = {}
    for name in models:
        names[name] = str(known.get(name, {}).get("model", name))
    note = own_work_note(str(judge), names, "answers")
    if note:
        return (note,)
    return ()


def _scores(rows: Sequence[Summary | CorrectedSummary], by: str) -> str:
    """Returns the scores of all systems in words, C and H too where there is one system."""
    models = list(dict.fromkeys(row.model for row in rows))
    model = ""
    if len(models) == 1:
        model = one_line(models[0])
    systems = []
    for row in rows:
        systems.append((_system_in_words(row, several=not model), row.combined_score))
    scores = best_first(systems)
    if all(estimate.value is None for _, estimate in scores):
        return "there is no score, since no answer could be scored"
    scored = "the answers score"
    whose = "they"
    if model:
        scored = f"{model} scores"
        whose = "its answers"
    scored += f" {figures(scores, ' of 1')}"
    if len(scores) > 1:
        return scored + aside(f"{by}S: {_SCALE}", brackets(*(estimate for _, estimate in scores)))
    complete, invented, combined = (metric.estimate(rows[0]) for metric in METRICS.values())
    return (
        f"{scored}: {whose} say {figure(complete)} of the ground truth, and of what they state "
        f"{figure(invented)} is not in it"
        f"{aside(f'{by}S, C and H', brackets(complete, invented, combined))}"
    )


def _system_in_words(row: Summary | CorrectedSummary, *, several: bool) -> str:
    """Returns what stands behind a system's figure: `by MODEL`, where there are several models, and
    `under CONDITION`."""
    words = []
    if several and row.model:
        words.append(f"by {one_line(row.model)}")
    if row.condition:
        words.append(f"under {one_line(row.condition)}")
    return " ".join(words)


# The page


def _page(results: Results) -> Page:
    """Returns what the page shows: the charts of averages, and a card for each scored answer."""
    cards, passages = answer_cards(results)
    charts = []
    if results.summaries:
        charts.append(averages_chart(results))
    limits = list(_LIMITS)
    styles = []
    of_runs = run_tables(results)
    if of_runs:
        limits.append(_LIMIT_OF_RUNS)
    if of_runs or any(card.trace for card in cards):
        styles.append("runs.css")
    return Page(
        template="answers.html",
        title="Answers against the ground truth",
        lead=_lead(results),
        charts=charts,
        hidden_tables=tuple(of_runs),
        cards=cards,
        filters=_filters(results, cards),
        limits=limits,
        styles=styles,
        values={
            "unscored": results.unscored,
            "metrics": tuple(METRICS.values()),
            "run_tables": tuple(of_runs.values()),
            "passages": passages,
            "several_models": len(_distinct(results, "model")) > 1,
            "explain": explain,
            "mark_facts": mark_facts,
        },
    )


def _distinct(results: Results, name: str) -> list[str]:
    """Returns the models or the conditions of the scored answers, each once."""
    return list(dict.fromkeys(getattr(row.answer, name) for row in results.answers))


def _lead(results: Results) -> list[str]:
    """Returns what was scored, part by part."""
    answers = count(len(results.answers), "answer", "answers")
    asked = len({row.question.query_id for row in results.answers})
    questions = count(asked, "question", "questions")
    lead = [f"Benchmark {results.benchmark}", f"{answers} to {questions}"]
    models = _distinct(results, "model")
    conditions = _distinct(results, "condition")
    if len(conditions) > 1:
        lead.append(f"{len(conditions)} conditions")
    if len(models) > 1:
        lead.append(f"{len(models)} models")
    elif any(models):
        lead.append(models[0])
    return lead


def _filters(results: Results, cards: Sequence[AnswerCard]) -> Filters:
    """Returns by what the cards of answers can be filtered and sorted."""
    flags = [("hallucinated", "hallucinations"), ("missing", "missing elements")]
    for name, meaning in _FLAGS.items():
        if any(card.has(name) for card in cards):
            flags.append((name, meaning))
    return Filters(
        singular="answer",
        many="answers",
        text="h3, .meta, .answer, .missing bdi",
        hint="in question or answer",
        choices={
            "category": list(dict.fromkeys(row.question.category for row in results.answers)),
            "condition": _distinct(results, "condition"),
            "model": _distinct(results, "model"),
        },
        orders=(("question", "question"), ("low", "S, lowest first"), ("high", "S, highest first")),
        score="S",
        flags=tuple(flags),
    )


def averages_chart(results: Results) -> DotChart:
    """Returns the chart of averages by category: a panel per metric, in it a dot per system."""
    parts = ""
    if len(_distinct(results, "condition")) > 1:
        parts = " and condition"
    by = ""
    if results.corrections:
        by = ", by the judge, uncorrected"
    panels = []
    for metric in METRICS.values():
        groups = _dots_by_category(in_order(results.summaries), metric)
        panels.append(
            DotPanel(symbol=metric.symbol, name=metric.name, better=metric.better, groups=groups)
        )
    caption = f"Averages per category{parts}, with their intervals{by}"
    return DotChart(caption=caption, panels=tuple(panels))


def _dots_by_category(
    summaries: Sequence[Summary], metric: Metric
) -> dict[str, dict[str, list[Dot]]]:
    """Returns category -> model -> dots; the model is empty where there is one, or where dots are
    called by it."""
    by_model = len({summary.condition for summary in summaries}) == 1
    label = attrgetter("model" if by_model else "condition")
    several = not by_model and len({summary.model for summary in summaries}) > 1
    series = {name: place for place, name in enumerate(dict.fromkeys(map(label, summaries)))}
    groups: dict[str, dict[str, list[Dot]]] = {}
    for summary in summaries:
        part = ""
        if several:
            part = summary.model
        name = label(summary) or summary.condition or NO_VALUE
        dot = dot_of(metric.estimate(summary), name, series[label(summary)])
        groups.setdefault(summary.category, {}).setdefault(part, []).append(dot)
    return groups
