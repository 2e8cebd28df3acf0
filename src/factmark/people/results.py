"""The results of a campaign: from the ledger to the numbers, and as files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from factmark.campaign_model import Campaign, Marking, ProtocolOf, Revision, Shown
from factmark.errors import InputError
from factmark.files.flat_files import csv_text, json_text, to_json_value, write_parquet
from factmark.files.text_files import without_surrogates, write_text
from factmark.ledger.campaigns import campaign_named, pairs_of_kind, pairs_shown, tasks_of
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.ratings import labels_by_people, refused_of, revisions_of
from factmark.ledger.verdicts import (
    items_of,
    judge_id_of,
    judges_in_words,
    judges_of,
    labelled_units,
)
from factmark.model import Item, Unit
from factmark.people.core.forms import FACTS
from factmark.people.core.scales import form_of
from factmark.people.imports.other_labels import with_other_labels
from factmark.people.ratings.agreement import JudgeLabels
from factmark.people.ratings.campaign_tables import (
    campaign_opening,
    campaign_tables,
    comments_table,
)
from factmark.people.ratings.entries import (
    RatedTask,
    RatedUnit,
    Scoring,
    entries_of,
    finer_rating,
    worth,
)
from factmark.people.ratings.results import CampaignResults, rate_campaign
from factmark.stats.comparison import Options


def campaign_results(
    path: Path,
    campaign: str | None = None,
    *,
    protocol_of: ProtocolOf,
    judges: Sequence[str] = (),
    names: bool = False,
    options: Options | None = None,
) -> CampaignResults:
    """Reads a campaign of a ledger, and what judges said of the same kind of units.

    Args:
        campaign: its name; None for the only one.
        judges: names or beginnings of ids; all rules and models where there are none.
        names: whether annotators are called by their names.

    InputError: it has no such campaign or no such judge.
    """
    with open_existing(path, read_only=True) as ledger:
        chosen = campaign_named(ledger, campaign)
        everybody, entries = all_entries(ledger, chosen, protocol_of)
        return rate_campaign(
            everybody,
            entries,
            judges=judge_labels(path, ledger, chosen, judges),
            refused=Counter(refusal.reason for refusal in refused_of(ledger, chosen)),
            names=names,
            options=options,
        )


def all_entries(
    ledger: Ledger, campaign: Campaign, protocol_of: ProtocolOf
) -> tuple[Campaign, tuple[RatedTask, ...]]:
    """All that people said of a campaign's units: its annotators' answers, and labels that came
    into the ledger otherwise; with the campaign of everybody who gave any."""
    tasks = tasks_of(ledger, campaign)
    shown = {task.assignment.unit: task.shown for task in tasks}
    units = rated_units(ledger, campaign, shown, protocol_of)
    entries = entries_of(tasks, revisions_of(ledger, campaign), units)
    if not form_of(campaign).values:
        return campaign, entries
    labels = labels_by_people(ledger, campaign)
    everybody, everything, _ = with_other_labels(campaign, entries, units, labels)
    return everybody, everything


def campaign_json(results: CampaignResults) -> dict[str, Any]:
    """Results as JSON values; each rating is in ratings.csv instead."""
    form, agreement = results.form, results.agreement
    return {
        "campaign": results.campaign,
        "form": form.name,
        "annotators": [
            {"name": results.called(annotator.code), **to_json_value(annotator)}
            for annotator in results.annotators
        ],
        "scores": [
            {**to_json_value(score), "measure": score.measure.key, "top": score.measure.top}
            for score in results.scores
        ],
        "shares": to_json_value(results.shares),
        "boards": to_json_value(results.boards),
        "agreement": agreement and {"scale": form.scale, "all": to_json_value(agreement)},
        "comments": comments_table(results).rows(),
        "judges": to_json_value(results.judges),
        "refused": dict(results.refused),
        "settings": dict(results.settings),
        "problems": list(results.problems),
        "signature": dict(results.signature),
    }


Revised = tuple[RatedTask, Revision]


def _rating_columns(results: CampaignResults) -> dict[str, tuple[str, Callable[[Revised], Any]]]:
    """Name -> type in Parquet and value of the columns of ratings; of marks also the scores."""
    form = results.form

    def finer(row: Revised) -> float | None:
        return finer_rating(form, row[1].response.label, row[1].response.comment)

    def marks(row: Revised) -> str | None:
        marking = row[1].response.marking
        return None if marking is None else json_text(to_json_value(marking))

    def score(scoring: Scoring) -> Callable[[Revised], Any]:
        return lambda row: worth(scoring, row[1], row[0].unit)

    return {
        "annotator": ("VARCHAR", lambda row: results.called(row[0].assignment.annotator)),
        "batch": ("BIGINT", lambda row: row[0].assignment.batch),
        "position": ("BIGINT", lambda row: row[0].assignment.position),
        "document": ("VARCHAR", lambda row: row[0].assignment.document),
        "system": ("VARCHAR", lambda row: row[0].unit.system),
        "unit": ("VARCHAR", lambda row: row[0].assignment.unit),
        "label": ("VARCHAR", lambda row: row[1].response.label),
        "value": ("DOUBLE", lambda row: form.values.get(row[1].response.label or "")),
        "finer": ("DOUBLE", finer),
        "first": ("BOOLEAN", lambda row: row[1] is row[0].first),
        "final": ("BOOLEAN", lambda row: row[1] is row[0].final),
        "seconds": ("DOUBLE", lambda row: row[1].seconds),
        "at": ("VARCHAR", lambda row: row[1].at),
        "source": ("VARCHAR", lambda row: row[1].source),
        "comment": ("VARCHAR", lambda row: row[1].response.comment),
        "marks": ("VARCHAR", marks),
        **{
            scoring.measure.key: ("DOUBLE", score(scoring))
            for scoring in results.scorings
            if scoring.measure.reads != "value"
        },
    }


def rating_rows(results: CampaignResults) -> list[dict[str, Any]]:
    """One flat row per revision; `finer` is what a comment says, and in no value."""
    columns = _rating_columns(results)
    return [
        {name: _tidy(value((entry, revision))) for name, (_, value) in columns.items()}
        for entry in results.entries
        for revision in entry.revisions
    ]


def _tidy(value: Any) -> Any:
    return without_surrogates(value) if isinstance(value, str) else value


def write_campaign_results(results: CampaignResults, folder: Path) -> list[Path]:
    """Writes results.json, ratings.csv and .parquet, tables as .md, .tex and .csv, report.html.

    Tables as CSV are one file each: systems.csv, annotators.csv, pairs.csv, ...
    """
    from factmark.people.ratings.campaign_html import render_campaign_html
    from factmark.tables.latex import latex_table
    from factmark.tables.layouts import markdown_report

    tables, rows = campaign_tables(results), rating_rows(results)
    columns = {name: kind for name, (kind, _) in _rating_columns(results).items()}
    value = json_text(campaign_json(results), indent=1)
    texts = {
        "results.json": without_surrogates(value) + "\n",
        "ratings.csv": csv_text(rows, list(columns)),
        "tables.md": markdown_report(campaign_opening(results), tables.values()),
        "tables.tex": "\n".join(
            latex_table(table) for name, table in tables.items() if name != "comments"
        ),
        **{
            f"{name}.csv": csv_text(
                table.rows(),
                table.record_names,
            )
            for name, table in tables.items()
        },
        "report.html": render_campaign_html(results),
    }
    for name, text in texts.items():
        write_text(folder / name, text)
    write_parquet(folder / "ratings.parquet", rows, columns)
    return [*(folder / name for name in texts), folder / "ratings.parquet"]


def rated_units(
    ledger: Ledger, campaign: Campaign, shown: dict[str, Shown], protocol_of: ProtocolOf
) -> dict[str, RatedUnit]:
    """The units that a campaign asks about, as results see them, by their ids."""
    marked = campaign.form == FACTS.name
    score_marks = protocol_of(FACTS.kind).score_marks if marked else None
    return {
        unit.id: rated_unit(item, unit, shown[unit.id], score_marks)
        for item, unit in pairs_shown(ledger, campaign)
        if unit.id in shown
    }


def rated_unit(
    item: Item, unit: Unit, shown: Shown, score_marks: Callable[..., Any] | None = None
) -> RatedUnit:
    """A unit as results see it; `score_marks` says what marks in an answer come to."""
    start, end = shown.marked or (0, len(shown.text))
    data = unit.data
    return RatedUnit(
        id=unit.id,
        cluster=item.cluster,
        system=str(data.get("system") or ""),
        part=str(data.get("summary") or "") if shown.marked else "",
        text=shown.text[start:end],
        evidence=shown.evidence,
        order=start,
        score_marks=score_marks and partial(score_marks, unit.text, shown.elements),
    )


def judge_labels(
    path: Path, ledger: Ledger, campaign: Campaign, wanted: Sequence[str]
) -> list[JudgeLabels]:
    """What rules and models said of the form's kind of units."""
    kind = form_of(campaign).kind
    known = judges_of(ledger)
    machines = [judge for judge in known if judge.kind != "person"]
    if wanted:
        ids = [judge_id_of(path, name, known) for name in dict.fromkeys(wanted)]
        if people := [judge for judge in known if judge.id in ids and judge.kind == "person"]:
            raise InputError(
                f"--judge {people[0].name}: is a person. Take a rule or a model: "
                f"{judges_in_words(machines)}. `factmark agree` compares people."
            )
        machines = [judge for judge in machines if judge.id in ids]
    systems = {unit.id: unit.data.get("system") for _, unit in pairs_of_kind(ledger, kind)}
    out = []
    for judge in machines:
        verdicts = labelled_units(ledger, judge.id, kind)
        if not verdicts.units and wanted:
            raise InputError(f"--judge {judge.name}: it judged no units of the kind {kind!r}.")
        out.append(
            JudgeLabels(
                id=judge.id,
                kind=judge.kind,
                name=without_surrogates(judge.name),
                units=verdicts.units,
                labels=verdicts.labels,
                clusters=verdicts.clusters,
                people=verdicts.people,
                systems=[str(systems[unit] or "") for unit in verdicts.units],
            )
        )
    return out


_FIELDS = ("id", "query_id", "question", "ground_truth", "condition", "model", "answer")


def write_annotated(
    ledger: Ledger, campaign: Campaign, path: Path, protocol_of: ProtocolOf, *, codes: bool = False
) -> int:
    """Writes the newest marks of every marked answer as JSON Lines; returns how many answers.

    A row holds the answer, and under each annotator's name (or code) what that one marked, ticked
    and said of it, with the C, H and S that follow. `factmark score --people` and `--annotations`
    read it; they match the facts with G by the rules.
    """
    revisions = revisions_of(ledger, campaign)
    marked: dict[str, dict[str, Revision]] = {}
    truths: dict[str, tuple[str, ...]] = {}
    for task in tasks_of(ledger, campaign):
        last, about = revisions.get(task.key, [None])[-1], task.assignment
        if last and last.response.marking is not None:
            marked.setdefault(about.unit, {})[about.annotator] = last
            truths[about.unit] = task.shown.elements
    score_marks = protocol_of(FACTS.kind).score_marks
    names = {
        annotator.code: annotator.code if codes or annotator.name in _FIELDS else annotator.name
        for annotator in campaign.annotators
    }
    lines = []
    pairs = {unit.id: (item, unit) for item, unit in pairs_shown(ledger, campaign)}
    questions = items_of(ledger, {item.cluster for item, _ in pairs.values()})
    for unit, answers in marked.items():
        item, answer = pairs[unit]
        question = questions.get(item.cluster)
        row = _answer(item, answer, question.data if question else {}, truths[unit])
        for annotator in campaign.annotators:
            if annotator.code in answers:
                score = partial(score_marks, row["answer"], truths[unit])
                row[names[annotator.code]] = _marks(row["answer"], score, answers[annotator.code])
        lines.append(without_surrogates(json_text(row)) + "\n")
    write_text(path, "".join(lines))
    return len(lines)


def write_marks(
    path: Path, results: CampaignResults, folder: Path, protocol_of: ProtocolOf, *, names: bool
) -> list[Path]:
    """Writes annotated.jsonl where a campaign of a ledger has marked answers; what was written."""
    if results.form.values or not any(annotator.n_answered for annotator in results.annotators):
        return []
    target = folder / "annotated.jsonl"
    with open_existing(path, read_only=True) as ledger:
        campaign = campaign_named(ledger, results.campaign)
        write_annotated(ledger, campaign, target, protocol_of, codes=not names)
    return [target]


def _answer(
    item: Item, unit: Unit, asked: Mapping[str, Any], truth: Sequence[str]
) -> dict[str, Any]:
    about = item.data
    return {
        "id": about.get("id") or unit.id,
        "query_id": about.get("query_id") or asked.get("query_id") or "",
        "question": asked.get("text", ""),
        "ground_truth": list(truth),
        "condition": about.get("condition", ""),
        "model": about.get("model", ""),
        "answer": unit.text,
    }


def _marks(answer: str, score_marks: Callable[[Marking], Any], last: Revision) -> dict[str, Any]:
    """What one person marked: every span as it was marked, with the element it stands for."""
    marking = last.response.marking
    assert marking is not None  # noqa: S101  # only such ratings come here
    score = score_marks(marking)
    match = {fact.start: fact.match for fact in score.facts}
    facts = []
    for start, end in sorted((*marking.grounded, *marking.ungrounded)):
        quote = answer[start:end].strip()
        at = answer.find(quote, start)
        if quote:
            place = {"start": at, "end": at + len(quote)}
            facts.append({"text": quote, "quote": quote, **place, "match": match.get(at)})
    return {
        "facts": facts,
        "covered": list(marking.covered),
        "verdict": marking.verdict,
        "absence": marking.absence,
        "C": score.completeness,
        "H": score.hallucination_rate,
        "S": score.combined_score,
        "comment": last.response.comment,
    }
