"""The results of a campaign as files, and the marks in answers as the rows that `score` reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from factmark.campaign_model import Campaign, Marking, ProtocolOf, Revision
from factmark.files.flat_files import csv_text, json_text, to_json_value, write_parquet
from factmark.files.overwriting import check_files
from factmark.files.text_files import without_surrogates, write_text
from factmark.ledger.campaigns import campaign_named, pairs_shown, tasks_of
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.ratings import revisions_of
from factmark.ledger.verdicts import items_of
from factmark.model import Item, Unit
from factmark.people.core.forms import FACTS
from factmark.people.opening import campaign_opening
from factmark.people.ratings.adjudication import Adjudication
from factmark.people.results import CampaignResults
from factmark.people.tables import campaign_tables, comments_table, rating_columns, rating_rows


def campaign_json(results: CampaignResults) -> dict[str, Any]:
    """Returns results as JSON values; each rating is in ratings.csv instead."""
    form, agreement = results.form, results.agreement
    return {
        "campaign": results.campaign,
        "form": form.name,
        "annotators": [
            {"name": results.called(annotator.code), **to_json_value(annotator)}
            for annotator in results.annotators
        ],
        "scores": [
            {**to_json_value(score), "measure": score.measure.key, "scale": score.measure.scale}
            for score in results.scores
        ],
        "shares": to_json_value(results.shares),
        "boards": to_json_value(results.boards),
        "adjudication": _adjudication_json(results.adjudication),
        "agreement": agreement and {"scale": form.scale, "all": to_json_value(agreement)},
        "comments": comments_table(results).rows(),
        "judges": to_json_value(results.judges),
        **({"first_reader": to_json_value(results.first_reader)} if results.first_reader else {}),
        **({"practice": to_json_value(results.practice)} if results.practice else {}),
        "refused": dict(results.refused),
        "settings": dict(results.settings),
        "problems": list(results.problems),
        "signature": dict(results.signature),
    }


def _adjudication_json(decided: Adjudication | None) -> dict[str, Any] | None:
    """Returns what was decided as JSON values: each system before and after."""
    if decided is None:
        return None
    return {
        "apart": decided.apart,
        "disputed": decided.disputed,
        "decided": decided.decided,
        "left": decided.left,
        "systems": [
            {
                "system": score.system,
                "before": to_json_value(score.first),
                "after": to_json_value(score.final),
                "change": to_json_value(score.change),
            }
            for score in decided.scores
        ],
    }


def check_result_files(folder: Path, tables: Iterable[str], ledgers: Iterable[Path]) -> None:
    """Checks, before any work, that the results may be written into a folder.

    Raises:
        InputError: one of them would take the place of a ledger, or of a file that is not ours.
    """
    fixed = ("results.json", "ratings.csv", "ratings.parquet", "report.html", "tables.md")
    names = (*fixed, "tables.tex", "annotated.jsonl", *(f"{name}.csv" for name in tables))
    check_files(folder, names, [("the ledger", ledger) for ledger in ledgers])


def write_campaign_results(results: CampaignResults, folder: Path) -> list[Path]:
    """Writes results.json, ratings.csv and .parquet, tables as .md, .tex and .csv, report.html.

    Tables as CSV are one file each: systems.csv, annotators.csv, pairs.csv, ...

    Returns:
        The files written.
    """
    from factmark.people.page import render_campaign_html
    from factmark.report.latex import latex_table
    from factmark.report.layouts import markdown_report

    tables, rows = campaign_tables(results), rating_rows(results)
    columns = {name: kind for name, (kind, _) in rating_columns(results).items()}
    value = json_text(campaign_json(results), indent=1)
    texts = {
        "results.json": without_surrogates(value) + "\n",
        "ratings.csv": csv_text(rows, list(columns)),
        "tables.md": markdown_report(campaign_opening(results), tables.values()),
        "tables.tex": "\n".join(
            latex_table(table) for name, table in tables.items() if name != "comments"
        ),
        **{
            f"{name}.csv": csv_text(table.rows(), table.record_names)
            for name, table in tables.items()
        },
        "report.html": render_campaign_html(results),
    }
    for name, text in texts.items():
        write_text(folder / name, text)
    write_parquet(folder / "ratings.parquet", rows, columns)
    return [*(folder / name for name in texts), folder / "ratings.parquet"]


_FIELDS = ("id", "query_id", "question", "ground_truth", "condition", "model", "answer")


def write_marks(
    results: CampaignResults, folder: Path, protocol_of: ProtocolOf, *, names: bool
) -> list[Path]:
    """Writes annotated.jsonl where a campaign has marked answers: the newest marks of each. Returns
    the files written.

    A row holds the answer, and under each annotator's name (or code) what they marked, ticked and
    commented, with the C, H and S that follow. `factmark score --people` and `--annotations` read
    it; they match the facts with G by the rules.
    """
    if results.form.values or not any(annotator.n_answered for annotator in results.annotators):
        return []
    called = {name: name if names else code for name, code in results.codes.items()}
    rows: dict[str, dict[str, Any]] = {}
    for path, campaign in results.sources:
        with open_existing(Path(path), read_only=True) as ledger:
            known = campaign_named(ledger, campaign)
            for unit, row in annotated_rows(ledger, known, protocol_of, called):
                rows[unit] = {**rows.get(unit, {}), **row}
    target = folder / "annotated.jsonl"
    write_text(target, "".join(without_surrogates(json_text(row)) + "\n" for row in rows.values()))
    return [target]


def annotated_rows(
    ledger: Ledger, campaign: Campaign, protocol_of: ProtocolOf, called: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields each marked answer of a campaign: its unit and its row; `called` is name of an
    annotator -> what they are called, but by their code where that is another field's name."""
    revisions = revisions_of(ledger, campaign)
    marked: dict[str, dict[str, Revision]] = {}
    truths: dict[str, tuple[str, ...]] = {}
    for task in tasks_of(ledger, campaign):
        last, about = revisions.get(task.key, [None])[-1], task.assignment
        if last and last.response.marking is not None:
            marked.setdefault(about.unit, {})[about.annotator] = last
            truths[about.unit] = task.shown.elements
    score_marks = protocol_of(FACTS.kind).score_marks
    pairs = {unit.id: (item, unit) for item, unit in pairs_shown(ledger, campaign)}
    questions = items_of(ledger, {item.cluster for item, _ in pairs.values()})
    for unit, answers in marked.items():
        item, answer = pairs[unit]
        question = questions.get(item.cluster)
        row = _answer_row(item, answer, question.data if question else {}, truths[unit])
        for annotator in campaign.annotators:
            if annotator.code in answers:
                score = partial(score_marks, row["answer"], truths[unit])
                name = called[annotator.name]
                row[annotator.code if name in _FIELDS else name] = _marks_row(
                    row["answer"], score, answers[annotator.code]
                )
        yield unit, row


def _answer_row(
    item: Item, unit: Unit, asked: Mapping[str, Any], truth: Sequence[str]
) -> dict[str, Any]:
    """Returns an answer, its question and its ground truth as `factmark score` reads them."""
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


def _marks_row(
    answer: str, score_marks: Callable[[Marking], Any], last: Revision
) -> dict[str, Any]:
    """Returns what one person marked in an answer: each fact with the element that it matches, what
    was ticked, and the scores."""
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
