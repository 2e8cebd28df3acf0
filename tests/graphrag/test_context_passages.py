"""The passages of retrieved triples, which come from the files and not from the index."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from factmark.cli.main import app
from factmark.graphrag.context_passages import with_passages
from factmark.graphrag.core.contexts import Context, Fact
from factmark.graphrag.core.outcomes import NONE, Given, Outcome
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphs.core.claims import Triple, claim

ASKED = GraphQuestion(id="q1", text="What treats DKA?", kind="text", references=("insulin",))


def outcome(system: str, where: str, passage_id: str = "", tail: str = "DKA") -> Outcome:
    triple = Triple(
        head="insulin", relation="treats", tail=tail, passage_id=passage_id, where=where
    )
    fact = Fact(number=0, triple=triple, text=claim(triple), score=1.0, hops=1)
    return Outcome(question=ASKED, system=system, given=Given(context=Context(facts=(fact,))))


def told(graphs: dict[str, Path], *outcomes: Outcome, passages: Path) -> list[str | None]:
    found = []
    for one in with_passages(outcomes, graphs, passages=passages):
        context = one.given.context
        found.append(context.facts[0].triple.passage if context else "no context")
    return found


def test_texts_beside_triples_and_by_id_stand_at_their_own_rows(tmp_path: Path) -> None:
    named, beside = tmp_path / "named.csv", tmp_path / "beside.csv"
    named.write_text("head,relation,tail,pmid\ninsulin,treats,DKA,7\ninsulin,treats,DKA,8\n")
    beside.write_text("head,relation,tail,text\ninsulin,treats,DKA,It does.\n")
    passages = tmp_path / "p.jsonl"
    passages.write_text('{"id": "7", "text": "Seven."}\n')
    assert told(
        {"named": named, "beside": beside},
        outcome("named", passage_id="7", where="line 2"),
        outcome("named", passage_id="8", where="line 3"),  # in no file
        outcome("beside", where="line 2"),
        outcome("beside", where="line 2", tail="fever"),  # of another file, added to the index
        outcome("gone", where="line 2"),
        Outcome(question=ASKED, system=NONE, given=Given()),
        passages=passages,
    ) == ["Seven.", None, "It does.", None, None, "no context"]


def test_a_run_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.tsv").write_text("subject\trel\tobject\tpmid\ninsulin\ttreats\tDKA\t7\n")
    Path("p.csv").write_text("id,text\n7,Insulin is given in DKA.\n")
    Path("q.jsonl").write_text(json.dumps({"question": ASKED.text, "answer": "insulin"}))
    given = ("t.tsv", "--questions", "q.jsonl", "--passages", "p.csv", "--contexts", "c.csv")
    app(["graph", "graphrag", *given], standalone_mode=False)
    with Path("c.csv").open() as file:
        rows = {row["system"]: row for row in csv.DictReader(file)}
    assert {name: row["passage"] for name, row in rows.items()} == {
        "t": "Insulin is given in DKA.",
        "text": "Insulin is given in DKA.",
    }
