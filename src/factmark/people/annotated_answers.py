"""The marks in answers as the rows that `factmark score` reads: annotated.jsonl."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from factmark.campaign_model import Campaign, Marking, ProtocolOf, Rating
from factmark.files.flat_files import json_text
from factmark.files.text_files import without_surrogates, write_text
from factmark.ledger.campaigns import campaign_named, pairs_shown, tasks_of
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.ratings import revisions_of
from factmark.ledger.verdicts import items_of
from factmark.model import Item, Unit
from factmark.people.core.forms import FACTS
from factmark.people.results import CampaignResults

ANNOTATED = "annotated.jsonl"
_FIELDS = ("id", "query_id", "question", "ground_truth", "condition", "model", "answer")


def write_annotated_answers(
    results: CampaignResults, folder: Path, protocol_of: ProtocolOf, *, names: bool
) -> None:
    """Writes annotated.jsonl where people marked answers: the newest marks of each; else nothing.

    A row holds the answer, and under each annotator's name (or code) what they marked, ticked and
    commented, with the C, H and S that follow. `factmark score --people` and `--annotations` read
    it; they match the facts with G by the rules.
    """
    if results.form.values or not any(annotator.n_answered for annotator in results.annotators):
        return
    called = {}
    for name, code in results.codes.items():
        called[name] = name if names else code
    rows: dict[str, dict[str, Any]] = {}
    for path, campaign in results.sources:
        with open_existing(Path(path), read_only=True) as ledger:
            known = campaign_named(ledger, campaign)
            for unit, row in annotated_answers(ledger, known, protocol_of, called):
                rows[unit] = {**rows.get(unit, {}), **row}
    lines = [without_surrogates(json_text(row)) + "\n" for row in rows.values()]
    write_text(folder / ANNOTATED, "".join(lines))


def annotated_answers(
    ledger: Ledger, campaign: Campaign, protocol_of: ProtocolOf, called: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields each marked answer of a campaign: its unit and its row; `called` is name of an
    annotator -> what they are called, but by their code where that is another field's name."""
    revisions = revisions_of(ledger, campaign)
    marked: dict[str, dict[str, Rating]] = {}
    truths: dict[str, tuple[str, ...]] = {}
    for task in tasks_of(ledger, campaign):
        last = revisions.get(task.key, [None])[-1]
        about = task.assignment
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
                row[annotator.code if name in _FIELDS else name] = _annotation_of(
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


def _annotation_of(
    answer: str, score_marks: Callable[[Marking], Any], last: Rating
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
