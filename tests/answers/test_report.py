"""Results as files and in the ledger: what is kept is read back as it was."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmark.answers.core.evaluate import JudgedAnswers
from factmark.answers.core.records import (
    AnswerScore,
    GivenAnswer,
    NoScore,
    Question,
    ToolUse,
    Trace,
)
from factmark.answers.core.rows import answer_item, question_item, read_answer, texts_of
from factmark.answers.core.run_measures import with_runs
from factmark.answers.core.scores import score_answer
from factmark.answers.questions.ground_truths import Truth
from factmark.answers.reading import AnswerFile
from factmark.answers.report import answers_report
from factmark.answers.results import Results
from factmark.answers.study import score_study
from factmark.answers.verdicts import results_from_ledger
from factmark.errors import InputError, LedgerError
from factmark.files.flat_files import json_text
from factmark.ledger.ledger import Ledger
from factmark.model import Chunk, Item, Judge
from factmark.report.files import RESULT_FILES
from factmark.stats.comparison import Options
from later import later
from sample_results import sample_results
from traced import chunk, question, traced, traced_results, unscored, use

duckdb = later("duckdb")


HARNESS = (
    "query_id",
    "condition",
    "model",
    "answer",
    "tools_called",
    "chunks_retrieved",
    "completeness",
    "hallucination_rate",
    "combined_score",
    "latency_seconds",
)
A, B = question("A"), question("B", ("lupus", "gout"), category="two")
CATALOGUE = "All datasets: lupus and others. " * 50


def with_traces(folder: Path, judged: JudgedAnswers | None = None) -> Results:
    """Three traced answers to A and to B, which share a long text, and one to B that never came."""
    rows = [
        traced(
            asked,
            "30 lupus",
            Trace(
                sample=n,
                cost=0.25,
                input_tokens=7,
                chunks=(Chunk(id="c", title="Catalogue", text=CATALOGUE, score=1.0),),
                tools=(use(result=CATALOGUE), use("find", "invalid", "no", 2)),
            ),
            id=f"{asked.query_id}{n}",
            latency_seconds=n,
        )
        for asked in (A, B)
        for n in range(3)
    ]
    failed = GivenAnswer(id="F", query_id="B", text="", model="m", condition="mcp")

    def scorer(asked: Question, answer: GivenAnswer) -> AnswerScore | NoScore:
        if answer.trace is None:
            return NoScore(status="failed", reason="no reply in 60 s")
        return score_answer(asked.text, asked.ground_truth or (), answer.text)

    return score_study(
        Truth(benchmark="test", questions=(A, B)),
        AnswerFile(answers=(*(row.answer for row in rows), failed)),
        judged=judged or JudgedAnswers(scorer=scorer),
        settings=Options(resamples=200),
        ledger=folder / "ledger.db",
    )


def test_each_answer_tells_how_it_came_about() -> None:
    trace = Trace(
        sample=2,
        rounds=3,
        ended="rounds",
        tools=(use(result="x" * 900), use("find", "timeout")),
        chunks=(chunk("lupus", "T", 0.5),),
        input_tokens=7,
        output_tokens=5,
        cost=0.25,
    )
    row = traced(B, "gout", trace, latency_seconds=1.5)
    [told] = answers_report(Results(benchmark="b", answers=(row,), summaries=())).json_rows()
    assert all(name in told for name in HARNESS)
    assert told["tools_called"] == ["list", "find"]
    assert told["chunks_retrieved"] == ["id T"]
    assert told["tool_calls"][0]["result"] == "x" * 900
    assert told["tool_calls"][1] == {
        "round": 1,
        "name": "find",
        "arguments": '{"page": 1}',
        "result": "",
        "status": "timeout",
        "seconds": 0.25,
        "size": 0,
    }
    assert told["chunks"] == [{"id": "id T", "title": "T", "score": 0.5}]
    ours = {
        "sample": 2,
        "rounds": 3,
        "ended": "rounds",
        "input_tokens": 7,
        "output_tokens": 5,
        "cost": 0.25,
        "retrieved": ["lupus"],
        "abstained": False,
    }
    assert {name: told[name] for name in ours} == ours


def test_files_of_a_study_without_traces(tmp_path: Path) -> None:
    results = sample_results()
    result = answers_report(results)
    files = {path.name: path for path in result.write(tmp_path / "out").iterdir()}
    assert set(files) == {*RESULT_FILES, ".factmark"}
    loaded = json.loads(files["results.json"].read_text("utf-8"))
    assert loaded == json.loads(json_text(result.as_json()))
    assert list(loaded["tables"]) == ["scores", "categories"]
    assert list(loaded["details"]) == ["averages"]
    assert not {"sample", "chunks", "retrieved", "abstained"} & set(loaded["rows"][0])
    assert with_runs(results, [row.question for row in results.answers], Options()) is results
    with files["rows.csv"].open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["query_id"] for row in rows] == [r.answer.query_id for r in results.answers]
    table = duckdb.read_parquet(str(files["rows.parquet"]))
    assert table.columns == list(rows[0])
    first = table.project("query_id, completeness, absence").fetchall()[0]
    assert first == ("D1", results.answers[0].score.completeness, False)
    scores = loaded["tables"]["scores"]
    assert [row["condition"] for row in scores] == ["baseline", "rag", "mcp"]
    overall = [row for row in loaded["details"]["averages"] if row["category"] == "overall"]
    assert [row["combined_score"]["value"] for row in overall] == [
        row["combined_score"] for row in scores
    ]
    assert files["tables.md"].read_text().split("\n\n")[1].startswith("**North Sea")
    assert "\\toprule" in files["tables.tex"].read_text()
    (tmp_path / "file").write_text("a file stands here")
    with pytest.raises(InputError, match="is a file"):
        result.write(tmp_path / "file")


def test_files_of_runs(tmp_path: Path) -> None:
    results = traced_results(copies=2)
    results = replace(results, unscored=(unscored(results.answers[0].question),))
    folder = answers_report(results).write(tmp_path / "out")
    rows = duckdb.read_parquet(str(folder / "rows.parquet"))
    assert len(rows.fetchall()) == len(results.answers) + 1
    cell, *_ = rows.filter("condition = 'mcp'").project("tool_calls").fetchall()[0]
    assert json.loads(cell)[0]["name"] == "list_datasets"
    assert (folder / "tables.md").read_text().count("**North Sea") == 6


def test_an_answer_without_a_score_tells_what_it_cost() -> None:
    """The model was asked and paid for, whatever became of the facts in what it said."""
    scored, lost = traced(A, "30", Trace(cost=0.25)), unscored(A, Trace(cost=0.5, rounds=2))
    results = Results(benchmark="b", answers=(scored,), summaries=(), unscored=(lost,))
    first, last = answers_report(results).json_rows()
    assert (first["cost"], first["error"], first["completeness"]) == (0.25, None, 1.0)
    assert (last["cost"], last["rounds"]) == (0.5, 2)
    assert (last["error"], last["completeness"], last["facts"]) == ("no reply in 60 s", None, None)
    assert (first["status"], last["status"]) == ("ok", "unparsed")


def test_tables_of_runs_are_the_runs_in_json() -> None:
    result = answers_report(traced_results())
    whole = result.as_json()
    rows = {(r["condition"], r["category"]): r for r in whole["tables"]["grounding"]}
    runs = {(r["condition"], r["category"]): r for r in whole["details"]["runs"]}
    held = runs["rag", "overall"]["retrieval"]["held"]
    flat = rows["rag", "overall"]
    values = [flat[f"retrieval_held{end}"] for end in ("", "_low", "_high")]
    assert values == [held["value"], held["low"], held["high"]]
    assert runs["mcp", "overall"]["tools"]["statuses"]["error"] == 9
    effort = {(r["condition"], r["category"]): r for r in whole["tables"]["effort"]}
    assert effort["mcp", "policy"]["seconds_p95"] > 0
    assert rows["baseline", "overall"]["retrieval_held"] is None


def test_half_of_a_surrogate_pair_stops_no_file(tmp_path: Path) -> None:
    bad = replace(use(result="x\ud83d"), arguments='{"q": "\ud83d"}', name="na\udc00me")
    row = traced(A, "30 \ud83d", Trace(tools=(bad,)))
    bare = Results(benchmark="b", answers=(row,), summaries=())
    answers_report(with_runs(bare, [A], Options(resamples=100))).write(tmp_path)
    told = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["rows"][0]
    assert (told["answer"], told["tools_called"]) == ("30 \ufffd", ["na\ufffdme"])
    assert "30 \ufffd" in (tmp_path / "rows.csv").read_text(encoding="utf-8")
    kept = duckdb.read_parquet(str(tmp_path / "rows.parquet")).project("answer").fetchall()
    assert kept == [("30 \ufffd",)]


def test_the_ledger_gives_the_same_results_and_keeps_a_long_text_once(tmp_path: Path) -> None:
    made = with_traces(tmp_path)
    read = results_from_ledger(tmp_path / "ledger.db")
    assert read == made
    assert answers_report(read).as_json() == answers_report(made).as_json()
    overall = next(run for run in made.runs if run.category == "overall")
    assert overall.tools is not None
    assert overall.usage is not None
    assert overall.tools["accuracy"].value == 1
    assert (overall.usage["n"], overall.usage["n_missing"]) == (6, 1)
    # The failed answer to B is no answer that abstains: it is missing beside three that came.
    assert (overall.abstained.value, overall.abstained.best) == (0, 0)
    assert overall.abstained.worst == pytest.approx((0 + 1 / 4) / 2)
    with_traces(tmp_path)
    with Ledger(tmp_path / "ledger.db", read_only=True) as ledger:
        texts = ledger.connection.execute("SELECT text FROM evidence").fetchall()
        cells = ledger.connection.execute("SELECT data FROM items").fetchall()
    assert texts == [(CATALOGUE,)]
    assert not any("All datasets" in cell for (cell,) in cells)


def test_the_ledger_answers_for_its_newest_run(tmp_path: Path) -> None:
    """A judge of the same name that finds fewer facts: those withdrawn do not come back."""
    judge = Judge.create("person", "anna")

    def by(words: str) -> JudgedAnswers:
        def scorer(asked: Question, answer: GivenAnswer) -> AnswerScore:
            return score_answer(asked.text, asked.ground_truth or (), words)

        return JudgedAnswers(judge=judge, scorer=scorer)

    with_traces(tmp_path, by("lupus and asthma"))
    second = with_traces(tmp_path, by("lupus"))
    assert results_from_ledger(tmp_path) == second


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("DELETE FROM evidence", r"ledger.db: is damaged: the text [0-9a-f]{32} is not"),
        ("UPDATE kept_units SET layout = NULL, data = '{\"a\": []}'", r"ledger\.db: is damaged"),
        ("UPDATE imports SET data = '{\"a\": []}'", r"ledger\.db: is damaged"),
        ("DELETE FROM imports", "holds no run"),
    ],
)
def test_a_damaged_ledger_is_told(tmp_path: Path, damage: str, message: str) -> None:
    with_traces(tmp_path)
    with closing(sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute(damage)
    with pytest.raises(LedgerError, match=message):
        results_from_ledger(tmp_path / "ledger.db")
    with pytest.raises(LedgerError, match="no such ledger"):
        results_from_ledger(tmp_path / "nowhere.db")
    assert not (tmp_path / "nowhere.db").exists()


def test_a_ledger_without_traces_is_read(tmp_path: Path) -> None:
    """As versions before traces wrote it: none of the new keys in any item."""
    with_traces(tmp_path)
    with closing(sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)) as db:
        for name, cell in db.execute("SELECT id, data FROM items").fetchall():
            data = json.loads(cell)
            for key in ("trace", "chunks_retrieved", "expected_tools"):
                data.pop(key, None)
            db.execute("UPDATE items SET data = ? WHERE id = ?", (json.dumps(data), name))
    read = results_from_ledger(tmp_path / "ledger.db")
    assert [row.answer.trace for row in read.answers] == [None] * 6
    assert (read.runs, read.differences) == ((), ())


def test_paired_differences_are_those_of_compare() -> None:
    """A is the later condition; by hand over the two questions that both have."""
    a, b, c = question("A"), question("B"), question("C")
    rows = (
        traced(a, "31", Trace(), condition="baseline"),
        traced(b, "30", Trace(), condition="baseline"),
        traced(a, "30", Trace()),
        traced(b, "30", Trace()),
        traced(c, "30", Trace()),
    )
    results = with_runs(Results(benchmark="b", answers=rows, summaries=()), [a, b, c], Options())
    told = {row.score: row for row in results.differences}
    assert set(told) == {"completeness", "hallucination_rate", "combined_score"}
    made = told["completeness"].comparison
    assert (told["completeness"].of, made.a, made.b) == ("m", "mcp", "baseline")
    assert made.difference.value == pytest.approx(0.5)  # (1 - 0 + 1 - 1) / 2
    assert (made.n_both, made.only_a, made.wins, made.ties) == (2, 1, 1, 1)
    assert told["hallucination_rate"].comparison.difference.value == pytest.approx(-0.5)
    assert made.p_adjusted == made.p_permutation  # one pair alone


def test_holm_is_over_all_pairs_of_a_kind() -> None:
    differences = traced_results(models=("one", "two")).differences
    kinds = [row.between for row in differences if row.score == "completeness"]
    assert (kinds.count("conditions"), kinds.count("models")) == (6, 3)
    pairs = [
        row.comparison
        for row in differences
        if row.between == "conditions" and row.score == "completeness"
    ]
    least = min(pairs, key=lambda pair: pair.p_permutation or 1)
    assert least.p_adjusted == pytest.approx(6 * (least.p_permutation or 1))


def test_the_id_of_an_answer_in_a_ledger_stays() -> None:
    plain = GivenAnswer(
        id="1",
        query_id="A",
        text="t",
        model="m",
        condition="mcp",
        latency_seconds=1.5,
        tools_called=("x",),
    )
    asked = question_item("b", Question(query_id="A", category="c", text="q?", ground_truth=("1",)))
    item = answer_item(asked, plain)
    # As the commit before traces wrote it: older ledgers know the answer by this name.
    assert item.id == "answer:4241429f59e8833847d816b341a3b04d"
    assert not {"trace", "chunks_retrieved"} & set(item.data)
    assert answer_item(asked, replace(plain, trace=Trace(), chunks_retrieved=("c",))).id == item.id


texts = st.one_of(
    st.text(max_size=20),
    st.builds(lambda some, n: some * n, st.text(min_size=1, max_size=9), st.integers(20, 300)),
    st.just("\ud800" * 300),
)
counts, amounts = st.integers(0, 10**9), st.floats(0, 1e6)
uses = st.builds(
    ToolUse,
    round=counts,
    name=texts,
    arguments=texts,
    result=texts,
    seconds=amounts,
    size=counts,
    status=st.sampled_from(("ok", "error", "unknown", "invalid", "timeout", "lost")),
)
chunks = st.builds(Chunk, id=texts, title=texts, text=texts, score=st.floats(-1e6, 1e6))
traces = st.builds(
    Trace,
    sample=counts,
    rounds=counts,
    input_tokens=counts,
    output_tokens=counts,
    ended=st.sampled_from(("answered", "rounds", "length", "refused")),
    tools=st.none() | st.lists(uses, max_size=3).map(tuple),
    offered=st.lists(texts, max_size=3).map(tuple),
    chunks=st.none() | st.lists(chunks, max_size=3).map(tuple),
    estimated=st.booleans(),
    cost=st.none() | amounts,
    calls=st.lists(texts, max_size=2).map(tuple),
)


@given(traces, st.none() | st.lists(st.text(max_size=9), max_size=2).map(tuple))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_kept_is_read_back(trace: Trace, retrieved: tuple[str, ...] | None) -> None:
    answer = GivenAnswer(id="1", query_id="A", text="30", trace=trace, chunks_retrieved=retrieved)
    item = answer_item(question_item("b", A), answer)
    kept = {key: text.encode() for key, text in texts_of([answer]).items()}
    cell = json.loads(json.dumps(item.data))
    back = Item(id=item.id, cluster=item.cluster, strata=item.strata, data=cell)
    assert read_answer(back, lambda key: kept[key].decode()) == answer
    assert read_answer(back) == replace(answer, trace=None)
