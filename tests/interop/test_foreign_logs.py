"""Runs that others made: by inspect_ai, in lm-evaluation-harness's form, broken and hostile."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.errors import InputError
from factmark.files import zip_members
from factmark.intake import inspect_logs
from factmark.interop.inspect_read import answers_of_log
from factmark.interop.reading import read_answers

LONG = "thirty " * 500


def inspect_run(folder: Path, form: Literal["eval", "json"]) -> Path:
    """A run of inspect_ai with its mock model: a tool call, then an answer."""
    from inspect_ai import Task
    from inspect_ai import eval as run
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import Tool, tool

    @tool
    def look_up() -> Tool:
        async def execute(name: str) -> str:
            """Looks a name up.

            Args:
                name: whose number is wanted.
            """
            return LONG

        return execute

    def outputs() -> Iterator[ModelOutput]:
        while True:
            call = ModelOutput.for_tool_call("mockllm/model", "look_up", {"name": "x"})
            said = ModelOutput.from_content("mockllm/model", "There are 30 datasets.")
            for one in (call, said):
                one.usage = ModelUsage(input_tokens=7, output_tokens=2, total_tokens=9)
                yield one

    asked = [Sample(id="D2", input="How many datasets?", target="30"), Sample(input="Why?")]
    task = Task(
        name="ehds_mcp",
        dataset=asked,
        solver=[use_tools(look_up()), generate()],
        scorer=includes(),
    )
    model = get_model("mockllm/model", custom_outputs=outputs())
    (log,) = run(
        task,
        model=model,
        epochs=2,
        log_dir=str(folder),
        log_format=form,
        display="none",
        max_samples=1,
    )
    assert log.status == "success"
    return Path(log.location)


@pytest.mark.parametrize("form", ["eval", "json"])
def test_reads_what_inspect_ai_wrote(tmp_path: Path, form: Literal["eval", "json"]) -> None:
    path = inspect_run(tmp_path, form)
    found = read_answers(path)
    assert found.problems == ()
    assert sorted(answer.query_id for answer in found.answers) == ["2", "2", "D2", "D2"]
    for answer in found.answers:
        assert answer.text == "There are 30 datasets."
        assert (answer.model, answer.condition) == ("mockllm/model", "mcp")
        assert answer.tools_called == ("look_up",)
        assert answer.latency_seconds is not None
        assert answer.trace is not None
        assert answer.trace.tools is not None
        (use,) = answer.trace.tools
        assert (use.round, use.arguments, use.result) == (1, '{"name": "x"}', LONG)
        assert (answer.trace.rounds, answer.trace.input_tokens) == (2, 14)
    assert [answer.trace.sample for answer in found.answers if answer.trace] == [0, 0, 1, 1]


def test_the_given_condition_comes_before_a_guess_from_the_task(tmp_path: Path) -> None:
    path = log(tmp_path, eval=SPEC | {"task": "t_mcp"}, samples=[SAMPLE])
    found = read_answers(path, condition="tools")
    assert {answer.condition for answer in found.answers} == {"tools"}


def test_zstandard_without_its_package_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = inspect_run(tmp_path, "eval")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(InputError, match="pip install zstandard"):
        read_answers(path)


SPEC: dict[str, Any] = {"task": "t", "model": "m"}
SAMPLE: dict[str, Any] = {"id": 1, "epoch": 1, "output": {"completion": "x", "choices": [{}]}}


def log(folder: Path, **more: Any) -> Path:
    path = folder / "log.json"
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": SPEC} | more))
    return path


def packed(folder: Path, **members: Any) -> Path:
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, value in members.items():
            out.writestr(name, value if isinstance(value, str | bytes) else json.dumps(value))
    return path


def test_an_answer_in_parts_and_a_run_that_broke_off(tmp_path: Path) -> None:
    parts = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "30"}]
    output = {"choices": [{"message": {"role": "assistant", "content": parts}}]}
    bad = {"id": 2, "epoch": 1, "output": {"choices": []}, "error": {"message": "no"}}
    path = log(tmp_path, status="error", samples=[{"id": 1, "output": output}, bad])
    found = read_answers(path)
    assert [answer.text for answer in found.answers] == ["30"]
    assert len(found.problems) == 2
    assert "1 sample ended in an error" in found.problems[0]
    assert "did not end well" in found.problems[1]


def test_calls_numbered_anew_in_each_reply_keep_their_results(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = []
    for said in ("a", "b", None):
        call = {"id": "call_0", "function": "t", "arguments": {}}
        messages.append({"role": "assistant", "tool_calls": [call]})
        result = {"role": "tool", "tool_call_id": "call_0", "content": said}
        messages += [] if said is None else [result]
    found = read_answers(log(tmp_path, samples=[SAMPLE | {"messages": messages}]))
    assert found.answers[0].trace is not None
    uses = found.answers[0].trace.tools or ()
    assert [(use.round, use.result, use.status) for use in uses] == [
        (1, "a", "ok"),
        (2, "b", "ok"),
        (3, "", "lost"),
    ]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"x.json": {}}, "holds no header.json"),
        ({"header.json": "{"}, "is no JSON"),
        ({"header.json": []}, "has no 'eval'"),
        ({"header.json": {"eval": SPEC}}, "holds no answers"),
        ({"header.json": {"eval": SPEC}, "samples/1.json": []}, "is no sample"),
        (
            {"header.json": {"eval": SPEC}, "samples/1.json": {"id": 1, "messages": [3]}},
            "no sample",
        ),
        ({"header.json": {"eval": SPEC}, "samples/1.json": "[" * 100_000}, "nested too deeply"),
    ],
)
def test_broken_logs_are_told(tmp_path: Path, members: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_answers(packed(tmp_path, **members))


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_members, "MEMBER_LIMIT", 2**20)
    bomb = b'{"id": "' + b"x" * 2**22 + b'"}'
    path = packed(tmp_path, **{"header.json": {"eval": SPEC}, "samples/1.json": bomb})
    with pytest.raises(InputError, match="larger than 1 MiB unpacked"):
        read_answers(path)


def test_a_zstandard_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_members, "MEMBER_LIMIT", 2**10)
    with pytest.raises(InputError, match="larger than 0 MiB unpacked"):
        read_answers(inspect_run(tmp_path, "eval"))


@given(st.binary(max_size=300), st.integers(0, 2000))
@settings(max_examples=60, deadline=None)
def test_damaged_bytes_never_crash(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    path = packed(folder, **{"header.json": {"eval": SPEC}, "samples/1_epoch_1.json": SAMPLE})
    data = bytearray(path.read_bytes())
    data[at % len(data) : at % len(data) + len(noise)] = noise
    path.write_bytes(bytes(data))
    with suppress(InputError):
        read_answers(path)


def test_a_whole_log_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_members, "LOG_LIMIT", 2**20)
    half = {"id": 1, "output": {"completion": "x" * 2**19}}
    members = {f"samples/{number}.json": half for number in range(3)}
    with pytest.raises(InputError, match="the log is larger than 1 MiB unpacked"):
        read_answers(packed(tmp_path, **{"header.json": {"eval": SPEC}}, **members))


def test_many_small_values_are_not_made(tmp_path: Path) -> None:
    bomb = '{"id": 1, "x": [' + "{}," * 2**21 + "{}]}"
    path = packed(tmp_path, **{"header.json": {"eval": SPEC}, "samples/1.json": bomb})
    assert path.stat().st_size < 2**14
    with pytest.raises(InputError, match="more than 2,097,152 objects and lists"):
        read_answers(path)


def attached(times: int, text: str = "a\ud800") -> dict[str, Any]:
    parts = [{"type": "text", "text": "attachment://a"}] * times
    output = {"choices": [{"message": {"role": "assistant", "content": parts}}]}
    return {"id": 1, "output": output, "attachments": {"a": text}}


def test_a_long_text_is_put_back_each_time(tmp_path: Path) -> None:
    (answer,) = read_answers(log(tmp_path, samples=[attached(2)])).answers
    assert answer.text == "a\ufffd\na\ufffd"


@pytest.mark.parametrize(
    ("limit", "times", "samples"), [("SAMPLE_LIMIT", 6, 1), ("LOG_LIMIT", 2, 3)]
)
def test_a_long_text_named_very_often_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, times: int, samples: int
) -> None:
    monkeypatch.setattr(inspect_logs, limit, 5000)
    rows = [attached(times, "x" * 1000)] * samples
    with pytest.raises(InputError, match=f"sample {samples}: its attachments are named so often"):
        read_answers(log(tmp_path, samples=rows))


def test_arguments_with_the_names_of_a_logs_parts_are_whole(tmp_path: Path) -> None:
    arguments = {"events": ["a"], "attachments": 1, "timelines": {"events_data": 2}}
    call = {"id": "1", "function": "t", "arguments": arguments}
    messages = [{"role": "assistant", "tool_calls": [call]}]
    (answer,) = read_answers(log(tmp_path, samples=[SAMPLE | {"messages": messages}])).answers
    assert answer.trace is not None
    assert answer.trace.tools is not None
    assert json.loads(answer.trace.tools[0].arguments) == arguments


FAILED = {"id": 2, "epoch": 1, "output": {"choices": []}, "error": {"message": "no"}}


def test_a_log_of_errors_does_not_hide_the_others(tmp_path: Path) -> None:
    header = {"header.json": {"status": "success", "eval": SPEC}}
    packed(tmp_path, **header, **{"samples/1.json": SAMPLE}).rename(tmp_path / "a.eval")
    packed(tmp_path, **header, **{"samples/2.json": FAILED}).rename(tmp_path / "b.eval")
    packed(tmp_path, **header).rename(tmp_path / "c.eval")
    lm_file(tmp_path, lm_row(0, resps=[[None]]))
    found = read_answers(tmp_path)
    assert [answer.text for answer in found.answers] == ["x"]
    told = [problem.partition(": ")[2] for problem in found.problems]
    assert told == [
        "1 sample ended in an error, without an answer",
        "holds no samples; they are in a log only where log_samples was on",
        "1 sample has no answer",
    ]


def test_errors_alone_are_an_error(tmp_path: Path) -> None:
    header = {"header.json": {"status": "success", "eval": SPEC}}
    path = packed(tmp_path, **header, **{"samples/2.json": FAILED})
    for given_ in (path, tmp_path):
        with pytest.raises(InputError, match=r"holds no answers\. log.eval: 1 sample ended in"):
            read_answers(given_)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "id",
                    "role",
                    "content",
                    "messages",
                    "output",
                    "choices",
                    "metadata",
                    "factmark",
                    "query_id",
                    "trace",
                    "tool_calls",
                    "function",
                    "epoch",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values)
@settings(max_examples=100, deadline=None)
def test_odd_samples_never_crash(sample: Any) -> None:
    with suppress(InputError):
        answers_of_log(Path("x"), {"eval": SPEC, "samples": [sample]})


def lm_row(number: int, **more: Any) -> dict[str, Any]:
    return {
        "doc_id": number,
        "doc": {"question": "How many?"},
        "target": "30",
        "arguments": {"gen_args_0": {"arg_0": "How many?", "arg_1": {"until": []}}},
        "resps": [["There are 30."]],
        "filtered_resps": ["30"],
        "filter": "none",
        "metrics": ["exact_match"],
        "doc_hash": "a",
        "prompt_hash": "b",
        "target_hash": "c",
        "exact_match": 1.0,
    } | more


def lm_file(folder: Path, *rows: Any, name: str = "samples_ehds_rag_2026-01-02T03-04-05.6") -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_samples_of_others(tmp_path: Path) -> None:
    rows = [
        lm_row(0),
        lm_row(0, filter="flexible-extract", filtered_resps=["thirty"]),
        lm_row(1, doc={"id": "D7"}, resps=[["a", "b"]]),
    ]
    path = lm_file(tmp_path, *rows)
    beside = tmp_path / "results_2026-01-02T03-04-05.6.json"
    beside.write_text(json.dumps({"model_name": "org/model"}))
    found = read_answers(path)
    told = [(one.query_id, one.text, one.model, one.condition) for one in found.answers]
    assert told == [
        ("0", "There are 30.", "org/model", "rag"),
        ("D7", "a", "org/model", "rag"),
        ("D7", "b", "org/model", "rag"),
    ]
    assert found.problems == ()


def test_samples_without_results_beside_take_what_is_given(tmp_path: Path) -> None:
    found = read_answers(lm_file(tmp_path, lm_row(0), name="mine"), model="m", condition="c")
    assert [(one.model, one.condition) for one in found.answers] == [("m", "c")]


def test_broken_characters_in_a_models_name_can_be_written(tmp_path: Path) -> None:
    (one,) = read_answers(log(tmp_path, eval=SPEC | {"model": "m\ud800"}, samples=[SAMPLE])).answers
    assert one.model == "m\ufffd"
    path = lm_file(tmp_path, lm_row(0))
    beside = tmp_path / "results_2026-01-02T03-04-05.6.json"
    beside.write_text(json.dumps({"model_name": "m\ud800"}))
    (one,) = read_answers(path).answers
    assert one.model == "m\ufffd"
    assert one.id.encode()


@pytest.mark.parametrize(("name", "words"), [("log.eval", "is it whole"), (".", "without logs")])
def test_what_holds_no_log(tmp_path: Path, name: str, words: str) -> None:
    if name != ".":
        (tmp_path / name).write_bytes(b"PK\x03\x04 and nothing more")
    with pytest.raises(InputError, match=words):
        read_answers(tmp_path / name)


def test_multiple_choice_has_no_answers(tmp_path: Path) -> None:
    rows = lm_row(0, resps=[[["-1.5", "False"]], [["-2.5", "True"]]])
    with pytest.raises(InputError, match=r"line 1: its replies are no texts.*multiple choice"):
        read_answers(lm_file(tmp_path, rows))
