"""How answers came about: kept in the ledger, each long text once, and read back as it was."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmark.answers.core.averages import Settings
from factmark.answers.core.evaluate import Extraction
from factmark.answers.core.records import GivenAnswer, NoScore, Question, Results, ToolUse, Trace
from factmark.answers.core.rows import answer_item, question_item, read_answer, texts_of
from factmark.answers.core.scores import score_answer
from factmark.answers.derive import Truth
from factmark.answers.reading import AnswerFile
from factmark.answers.results import results_from_ledger, results_json
from factmark.answers.study import score_study
from factmark.errors import LedgerError
from factmark.ledger.ledger import Ledger
from factmark.model import Chunk, Item

QUESTIONS = (
    Question(query_id="A", category="one", text="How many?", ground_truth=("30",),
             expected_tools=("x",)),
    Question(query_id="B", category="two", text="Which?", ground_truth=("lupus", "gout")),
)  # fmt: skip
texts = st.one_of(
    st.text(max_size=20),
    st.builds(lambda some, n: some * n, st.text(min_size=1, max_size=9), st.integers(20, 300)),
    st.just("\ud800" * 300),
)
counts = st.integers(0, 10**9)
amounts = st.floats(0, 1e6)
uses = st.builds(
    ToolUse,
    round=counts, name=texts, arguments=texts, result=texts, seconds=amounts, size=counts,
    status=st.sampled_from(("ok", "error", "unknown", "invalid", "timeout", "lost")),
)  # fmt: skip
chunks = st.builds(Chunk, id=texts, title=texts, text=texts, score=st.floats(-1e6, 1e6))
traces = st.builds(
    Trace,
    sample=counts, rounds=counts, input_tokens=counts, output_tokens=counts,
    ended=st.sampled_from(("answered", "rounds", "length", "refused")),
    tools=st.none() | st.lists(uses, max_size=3).map(tuple),
    offered=st.lists(texts, max_size=3).map(tuple),
    chunks=st.none() | st.lists(chunks, max_size=3).map(tuple),
    estimated=st.booleans(), cost=st.none() | amounts, calls=st.lists(texts, max_size=2).map(tuple),
)  # fmt: skip


@given(traces, st.none() | st.lists(st.text(max_size=9), max_size=2).map(tuple))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_kept_is_read_back(trace: Trace, retrieved: tuple[str, ...] | None) -> None:
    answer = GivenAnswer(
        id="1", query_id="A", text="30", trace=trace, chunks_retrieved=retrieved
    )  # fmt: skip
    item = answer_item(question_item("b", QUESTIONS[0]), answer)
    kept = texts_of([answer])
    cell = json.loads(json.dumps(item.data))
    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE TABLE evidence (id TEXT PRIMARY KEY, text TEXT NOT NULL)")
        db.executemany("INSERT INTO evidence VALUES (?, ?)", kept.items())
        stored = dict(db.execute("SELECT id, text FROM evidence"))
    back = Item(id=item.id, cluster=item.cluster, strata=item.strata, data=cell)
    assert read_answer(back, stored.__getitem__) == answer
    assert read_answer(back) == replace(answer, trace=None)


def test_the_id_of_an_answer_in_a_ledger_stays() -> None:
    plain = GivenAnswer(
        id="1", query_id="A", text="t", model="m", condition="mcp", latency_seconds=1.5,
        tools_called=("x",),
    )  # fmt: skip
    asked = question_item("b", Question(query_id="A", category="c", text="q?", ground_truth=("1",)))
    item = answer_item(asked, plain)
    # As the commit before traces wrote it: older ledgers know the answer by this name.
    assert item.id == "answer:4241429f59e8833847d816b341a3b04d"
    assert not {"trace", "chunks_retrieved"} & set(item.data)
    assert answer_item(asked, replace(plain, trace=Trace(), chunks_retrieved=("c",))).id == item.id


def study(folder: Path, count: int = 3) -> Results:
    catalogue = "All datasets: lupus and others. " * 50
    answers = tuple(
        GivenAnswer(
            id=f"{asked.query_id}{n}", query_id=asked.query_id, text="30 lupus", model="m",
            condition="mcp", tools_called=("x", "y"), latency_seconds=n,
            trace=Trace(
                sample=n, cost=0.25, input_tokens=7,
                chunks=(Chunk(id="c", title="Catalogue", text=catalogue, score=1.0),),
                tools=(
                    ToolUse(round=1, name="x", arguments="{}", result=catalogue, size=9_000),
                    ToolUse(round=2, name="y", arguments="[", result="no", status="invalid"),
                ),
            ),
        )
        for asked in QUESTIONS for n in range(count)
    )  # fmt: skip
    failed = GivenAnswer(id="F", query_id="B", text="", model="m", condition="mcp")

    def scorer(asked: Question, answer: GivenAnswer) -> object:
        if answer.trace is None:
            return NoScore(status="failed", reason="no reply in 60 s")
        return score_answer(asked.text, asked.ground_truth or (), answer.text)

    return score_study(
        Truth(benchmark="test", questions=QUESTIONS),
        AnswerFile(answers=(*answers, failed), problems=()),
        extraction=replace(Extraction.by_rule(), scorer=scorer),  # type: ignore[arg-type]  # a union
        settings=Settings(resamples=200), ledger=folder / "ledger.db",
    )  # fmt: skip


def test_the_ledger_gives_the_same_results(tmp_path: Path) -> None:
    made = study(tmp_path)
    read = results_from_ledger(tmp_path / "ledger.db")
    assert read == made
    assert results_json(read) == results_json(made)
    overall = next(run for run in made.runs if run.category == "overall")
    assert overall.tools["accuracy"].value == 1
    assert (overall.usage["n"], overall.usage["n_missing"]) == (6, 1)
    # The failed answer to B is no answer that abstains: it is missing beside three that came.
    assert (overall.abstained.value, overall.abstained.best) == (0, 0)
    assert overall.abstained.worst == pytest.approx((0 + 1 / 4) / 2)


def test_a_long_text_is_kept_once(tmp_path: Path) -> None:
    study(tmp_path)
    once = (tmp_path / "ledger.db").stat().st_size
    study(tmp_path)
    with Ledger(tmp_path / "ledger.db", read_only=True) as ledger:
        found = ledger.connection.execute("SELECT id, text FROM evidence").fetchall()
        cells = ledger.connection.execute("SELECT data FROM items").fetchall()
    assert len(found) == 1
    assert found[0][1].startswith("All datasets: lupus")
    assert not any("All datasets" in cell for (cell,) in cells)
    assert once < 200_000


def test_a_text_that_is_gone_is_told(tmp_path: Path) -> None:
    study(tmp_path)
    with sqlite3.connect(tmp_path / "ledger.db") as db:
        db.execute("DELETE FROM evidence")
    with pytest.raises(LedgerError, match=r"ledger.db: is damaged: the text [0-9a-f]{32} is not"):
        results_from_ledger(tmp_path / "ledger.db")


def test_a_ledger_without_the_new_fields_is_read(tmp_path: Path) -> None:
    """As versions before traces wrote it: none of the new keys in any item."""
    study(tmp_path)
    with sqlite3.connect(tmp_path / "ledger.db") as db:
        rows = db.execute("SELECT id, data FROM items").fetchall()
        for name, cell in rows:
            data = json.loads(cell)
            for key in ("trace", "chunks_retrieved", "expected_tools"):
                data.pop(key, None)
            db.execute("UPDATE items SET data = ? WHERE id = ?", (json.dumps(data), name))
    read = results_from_ledger(tmp_path / "ledger.db")
    assert len(read.answers) == 6
    assert all(row.answer.trace is None for row in read.answers)
    assert (read.runs, read.differences) == ((), ())
    assert "runs" not in results_json(read)
