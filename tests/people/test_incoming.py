"""Reading a snapshot: which answers count, without a server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from campaigns import people, rating_campaign
from factmark.ledger.ledger import Ledger
from factmark.people.labelstudio.client import ServerAnnotation, ServerTask, Snapshot
from factmark.people.labelstudio.incoming import AnswerReader, SortedAnswers

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
RESULT = [{"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["4"]}}]


@pytest.fixture
def reader(tmp_path: Path) -> AnswerReader:
    with Ledger(tmp_path / "study.db") as ledger:
        campaign = rating_campaign(ledger, annotators=people("Ada"), documents=1)
        emails = {1: "owner@example.org", 2: "ada@example.org"}
        return AnswerReader(ledger, campaign, "http://127.0.0.1:1", emails)


def annotation(**fields: Any) -> ServerAnnotation:
    base = {
        "id": 1, "completed_by": 2, "updated_by": 2, "created_at": NOON, "updated_at": NOON,
        "result": RESULT,
    }  # fmt: skip
    return ServerAnnotation(**{**base, **fields})


def read(reader: AnswerReader, *annotations: ServerAnnotation, **snapshot: Any) -> SortedAnswers:
    data = next(iter(reader.wanted.values()))
    task = ServerTask(id=7, data=data, annotations=annotations)
    return reader.sort("A1", [(3, Snapshot(tasks=(task,), **snapshot))], 2, "")


def test_time_between_making_and_changing_tells_whether_it_is_the_first(
    reader: AnswerReader,
) -> None:
    for seconds, first in ((0.0, True), (1.0, True), (1.2, False), (3600.0, False)):
        changed = annotation(updated_at=NOON + timedelta(seconds=seconds))
        assert [one.first for one in read(reader, changed).revisions] == [first]


def test_same_answer_has_the_same_id_and_another_one_another(reader: AnswerReader) -> None:
    other = [{**RESULT[0], "value": {"choices": ["5"]}}]
    later = NOON + timedelta(hours=1)
    kinds = ({}, {"result": other}, {"id": 2}, {"updated_at": later})
    ids = [read(reader, annotation(**kind)).revisions[0].id for kind in kinds]
    assert len(set(ids)) == len(ids)
    assert read(reader, annotation()).revisions[0].id == ids[0]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"completed_by": None}, "by nobody who is on the server"),
        ({"completed_by": 9}, "by nobody who is on the server"),
        ({"completed_by": 1, "updated_by": 1}, "not by the annotator"),
        ({"updated_by": 1}, "last changed by somebody else"),
        ({"updated_by": None}, "does not tell who wrote it"),
        ({"was_cancelled": True}, "its task was skipped"),
        ({"result": None}, "its result is no list"),
        ({"result": "4"}, "its result is no list"),
        ({"result": [4]}, "a region that is no object"),
        ({"result": RESULT * 5_001}, "more than 5000 regions"),
        ({"result": [{**RESULT[0], "value": {"choices": ["7" * 9_000]}}]}, "it has the label '777"),
    ],
)
def test_what_does_not_count_has_a_reason(
    reader: AnswerReader, fields: dict[str, Any], reason: str
) -> None:
    found = read(reader, annotation(**fields))
    assert found.revisions == []
    assert reason in found.refused[0].reason
    assert found.refused[0].where.startswith("project 3, task 7, annotation 1 by ")
    assert len(found.refused[0].reason) < 200
    assert "@" not in found.refused[0].reason
    assert len(found.refused[0].raw) < 30_000


def test_task_that_the_server_cannot_show_is_told(reader: AnswerReader) -> None:
    found = read(reader, unreadable=(8,))
    assert [one.where for one in found.refused] == ["project 3, task 8"]
    assert found.there == {next(iter(reader.tasks))}
