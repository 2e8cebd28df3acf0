"""The tool-using model server, through both protocols over its socket."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import pytest

from servers.agent import TRICKS, agent
from servers.model_server import Running

DATASETS = [
    {"dataset": "dataset-dementia", "title": "Dementia cohort", "patients": 30},
    {"dataset": "dataset-breast-cancer", "title": "Breast cancer cohort", "patients": 12},
    {"dataset": "dataset-diabetes", "title": "Diabetes cohort", "patients": 81},
]
ONE = {"dataset": {"type": "string"}}
TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "ehds_list_datasets": ("Lists all datasets of the data space.", {}),
    "ehds_check_policy": (
        "Tells which uses of a dataset are permitted or prohibited, and its obligations.",
        ONE | {"purpose": {"type": "string"}},
    ),
    "ehds_search_datasets": ("Finds datasets about a condition.", {"query": {"type": "string"}}),
    "ehds_get_patients": (
        "Patients of a dataset by gender.",
        ONE | {"limit": {"type": "integer", "default": 10}},
    ),
}
WEATHER: dict[str, tuple[str, dict[str, Any]]] = {
    "forecast": ("The weather of the coming days in a city.", {"city": {"type": "string"}}),
    "add": ("Adds two numbers.", {"a": {"type": "number"}, "b": {"type": "number"}}),
}
Protocol = Literal["openai", "anthropic"]
PROTOCOLS: tuple[Protocol, ...] = ("openai", "anthropic")


def use(name: str, given: Mapping[str, Any]) -> str:
    """What the tools return."""
    if name == "ehds_list_datasets":
        return json.dumps({"count": len(DATASETS), "datasets": DATASETS})
    if name == "ehds_check_policy":
        if given["dataset"] not in {one["dataset"] for one in DATASETS}:
            return f"Error: there is no dataset {given['dataset']!r}."
        return json.dumps({"dataset": given["dataset"], "permitted": ["teaching", "research"]})
    if name == "forecast":
        return f"{given['city']}: the weather will be foggy. Trains run on time."
    return json.dumps({"datasets": DATASETS[:1]})


def schema(properties: Mapping[str, Any], needed: tuple[str, ...]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(needed)}


class Client:
    """Asks as a program does that knows one protocol."""

    def __init__(self, server: Running, protocol: Protocol, **parameters: Any) -> None:
        self.server, self.protocol, self.parameters = server, protocol, parameters

    def post(self, body: Mapping[str, Any]) -> tuple[int, Any]:
        path = "chat/completions" if self.protocol == "openai" else "messages"
        headers = {"Content-Type": "application/json", "anthropic-version": "2023-06-01"}
        request = urllib.request.Request(
            f"{self.server.base_url}/{path}", json.dumps(body).encode(), headers
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def body(
        self, messages: list[Any], tools: Mapping[str, tuple[str, dict[str, Any]]]
    ) -> dict[str, Any]:
        said: dict[str, Any] = {"model": "m", "max_tokens": 100, "messages": messages}
        openai = self.protocol == "openai"
        offered = []
        for name, (about, properties) in tools.items():
            needed = tuple(key for key in properties if key not in ("purpose", "limit"))
            form = schema(properties, needed)
            told = {"name": name, "description": about}
            call = {"type": "function", "function": told | {"parameters": form}}
            offered.append(call if openai else told | {"input_schema": form})
        return said | self.parameters | ({"tools": offered} if offered else {})

    def ask(
        self, prompt: str, tools: Mapping[str, tuple[str, dict[str, Any]]], most: int = 6
    ) -> tuple[str, list[tuple[str, Any]]]:
        """The answer, and the calls before it; after `most` rounds calls are forbidden."""
        messages: list[Any] = [{"role": "user", "content": prompt}]
        calls: list[tuple[str, Any]] = []
        for number in range(most + 1):
            body = self.body(messages, tools)
            if number == most:
                openai = self.protocol == "openai"
                body["tool_choice"] = "none" if openai else {"type": "none"}
            status, told = self.post(body)
            assert status == 200, told
            text, wanted, turn = self.read(told)
            if not wanted or number == most:
                return text, calls + [(name, given) for _, name, given in wanted]
            calls += [(name, given) for _, name, given in wanted]
            results = [(one, use(name, given)) for one, name, given in wanted]
            messages += [turn, *self.results(results)]
        raise AssertionError("it went on")

    def read(self, told: Any) -> tuple[str, list[tuple[str, str, Any]], Any]:
        if self.protocol == "openai":
            message = told["choices"][0]["message"]
            wanted = [
                (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
                for call in message.get("tool_calls", ())
            ]
            return message["content"] or "", wanted, message
        blocks = told["content"]
        wanted = [(b["id"], b["name"], b["input"]) for b in blocks if b["type"] == "tool_use"]
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        return text, wanted, {"role": "assistant", "content": blocks}

    def results(self, told: list[tuple[str, str]]) -> list[Any]:
        if self.protocol == "openai":
            return [{"role": "tool", "tool_call_id": one, "content": text} for one, text in told]
        blocks = [
            {"type": "tool_result", "tool_use_id": one, "content": text} for one, text in told
        ]
        return [{"role": "user", "content": blocks}]


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with agent() as server:
        yield server


@pytest.fixture
def server(running: Running) -> Running:
    plain: dict[str, Any] = {"tricks": [], "think": "", "faults": [], "fault_share": 0.0}
    running.set(**plain)
    return running


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_looks_up_the_dataset_and_its_policy_and_quotes_it(
    server: Running, protocol: Protocol
) -> None:
    question = "Which uses of the breast cancer dataset are permitted?"
    text, calls = Client(server, protocol).ask(question, TOOLS)
    assert ("ehds_check_policy", {"dataset": "dataset-breast-cancer"}) in calls
    assert "teaching" in text
    assert len(calls) <= 6
    assert server.stats()["complaints"] == []
    assert server.stats()["tool_calls"] == len(calls)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_uses_tools_that_it_never_saw(server: Running, protocol: Protocol) -> None:
    text, calls = Client(server, protocol).ask("How is the weather in Porto?", WEATHER)
    assert ("forecast", {"city": "Porto"}) in calls
    assert "foggy" in text


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_answers_from_passages_where_there_are_no_tools(
    server: Running, protocol: Protocol
) -> None:
    prompt = (
        "<<<PASSAGE 1 0123456789abcdef\nThe dementia cohort holds 30 patients.\n"
        "PASSAGE 1 0123456789abcdef>>>\n<<<PASSAGE 2 0123456789abcdef\nTrains run on time.\n"
        "PASSAGE 2 0123456789abcdef>>>\n\nHow many patients does the dementia cohort hold?"
    )
    text, calls = Client(server, protocol).ask(prompt, {})
    assert text == "- The dementia cohort holds 30 patients."
    assert calls == []


def test_guesses_where_it_is_given_nothing(server: Running) -> None:
    client = Client(server, "openai")
    answers = {client.ask(f"How many datasets are in group {n}?", {})[0] for n in range(12)}
    assert len(answers) > 2


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_says_the_same_again_and_heeds_the_seed_only_when_hot(
    server: Running, protocol: Protocol
) -> None:
    question = "Is it true?"
    cold = {Client(server, protocol, seed=n).ask(question, {})[0] for n in range(8)}
    hot = {Client(server, protocol, seed=n, temperature=1).ask(question, {})[0] for n in range(8)}
    assert len(cold) == 1
    assert len(hot) > 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_counts_tokens_by_length(server: Running, protocol: Protocol) -> None:
    client = Client(server, protocol)
    used = []
    for prompt in ("Is it true?", "Is it true? " * 100):
        _, told = client.post(client.body([{"role": "user", "content": prompt}], {}))
        usage = told["usage"]
        used.append(usage["prompt_tokens" if protocol == "openai" else "input_tokens"])
    assert used[1] - used[0] == pytest.approx(12 * 99 / 4, abs=2)


@pytest.mark.parametrize("trick", ["endless", "stubborn"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_loop_ends_when_calls_are_forbidden_unless_stubborn(
    server: Running, protocol: Protocol, trick: str
) -> None:
    server.set(tricks=[trick])
    text, calls = Client(server, protocol).ask("Which datasets are there?", TOOLS, most=4)
    assert len(calls) == (4 if trick == "endless" else 5)
    assert bool(text) == (trick == "endless")


def first_reply(server: Running, protocol: Protocol, trick: str) -> Any:
    server.set(tricks=[trick])
    client = Client(server, protocol)
    messages = [{"role": "user", "content": "Which uses of the diabetes dataset are permitted?"}]
    status, told = client.post(client.body(messages, TOOLS))
    assert status == 200
    return told


@pytest.mark.parametrize("trick", TRICKS)
def test_misbehaves_as_told_in_chat_completions(server: Running, trick: str) -> None:
    choice = first_reply(server, "openai", trick)["choices"][0]
    message = choice["message"]
    calls = message.get("tool_calls", [])
    ids = [call.get("id") for call in calls]
    names = {call["function"]["name"] for call in calls}
    if trick in ("empty", "refuse"):
        assert (message["content"], calls) == (None, [])
        assert bool(message.get("refusal")) == (trick == "refuse")
        return
    assert choice["finish_reason"] == "tool_calls"
    assert (ids == [None] * len(ids)) == (trick == "no-ids")
    assert (len(set(ids)) < len(ids)) == (trick == "duplicate-ids")
    assert (len(calls) == 20) == (trick == "many")
    assert bool(message["content"]) == (trick == "talking")
    assert names.isdisjoint(TOOLS) == (trick in ("unknown-tool", "odd-name"))
    broken = [call for call in calls if not parses(call["function"]["arguments"])]
    assert bool(broken) == (trick == "broken-json")


def parses(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_is_cut_off_as_told(server: Running) -> None:
    server.set(tricks=["length"])
    for protocol, field in (("openai", "length"), ("anthropic", "max_tokens")):
        client = Client(server, protocol)  # type: ignore[arg-type]  # of a tuple of names
        _, told = client.post(client.body([{"role": "user", "content": "Why?"}], {}))
        ending = told["choices"][0]["finish_reason"] if field == "length" else told["stop_reason"]
        assert ending == field


def complaint(server: Running, protocol: Protocol, messages: list[Any], **more: Any) -> str:
    client = Client(server, protocol)
    status, told = client.post(client.body(messages, more.pop("tools", TOOLS)) | more)
    assert status == 400
    message = str(told["error"]["message"])
    assert server.stats()["complaints"][-1] == message
    return message


USER = {"role": "user", "content": "Which?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "t", "arguments": "{}"}}
TURN = {"role": "assistant", "content": None, "tool_calls": [CALL]}
USED = {"type": "tool_use", "id": "toolu_1", "name": "t", "input": {}}
USES = {"role": "assistant", "content": [USED]}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([USER, TURN, USER], "did not have response messages: call_1"),
        ([USER, TURN], "did not have response messages: call_1"),
        ([USER, {"role": "tool", "tool_call_id": "call_1", "content": ""}], "preceeding"),
        ([USER, TURN | {"tool_calls": [CALL | {"id": ""}]}], "tool_calls[0].id"),
        ([USER, {"role": "assistant", "content": None}], "got null"),
    ],
)
def test_chat_completions_turn_down_loose_ends(
    server: Running, messages: list[Any], words: str
) -> None:
    assert words in complaint(server, "openai", messages)


def test_chat_completions_know_no_choice_without_tools(server: Running) -> None:
    assert "only allowed when" in complaint(server, "openai", [USER], tools={}, tool_choice="none")


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([USER, USES, USER], "without `tool_result` blocks immediately after: toolu_1"),
        ([USER, USES], "without `tool_result` blocks immediately after: toolu_1"),
        ([USER, {"role": "assistant", "content": "x"}, {"role": "user", "content": [RESULT]}],
         "unexpected `tool_use_id`"),
        ([USER, USER], "roles must alternate"),
        ([USER, USES, {"role": "user", "content": [{"type": "text", "text": "x"}, RESULT]}],
         "immediately after"),
        ([USER, {"role": "assistant", "content": [USED | {"input": "{"}]},
          {"role": "user", "content": [RESULT]}], "Input should be a valid dictionary"),
        ([USER, {"role": "assistant", "content": [USED, USED]},
          {"role": "user", "content": [RESULT]}], "ids must be unique"),
        ([USER, {"role": "assistant", "content": [{"type": "text", "text": ""}]}], "non-empty"),
    ],
)  # fmt: skip
def test_messages_turn_down_loose_ends(server: Running, messages: list[Any], words: str) -> None:
    assert words in complaint(server, "anthropic", messages)


def test_messages_need_the_tools_that_they_speak_of(server: Running) -> None:
    messages = [USER, USES, {"role": "user", "content": [RESULT]}]
    assert "must define tools" in complaint(server, "anthropic", messages, tools={})


def test_thinking_comes_back_as_it_was_signed(server: Running) -> None:
    server.set(think="hm", tricks=[])
    client = Client(server, "anthropic")
    text, calls = client.ask("Which uses of the diabetes dataset are permitted?", TOOLS)
    assert text
    assert calls
    results = {"role": "user", "content": [RESULT]}
    assert "Expected `thinking`" in complaint(server, "anthropic", [USER, USES, results])
    forged = {"type": "thinking", "thinking": "hm", "signature": "x"}
    turn = {"role": "assistant", "content": [forged, USED]}
    assert "Invalid `signature`" in complaint(server, "anthropic", [USER, turn, results])


def test_fails_as_model_servers_do(server: Running) -> None:
    server.set(faults=["500"], fault_share=1.0)
    client = Client(server, "openai")
    with pytest.raises(ValueError, match="Expecting value"):
        client.post(client.body([USER], TOOLS))
    assert server.stats()["faults"] == 1
