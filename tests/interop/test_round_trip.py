"""What is exported comes back the same; and others' tools read it."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.answers.core.records import (
    GivenAnswer,
    NoScore,
    Question,
    ScoredAnswer,
    ToolUse,
    Trace,
    UnscoredAnswer,
)
from factmark.answers.report import answers_report
from factmark.answers.results import Results
from factmark.interop.inspect_write import write_inspect_logs
from factmark.interop.lm_eval import write_lm_eval
from factmark.interop.reading import read_answers
from factmark.interop.runs import write_harness
from factmark.model import Chunk
from sample_results import sample_results, score

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
WRITERS: dict[str, Callable[[Results, Path], list[Path]]] = {
    "inspect": write_inspect_logs,
    "lm-eval": write_lm_eval,
    "harness": write_harness,
}

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
names = st.text(st.characters(exclude_categories=["Cs", "C", "Z"]), min_size=1, max_size=20)
paths = st.sampled_from(["../../etc/passwd", "a/b", "..", "\\x", "D1", "con", "a_epoch_1"])
ARGUMENTS = (
    '{"dataset": "x"}',
    '{"q": "\\ud83d"}',
    '{"a":NaN,"b":1e999}',
    '{"a":' * 70 + "1" + "}" * 70,
)


def written(low: float, high: float) -> st.SearchStrategy[float]:
    """Floats as files hold them: with 12 significant digits at most."""
    return st.floats(low, high).map(lambda value: float(f"{value:.12g}"))


seconds = st.none() | written(0, 1e6)
uses = st.builds(
    ToolUse,
    round=st.integers(1, 5),
    name=names,
    arguments=texts | st.sampled_from(ARGUMENTS),
    result=texts,
    status=st.sampled_from(["ok", "error", "unknown", "invalid", "timeout", "lost"]),
    seconds=written(0, 100),
    size=st.integers(0, 10**7),
)
chunks = st.builds(Chunk, id=names, title=texts, text=texts, score=written(-1, 1))
traces = st.builds(
    Trace,
    sample=st.integers(0, 9),
    rounds=st.integers(1, 6),
    ended=st.sampled_from(["answered", "rounds", "length", "refused"]),
    tools=st.none() | st.lists(uses, max_size=4).map(tuple),
    offered=st.lists(names, max_size=3).map(tuple),
    chunks=st.none() | st.lists(chunks, max_size=3).map(tuple),
    input_tokens=st.integers(0, 10**6),
    output_tokens=st.integers(0, 10**6),
    estimated=st.booleans(),
    cost=st.none() | written(0, 10),
    calls=st.lists(names, max_size=2).map(tuple),
)
some_names = st.none() | st.lists(names, max_size=3).map(tuple)


@st.composite
def answers(draw: st.DrawFn) -> tuple[Question, GivenAnswer]:
    query_id = draw(names | paths)
    question = Question(
        query_id=query_id,
        category="discovery",
        text=draw(texts),
        ground_truth=tuple(draw(st.lists(names, max_size=2))),
    )
    answer = GivenAnswer(
        id=draw(names),
        query_id=query_id,
        text=draw(texts),
        model=draw(names | paths),
        condition=draw(st.just("") | names),
        latency_seconds=draw(seconds),
        tools_called=draw(some_names),
        chunks_retrieved=draw(some_names),
        trace=draw(st.none() | traces),
    )
    return question, answer


def results_of(given_: list[tuple[Question, GivenAnswer]]) -> Results:
    return Results(
        benchmark="b",
        summaries=(),
        answers=tuple(
            ScoredAnswer(question=question, answer=answer, score=score((), ("x",), answer.text))
            for question, answer in given_
        ),
    )


def in_order(found: tuple[GivenAnswer, ...] | list[GivenAnswer]) -> list[GivenAnswer]:
    return sorted(found, key=repr)


@pytest.mark.parametrize("form", WRITERS)
@given(st.lists(answers(), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_what_is_written_is_read_back(
    form: str, given_: list[tuple[Question, GivenAnswer]]
) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name) / "in" / "here"
        written = WRITERS[form](results_of(given_), folder)
        assert all(path.parent == folder or path.parent.parent == folder for path in written)
        found = read_answers(written[0] if form == "harness" else folder)
    expected = [answer for _, answer in given_]
    if form != "inspect":
        expected = [replace(answer, trace=None) for answer in expected]
    assert in_order(found.answers) == in_order(expected)
    assert ["with scores of their own" in problem for problem in found.problems] == (
        [True] if form == "harness" else []
    )


def with_traces() -> Results:
    """The sample study with a trace under mcp and rag, a second answer each, and one lost."""
    results = sample_results(copies=2)
    tools = (
        ToolUse(round=1, name="list_datasets", arguments="{}", result='["Stroke registry"]'),
        ToolUse(round=1, name="nonsense", arguments="{", result="No such tool.", status="invalid"),
        ToolUse(round=2, name="run_sparql", arguments='{"q": "x"}', result="12", seconds=0.2),
    )
    found = (Chunk(id="c1", title="Stroke registry", text="It covers 2009 to 2022.", score=0.7),)
    plain = Trace(input_tokens=20, output_tokens=5, cost=0.001)
    made = {
        "mcp": replace(plain, rounds=3, tools=tools),
        "rag": replace(plain, chunks=found),
        "baseline": None,
    }
    scored = tuple(
        replace(one, answer=replace(one.answer, trace=made[one.answer.condition]))
        for one in results.answers
    )
    lost = UnscoredAnswer(
        question=replace(results.answers[0].question, query_id="D99"),
        answer=replace(results.answers[0].answer, query_id="D99", text=""),
        why=NoScore(status="failed", reason="HTTP 500"),
    )
    return replace(results, answers=scored, unscored=(lost,))


def test_inspect_ai_reads_the_logs(tmp_path: Path) -> None:
    from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample

    results = with_traces()
    written = write_inspect_logs(results, tmp_path, created=NOW)
    assert len(written) == 3
    assert len(list_eval_logs(str(tmp_path))) == 3
    logs = {log.eval.task: log for log in (read_eval_log(str(path)) for path in written)}
    mcp = logs["North Sea health data space/mcp"]
    assert mcp.status == "success"
    assert mcp.eval.config.epochs == 2
    assert mcp.results is not None
    mean = {one.name: one.metrics["mean"].value for one in mcp.results.scores}
    summary = next(
        one for one in results.summaries if (one.condition, one.category) == ("mcp", "overall")
    )
    assert mean["completeness"] == pytest.approx(summary.completeness.value, rel=1e-11)
    wrong = summary.hallucination_rate.value
    assert mean["hallucination_rate"] == pytest.approx(wrong, rel=1e-11)
    assert mcp.samples is not None
    sample = read_eval_log_sample(
        str(next(path for path in written if "mcp" in path.name)), id="D1", epoch=2
    )
    roles = [message.role for message in sample.messages]
    assert roles == ["user", "assistant", "tool", "tool", "assistant", "tool", "assistant"]
    call = sample.messages[1].tool_calls[1]  # type: ignore[union-attr]  # the assistant's
    assert call.parse_error == "The arguments cannot be shown as JSON: {"
    assert sample.messages[3].error.type == "parsing"  # type: ignore[union-attr]  # the tool's
    assert sample.scores is not None
    assert sample.scores["factmark"].value["completeness"] == 1.0  # type: ignore[index,call-overload]
    assert "Matched facts:\n- 12 (matches 12)" in (sample.scores["factmark"].explanation or "")
    assert sample.output.usage is not None
    assert sample.output.usage.total_tokens == 25
    rag = logs["North Sea health data space/rag"]
    assert rag.samples is not None
    assert rag.samples[0].messages[0].role == "system"
    base = logs["North Sea health data space/baseline"]
    assert base.samples is not None
    lost = [one for one in base.samples if one.error is not None]
    assert [one.id for one in lost] == ["D99"]
    assert lost[0].error is not None
    assert lost[0].error.message == "failed: HTTP 500"


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("inspect", "1 sample ended in an error"),
        ("lm-eval", "1 sample has no answer"),
        ("harness", "1 row with an error"),
        ("ours", "1 row with an error"),
    ],
)
def test_a_lost_answer_is_told_and_is_no_empty_answer(
    tmp_path: Path, form: str, words: str
) -> None:
    results = with_traces()
    if form == "ours":
        (tmp_path / "r.json").write_text(json.dumps(answers_report(results).as_json()))
        found = read_answers(tmp_path / "r.json")
    else:
        written = WRITERS[form](results, tmp_path)
        found = read_answers(written[0] if form == "harness" else tmp_path)
    answers = [answer for answer in found.answers if answer.lost is None]
    assert len(answers) == len(results.answers)
    assert all(answer.query_id != "D99" for answer in answers)
    assert any(words in problem for problem in found.problems)


def test_only_a_log_that_factmark_wrote_is_replaced(tmp_path: Path) -> None:
    first = write_inspect_logs(sample_results(), tmp_path, created=NOW)[0]
    ending = first.name[first.name.rindex("_") :]
    kept = [tmp_path / f"backup{ending}", tmp_path / f"2020-01-01T00-00-00-00-00_mine{ending}"]
    shutil.copy(first, kept[0])
    with zipfile.ZipFile(kept[1], "w") as log:
        log.writestr("_journal/start.json", json.dumps({"eval": {"packages": {}, "run_id": "x"}}))
    link = tmp_path / f"2020-01-02T00-00-00-00-00_mine{ending}"
    link.symlink_to(kept[0])
    write_inspect_logs(sample_results(), tmp_path)
    assert [path.exists() for path in (*kept, link, first)] == [True, True, True, False]


def test_a_log_of_the_same_run_takes_the_place_of_the_older(tmp_path: Path) -> None:
    first = write_inspect_logs(sample_results(), tmp_path, created=NOW)
    again = write_inspect_logs(sample_results(), tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted(again)
    assert not set(first) & set(again)


def test_names_in_a_log_stay_within_it(tmp_path: Path) -> None:
    question = Question(query_id="../../x", category="c", text="?")
    answer = GivenAnswer(id="1", query_id="../../x", text="y", model="../m", condition="../c")
    (path,) = write_inspect_logs(results_of([(question, answer)]), tmp_path)
    assert path.parent == tmp_path
    with zipfile.ZipFile(path) as opened:
        assert all(".." not in name for name in opened.namelist())


def test_samples_have_the_fields_and_hashes_of_the_harness(tmp_path: Path) -> None:
    from hashlib import sha256

    written = write_lm_eval(with_traces(), tmp_path, created=NOW)
    names_ = {path.name for path in written}
    assert "results_2026-01-02T03-04-05.000000.json" in names_
    path = next(one for one in written if "-mcp-" in one.name or "_mcp_" in one.name)
    row = json.loads(path.read_text("utf-8").splitlines()[0])
    assert row["doc"]["query_id"] == "D1"
    assert row["target"] == '["12"]'
    assert len(row["resps"][0]) == 2
    assert row["filtered_resps"] == row["resps"][0]
    asked = row["arguments"]["gen_args_0"]["arg_0"]
    assert row["prompt_hash"] == sha256(asked.encode()).hexdigest()
    assert row["completeness"] == 1.0
    told = json.loads(next(p for p in written if p.name.startswith("results_")).read_text("utf-8"))
    tasks = [name for name in told["results"] if name.endswith("mcp")]
    assert "completeness,none" in told["results"][tasks[0]]
    assert told["model_name"] == "example-model-8b"


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_inspect_ai_reads_odd_arguments(tmp_path: Path, arguments: str) -> None:
    from inspect_ai.log import read_eval_log

    use = ToolUse(round=1, name="t", arguments=arguments, result="r")
    asked = Question(query_id="A", category="c", text="?")
    answer = GivenAnswer(id="1", query_id="A", text="y", model="m", condition="mcp")
    answer = replace(answer, trace=Trace(tools=(use,)))
    (path,) = write_inspect_logs(results_of([(asked, answer)]), tmp_path)
    with zipfile.ZipFile(path) as opened:
        told = opened.read("samples/A_epoch_1.json").decode()

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    json.loads(told, parse_constant=refuse)
    (sample,) = read_eval_log(str(path)).samples or []
    (call,) = sample.messages[1].tool_calls or []  # type: ignore[union-attr]  # the assistant's
    assert bool(call.parse_error) == (arguments not in ARGUMENTS[:2])


@pytest.mark.parametrize("form", ["inspect", "lm-eval"])
def test_a_condition_that_failed_wholly_does_not_hide_the_others(tmp_path: Path, form: str) -> None:
    asked = Question(query_id="A", category="c", text="?")
    answer = GivenAnswer(id="1", query_id="A", text="y", model="m", condition="mcp")
    lost = UnscoredAnswer(
        question=asked,
        answer=replace(answer, id="2", text="", condition="rag"),
        why=NoScore(status="failed", reason="no reply"),
    )
    WRITERS[form](replace(results_of([(asked, answer)]), unscored=(lost,)), tmp_path)
    found = read_answers(tmp_path)
    assert [(one.id, one.condition) for one in found.answers] == [("1", "mcp")]
    assert len(found.problems) == 1
