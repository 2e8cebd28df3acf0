"""The marks of a campaign as annotated answers, as `factmark score --annotations` reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from factmark.campaign_model import Campaign, Rating
from factmark.errors import InputError
from factmark.files.text_files import without_surrogates, write_text
from factmark.ledger.campaigns import campaign_named, pairs_shown, tasks_of
from factmark.ledger.export import open_existing
from factmark.ledger.labels import items_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import ratings_of
from factmark.model import Item, Unit
from factmark.people.core.forms import form_named
from factmark.people.core.marks import score_marks
from factmark.people.ratings.results import CampaignResults

_FIELDS = ("id", "query_id", "question", "ground_truth", "condition", "model", "answer")


def write_annotated(ledger: Ledger, campaign: Campaign, path: Path, *, codes: bool = False) -> int:
    """Writes the newest marks of every marked answer as JSON Lines; returns how many answers.

    A row holds the answer, and under each annotator's name what that person marked, ticked and
    said of it, with the C, H and S that follow. `factmark score --people` and `--annotations` read
    it; they match the facts with G by the rules.

    Args:
        codes: annotators stand under their codes, not their names.

    Raises:
        InputError: it is no campaign of facts, or nobody has marked anything yet.
    """
    marked: dict[str, dict[str, Rating]] = {}
    for rating in ratings_of(ledger, campaign):  # the newest of a person comes last
        if rating.response.marking is not None:
            marked.setdefault(rating.unit, {})[rating.annotator] = rating
    if not marked:
        raise InputError(
            f"{ledger.path}: the campaign {campaign.name!r} has no marked answers to write. It is "
            f"of the form {campaign.form!r}; answers are marked in one of the form 'facts'."
        )
    truths = {task.assignment.unit: task.shown.elements for task in tasks_of(ledger, campaign)}
    names = {
        one.code: one.code if codes or one.name in _FIELDS else one.name
        for one in campaign.annotators
    }
    lines = []
    pairs = {unit.id: (item, unit) for item, unit in pairs_shown(ledger, campaign)}
    questions = items_of(ledger, {item.cluster for item, _ in pairs.values()})
    for unit, ratings in marked.items():
        item, answer = pairs[unit]
        question = questions.get(item.cluster)
        row = _answer(item, answer, question.data if question else {}, truths[unit])
        for one in campaign.annotators:
            if one.code in ratings:
                row[names[one.code]] = _marks(row["answer"], truths[unit], ratings[one.code])
        lines.append(without_surrogates(json.dumps(row, ensure_ascii=False)) + "\n")
    write_text(path, "".join(lines))
    return len(lines)


def write_marks(path: Path, results: CampaignResults, folder: Path, *, names: bool) -> list[Path]:
    """Writes annotated.jsonl where a campaign of a ledger has marked answers; what was written."""
    if form_named(results.form).values or not any(one.n_answered for one in results.annotators):
        return []
    target = folder / "annotated.jsonl"
    with open_existing(path, read_only=True) as ledger:
        campaign = campaign_named(ledger, results.campaign)
        write_annotated(ledger, campaign, target, codes=not names)
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


def _marks(answer: str, truth: tuple[str, ...], rating: Rating) -> dict[str, Any]:
    """What one person marked: every span as it was marked, with the element it stands for."""
    marking = rating.response.marking
    assert marking is not None  # noqa: S101  # only such ratings come here
    score = score_marks(answer, truth, marking)
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
        "comment": rating.response.comment,
    }
