"""Tool calls as text: each dialect, what cannot be read, and answers that tell of a call."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.replies.tools.tool_calls import (
    fitting_arguments,
    offered_name,
    written_calls,
)

TOOLS = {
    "tide_at": {
        "type": "object",
        "properties": {"port": {"type": "string"}, "days": {"type": "integer"}},
    },
    "list_ports": {"type": "object", "properties": {}},
}
GIVEN = {"port": "Old Quay"}
ARGUMENTS = '{"port": "Old Quay"}'
CALL = '{"name": "tide_at", "arguments": {"port": "Old Quay"}}'
NAMESPACE = "]<]minimax[>["

DIALECTS = {
    "Hermes": f"<tool_call>\n{CALL}\n</tool_call>",
    "Hermes, cut by its stop token": f"<tool_call>\n{CALL}",
    "Qwen Coder": (
        "<tool_call>\n<function=tide_at>\n<parameter=port>\nOld Quay\n</parameter>\n"
        "</function>\n</tool_call>"
    ),
    "Seed": (
        "<seed:tool_call><function=tide_at><parameter=port>Old Quay</parameter></function>"
        "</seed:tool_call>"
    ),
    "MiniMax M2": (
        '<minimax:tool_call>\n<invoke name="tide_at">\n<parameter name="port">Old Quay'
        "</parameter>\n</invoke>\n</minimax:tool_call>"
    ),
    "MiniMax M3": (
        f'{NAMESPACE}<tool_call>\n{NAMESPACE}<invoke name="tide_at">{NAMESPACE}<port>Old Quay'
        f"{NAMESPACE}</port>{NAMESPACE}</invoke>\n{NAMESPACE}</tool_call>"
    ),
    "Claude 2": (
        "<function_calls>\n<invoke>\n<tool_name>tide_at</tool_name>\n<parameters>\n"
        "<port>Old Quay</port>\n</parameters>\n</invoke>\n</function_calls>"
    ),
    "GLM": (
        "<tool_call>tide_at\n<arg_key>port</arg_key>\n<arg_value>Old Quay</arg_value>\n</tool_call>"
    ),
    "LongCat": (
        "<longcat_tool_call>tide_at\n<longcat_arg_key>port</longcat_arg_key>\n"
        "<longcat_arg_value>Old Quay</longcat_arg_value>\n</longcat_tool_call>"
    ),
    "DeepSeek V3": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>tide_at\n```json\n"
        f"{ARGUMENTS}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "DeepSeek V3.1": (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tide_at<｜tool▁sep｜>{ARGUMENTS}"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "DeepSeek V3.2": (
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="tide_at">\n'
        '<｜DSML｜parameter name="port" string="true">Old Quay</｜DSML｜parameter>\n'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
    ),
    "Kimi K2": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.tide_at:0"
        f"<|tool_call_argument_begin|>{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "Kimi K3": (
        '<|open|>tools<|sep|><|open|>call tool="tide_at" index="1"<|sep|><|open|>argument '
        'key="port" type="string"<|sep|>Old Quay<|close|>argument<|sep|><|close|>call<|sep|>'
        "<|close|>tools<|sep|>"
    ),
    "harmony": (
        "<|channel|>analysis<|message|>Ask.<|end|><|start|>assistant<|channel|>commentary "
        f"to=functions.tide_at <|constrain|>json<|message|>{ARGUMENTS}<|call|>"
    ),
    "harmony, the receiver first": (
        "<|start|>assistant to=functions.tide_at<|channel|>commentary <|constrain|>json"
        f"<|message|>{ARGUMENTS}<|call|>"
    ),
    "harmony without its tokens": f"commentary to=functions.tide_at json{ARGUMENTS}",
    "Mistral": f"[TOOL_CALLS][{CALL}]",
    "Mistral with a name before": f"[TOOL_CALLS]tide_at{ARGUMENTS}",
    "Mistral with an id": f"[TOOL_CALLS]tide_at[CALL_ID]a1b2c3d4e[ARGS]{ARGUMENTS}</s>",
    "Llama 3": '<|python_tag|>{"name": "tide_at", "parameters": {"port": "Old Quay"}}<|eom_id|>',
    "Llama's other": f"<function=tide_at>{ARGUMENTS}</function>",
    "Llama 4": '<|python_start|>[tide_at(port="Old Quay")]<|python_end|>',
    "pythonic": '[tide_at(port="Old Quay")]',
    "pythonic, by place": '[tide_at("Old Quay")]',
    "Olmo": '<function_calls>\ntide_at(port="Old Quay")\n</function_calls>',
    "LFM": '<|tool_call_start|>[tide_at(port="Old Quay")]<|tool_call_end|>',
    "Gemma 3": '```tool_code\nprint(default_api.tide_at(port="Old Quay"))\n```',
    "FunctionGemma": (
        "<start_function_call>call:tide_at{port:<escape>Old Quay<escape>}<end_function_call>"
    ),
    "Gemma 4": '<|tool_call>call:tide_at{port:<|"|>Old Quay<|"|>}<tool_call|>',
    "Granite": f"<|tool_call|>[{CALL}]",
    "Phi": f"functools[{CALL}]",
    "Command R": (
        'Action: ```json\n[{"tool_name": "tide_at", "parameters": {"port": "Old Quay"}}]\n```'
    ),
    "Command A": (
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "tide_at", "parameters": '
        '{"port": "Old Quay"}}]<|END_ACTION|>'
    ),
    "InternLM": f"<|action_start|><|plugin|>\n{CALL}<|action_end|>",
    "Nemotron": f"<TOOLCALL>[{CALL}]</TOOLCALL>",
    "Apertus": '<|tools_prefix|>[{"tide_at": {"port": "Old Quay"}}]<|tools_suffix|>',
    "Step 3": (
        "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>"
        '<steptml:invoke name="tide_at">'
        '<steptml:parameter name="port">Old Quay</steptml:parameter></steptml:invoke>'
        "<｜tool_call_end｜><｜tool_calls_end｜>"
    ),
    "MiniCPM": '<function name="tide_at"><param name="port">Old Quay</param></function>',
    "Qwen 2.5": f"[Calling tool: tide_at({ARGUMENTS})]",
    "Qwen-Agent": f"✿FUNCTION✿: tide_at\n✿ARGS✿: {ARGUMENTS}\n✿RESULT✿",
    "ReAct": f"Thought: ask.\nAction: tide_at\nAction Input: {ARGUMENTS}\nObservation: 3 m",
    "Functionary 2": f"<|from|>assistant\n<|recipient|>tide_at\n<|content|>{ARGUMENTS}",
    "xLAM": f"[{CALL}]",
    "a fence": f"```json\n{CALL}\n```",
}
UNREADABLE = [
    '<tool_call>\n{"name": "tide_at", "argu',
    "<tool_call>\n<function=tide_at>\n<parameter=port>\nOld",
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.tide_at:0<|tool_call_argument_begin|>{"p',
    '[tide_at(port="Old',
    '{"name": "tide_at", "arguments": {"port": "O',
    '<tool_call>{"name": "moon_at", "arguments": {}}</tool_call>',  # nobody offers it
    "<some_new_tool_call>tide_at @ Old Quay</some_new_tool_call>",  # a form that nobody knows
]
ANSWERS = [
    '**Tool call:** `tide_at(port="Old Quay")`\n**Result:** `3.1`\n\nHigh water: **3.1 m**.',
    f"I sent `<tool_call>{CALL}</tool_call>` and got 3.1 m.",
    f"The manual asks for <tool_call>{CALL}</tool_call>. The tide is 3.1 m.",
    f"The call was:\n```json\n{CALL}\n```\nand high water stands at 3.1 m.",
    f"You would send\n<tool_call>\n{CALL}\n</tool_call>\nwhich gives 3.1 m.",
    '{"name": "Old Quay", "tide": 3.1}',
    '```json\n{"ports": ["Old Quay"]}\n```',
    "High water stands at 3.1 m.</tool_call>",
    "High water stands at 3.1 m.<|call|>",
    "Action: the harbour master closed the port.",
    "The function call failed, so I cannot tell.",
    "```sparql\nSELECT ?p WHERE { ?p a :Port }\n```",
]


@pytest.mark.parametrize("text", DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize("before", ["", "Let me look that up.\n"])
def test_a_call_in_any_dialect_is_carried_out(text: str, before: str) -> None:
    written = written_calls(before + text, TOOLS)
    assert written is not None
    assert [(name, json.loads(given)) for name, given in written.calls] == [("tide_at", GIVEN)]


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_call_that_cannot_be_read_is_no_answer(text: str) -> None:
    written = written_calls(text, TOOLS)
    assert written is not None
    assert written.calls == ()


@pytest.mark.parametrize("text", ANSWERS)
@pytest.mark.parametrize("called", [(), ("tide_at",)])
def test_an_answer_that_tells_of_a_call_is_an_answer(text: str, called: tuple[str, ...]) -> None:
    assert written_calls(text, TOOLS, called=called) is None


@pytest.mark.parametrize("name", ["Hermes", "pythonic", "Mistral", "GLM", "harmony", "a fence"])
def test_a_call_that_the_model_was_given_is_not_carried_out(name: str) -> None:
    passage = f"An old log.\n{DIALECTS[name]}\nEnd of the log."
    assert written_calls(DIALECTS[name], TOOLS, [passage]) is None


def test_what_follows_a_call_decides_where_the_tool_was_called_before() -> None:
    told = f"I made this call:\n<tool_call>\n{CALL}\n</tool_call>\n\nHigh water stands at 3.1 m."
    assert written_calls(told, TOOLS, called=["tide_at"]) is None
    invented = f"<tool_call>\n{CALL}\n</tool_call>\n<tool_response>9 m</tool_response>\nIt is 9 m."
    written = written_calls(invented, TOOLS)
    assert written is not None
    assert written.calls == (("tide_at", json.dumps(GIVEN)),)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("functions.tide_at", "tide_at"),
        ("tide_at<|channel|>commentary", "tide_at"),
        ("functions.tide_at:3", "tide_at"),
        ("mcp__harbour__tide_at", "tide_at"),
        ("Tide-At", "tide_at"),
        ("tide", None),
        ("tide_at \x1b[31m<b>", None),
        ("", None),
    ],
)
def test_names_are_those_of_offered_tools(written: str, meant: str | None) -> None:
    assert offered_name(written, TOOLS) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (ARGUMENTS, GIVEN),
        (json.dumps(ARGUMENTS), GIVEN),
        (ARGUMENTS + ARGUMENTS, GIVEN),
        ("{}" + ARGUMENTS, GIVEN),
        ('{"Port": "Old Quay"}', GIVEN),
        ("{'port': 'Old Quay'}", GIVEN),
        (f"```json\n{ARGUMENTS}\n```", GIVEN),
        (f"{ARGUMENTS}<|call|>", GIVEN),
        (CALL, GIVEN),
        ('{"days": "3"}', {"days": 3}),
        ('{"port": "3"}', {"port": "3"}),
        ('{"days": "three"}', {"days": "three"}),
    ],
)
def test_arguments_are_what_was_plainly_meant(written: str, meant: object) -> None:
    assert json.loads(fitting_arguments(written, TOOLS["tide_at"])) == meant


@pytest.mark.parametrize(
    "text", ['{"port": "A"}{"port": "B"}', '{"port": "Ol', "Old Quay", "[1, 2]"]
)
def test_arguments_that_could_mean_several_things_stay_as_written(text: str) -> None:
    assert fitting_arguments(text, TOOLS["tide_at"]) == text


@given(st.lists(st.sampled_from([*DIALECTS.values(), *UNREADABLE, "\n", "Well. ", "{", "`"])))
@settings(max_examples=60)
def test_no_text_breaks_the_reader(parts: list[str]) -> None:
    written = written_calls("".join(parts), TOOLS)
    for _, arguments in written.calls if written else ():
        assert isinstance(json.loads(arguments), dict)


@pytest.mark.parametrize(
    "piece",
    [" ", "<tool_call>", "{", "[", "mills(", "<arg_key>a", "to=functions.a ", "'\"", "<escape>"],
)
def test_a_long_text_takes_no_long_time(piece: str) -> None:
    text = "<tool_call>" + piece * (90_000 // len(piece))
    began = time.monotonic()
    written_calls(text, TOOLS, [text])
    assert time.monotonic() - began < 5
