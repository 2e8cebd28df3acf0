"""The forms in which models write a tool call as text, a grammar for each in one table. Pure.

What opens a call (`MARK`), the calls that stand from a place on (`read_calls`), and how a value
that came as text is typed. Which texts are calls at all is for `tool_calls` to say.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

ToolSchemas = Mapping[str, Mapping[str, object]]
"""The tools that are offered: name -> JSON schema of the arguments."""
WrittenCall = tuple[str, object]
"""The name of a tool as written, and its arguments."""

_N = r"(?P<name>[\w.:/-]{1,128}?)(?![\w./-])"
_QUOTED = rf"[\"']?{_N}[\"']?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a family of models writes a call.

    Attributes:
        models: whose form it is.
        call: what stands before the arguments, with the `name` of the tool.
        argument: one argument, with its `key` and `value`; empty where all of them are a JSON
            object.
    """

    models: str
    call: str
    argument: str = ""


def _tag(name: str, key: str) -> str:
    """An element that is an argument: its key in the opening tag, its value up to the closing one,
    which some models leave out before the next.
    """
    opening = rf"<{name}{key}>"
    closing = rf"</{name}>"
    following = rf"(?=\s{{0,9}}(?:<{name}[ =]|</))"
    return rf"{opening}(?P<value>.*?)(?:{closing}|{following})"


_ATTRIBUTE = r"\s+name\s*=\s*[\"']?(?P<key>[^\"'>]{1,128})[\"']?[^>]{0,80}"
_ANY_TAG = r"<(?P<key>[A-Za-z_][\w.-]{0,63})>(?P<value>.*?)</(?P=key)>"
_CHANNEL = r"(?:<\|start\|>)?(?:assistant)?\s*(?:<\|channel\|>)?\s*(?:commentary|analysis)?\s*"
_TO_JSON = r"[^{<]{0,40}(?:<\|constrain\|>\s*\w{0,20})?\s*(?:<\|message\|>)?\s*(?:json)?\s*(?=\{)"

DIALECTS = (
    Dialect(
        models="DeepSeek V3, R1",
        call=rf"(?:function)?<｜tool▁sep｜>{_N}\s*```(?:json)?\s*(?=\{{)",
    ),
    Dialect(models="DeepSeek V3.1", call=rf"{_N}<｜tool▁sep｜>\s*(?=\{{)"),
    Dialect(
        models="DeepSeek V3.2, V4",
        call=rf"<｜DSML｜invoke\s+name={_QUOTED}\s*>",
        argument=_tag("｜DSML｜parameter", _ATTRIBUTE).replace("</｜", "</?｜"),
    ),
    Dialect(models="Kimi K2", call=rf"{_N}(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*(?=\{{)"),
    Dialect(
        models="Kimi K3",
        call=rf"<\|open\|>call\s+tool={_QUOTED}[^<>]{{0,80}}<\|sep\|>",
        argument=(
            r"<\|open\|>argument\s+key=\"(?P<key>[^\"]{1,128})\"[^<>]{0,80}<\|sep\|>"
            r"(?P<value>.*?)<\|close\|>argument<\|sep\|>"
        ),
    ),
    Dialect(
        models="MiniMax M2, Claude",
        call=rf"<invoke\s+name={_QUOTED}\s*>(?=\s*(?:<parameter|</))",
        argument=_tag("parameter", _ATTRIBUTE),
    ),
    Dialect(models="MiniMax M3", call=rf"<invoke\s+name={_QUOTED}\s*>", argument=_ANY_TAG),
    Dialect(
        models="Step 3",
        call=rf"(?:function)?(?:<｜tool_sep｜>)?<steptml:invoke\s+name={_QUOTED}\s*>",
        argument=_tag("steptml:parameter", _ATTRIBUTE),
    ),
    Dialect(
        models="GLM, LongCat, Hunyuan",
        call=(
            rf"{_N}\s*(?:<tool_sep(?::\w+)?>)?\s*"
            r"(?=<(?:longcat_)?arg_key(?::\w+)?>|</(?:longcat_)?tool_call(?::\w+)?>)"
        ),
        argument=(
            r"<(?:longcat_)?arg_key(?::\w+)?>(?P<key>[^<]{1,128})</(?:longcat_)?arg_key(?::\w+)?>\s*"
            r"<(?:longcat_)?arg_value(?::\w+)?>(?P<value>.*?)</(?:longcat_)?arg_value(?::\w+)?>"
        ),
    ),
    Dialect(models="Llama, Functionary, Groq", call=rf"<function={_QUOTED}>?\s*(?=\{{)"),
    Dialect(
        models="Qwen Coder, Seed, Nemotron",
        call=rf"<function={_QUOTED}>",
        argument=_tag("parameter", r"=\s*[\"']?(?P<key>[^\"'>]{1,128})[\"']?"),
    ),
    Dialect(
        models="MiniCPM",
        call=rf"<function\s+name={_QUOTED}\s*>",
        argument=_tag("param(?:eter)?", _ATTRIBUTE),
    ),
    Dialect(
        models="Claude 2",
        call=rf"<invoke>\s*<tool_name>{_N}</tool_name>\s*(?:<parameters>)?",
        argument=_ANY_TAG,
    ),
    Dialect(
        models="Cline, MiroThinker",
        call=(
            r"<use_mcp_tool>\s*(?:<server_name>[^<]{0,128}</server_name>\s*)?"
            rf"<tool_name>\s*{_N}\s*</tool_name>\s*<arguments>\s*(?=\{{)"
        ),
    ),
    Dialect(models="gpt-oss (harmony)", call=rf"{_CHANNEL}to={_N}{_TO_JSON}"),
    Dialect(
        models="gpt-oss (harmony), the receiver first",
        call=rf"<\|start\|>assistant\s+to={_N}<\|channel\|>{_TO_JSON}",
    ),
    Dialect(models="Gemma 4, FunctionGemma", call=rf":?(?:call:|<call>)\s*{_N}\s*(?=\{{)"),
    Dialect(
        models="Functionary 2",
        call=rf"<\|recipient\|>\s*{_N}\s*<\|content\|>\s*(?=\{{)",
    ),
    Dialect(
        models="Solar",
        call=rf"[\w-]{{0,40}}<\|tool_call:name\|>{_N}<\|tool_call:args\|>\s*(?=\{{)",
    ),
    Dialect(models="Qwen-Agent", call=rf"✿FUNCTION✿:?\s*{_N}\s*✿ARGS✿:?\s*(?=\{{)"),
    Dialect(
        models="ReAct", call=rf"Action:\s*{_QUOTED}\s*\n\s*Action Input:\s*(?:```\w*\s*)?(?=\{{)"
    ),
    Dialect(models="Functionary 3.2", call=rf">>>\s*{_N}\s*\n\s*(?=\{{)"),
    Dialect(
        models="Mistral", call=rf"{_N}\s*(?:\[CALL_ID\]\s*[\w-]{{1,64}})?\s*(?:\[ARGS\])?\s*(?=\{{)"
    ),
)
"""Each is tried where a call may stand, in this order. Beside them a call is JSON that has the name
in it (Hermes, Qwen, Granite, Phi, Command, xLAM), or Python (Llama 4, Gemma 3, Olmo, LFM)."""

_WORDS = r"(?:tool|function)[ _▁:-]?calls?"
_MARK = re.compile(
    rf"<[|｜]?[\w:▁｜-]{{0,32}}{_WORDS}[\w▁:-]{{0,32}}[|｜]?>"
    r"|<functions>|<｜DSML｜\w+|<steptml:invoke\b|<invoke\s+name=|<invoke>\s*<tool_name>"
    r"|<function=(?=[\"'\w])|<function\s+name=|<use_mcp_tool>|<tool_code>"
    r"|<\|python_(?:tag|start)\|>|\[TOOL_CALLS\]|\[unused11\]|\bfunctools\s*(?=\[)"
    r"|<\|action_start\|>|<\|START_ACTION\|>|<\|tools_prefix\|>|<\|content_invoke_tool_json\|>"
    r"|\[Calling tool:|<\|recipient\|>(?!all\b)|<\|open\|>(?:tools|call)\b"
    r"|function call<\|role_sep\|>|✿FUNCTION✿"
    r"|(?:<\|start\|>)?(?:assistant)?(?:<\|channel\|>)?(?:commentary|analysis)\s{1,9}to=[\w.]+"
    r"|<\|start\|>assistant\s+to=[\w.]+|\bto=functions\.\w+"
    r"|^```(?:tool_code|tool_calls?|function_calls?)\b"
    r"|^Action:[ \t]*(?:(?=```|[\[{])|[\w.-]{1,128}\s*\n\s*Action Input:)"
    r"|^>>>[ \t]*\w+\s*\n\s*(?=\{)|(?:^|(?<=>)):?call:[\w.-]{1,64}\s*\{",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSES = re.compile(r"[_▁:-]end[|｜]?>|<[^|｜].*\|>|<\|\w+[_:]end\b", re.DOTALL)
_SPACE = re.compile(r"[\s,;]*")
_ASIDE = re.compile(  # what stands around calls and between them
    rf"{_MARK.pattern}|<\|(?:open|close)\|>\w*|</[\w:.｜▁-]{{1,40}}>|<[\w:-]{{1,40}}\|>|</?｜DSML｜\w+>"
    r"|<[|｜](?!im_start|start|channel\|>\s*final|[\w▁]*(?:response|output|result))[^<>\n]{1,40}[|｜]?>"
    r"|```\w*[ \t]*(?=$|<)|\[/?(?:TOOL_CALLS|ARGS|unused12)\]|Action:|assistant\b"
    r"|:?call:(?=\w+\()|\](?=\s*$)"
    r"|function(?=<｜)|[\w-]{1,40}(?=<\|content_invoke)",
    re.IGNORECASE | re.MULTILINE,
)
_RULES = tuple(
    (re.compile(rule.call), re.compile(rule.argument, re.DOTALL) if rule.argument else None)
    for rule in DIALECTS
)
_NAMES = ("name", "function", "tool_name", "tool", "action", "recipient_name")
_GIVEN = ("arguments", "parameters", "args", "params", "input", "action_input", "tool_input")
_OTHERS = {"type", "id", "tool_call_id", "call_id", "index"}
_MOST_PARTS = 400  # calls, and marks around them
_LONGEST_CODE = 20_000
_CUT_OFF = re.compile(r"\s*<(?:(?![/|｜])|｜DSML｜p|\|open\|>a|$)")  # an argument that never ends
_CLOSING_TAG = re.compile(r"\s*<(?:/|\|close|[|｜][\w▁]*end)")
_QUOTES = re.compile(r"<escape>(.*?)<escape>|<\|\"\|>(.*?)<\|\"\|>", re.DOTALL)
_STRING = r"\"(?:\\.|[^\"\\])*\""
_PART = re.compile(rf"{_QUOTES.pattern}|{_STRING}|'(?:\\.|[^'\\])*'|[{{}}\[\]]", re.DOTALL)
_BARE_KEY = re.compile(
    rf"{_STRING}|(?P<before>[{{,]\s*)(?P<key>[A-Za-z_][\w.-]{{0,63}})\s*:", re.DOTALL
)


def marks(text: str) -> Iterator[int]:
    """Yields the places where calls open, whoever writes them."""
    for mark in _MARK.finditer(text):
        if not _CLOSES.search(mark[0]):
            space = len(mark[0]) - len(mark[0].lstrip())
            yield mark.start() + space


def read_calls(
    text: str, at: int, tools: ToolSchemas, *, is_marked: bool
) -> tuple[list[WrittenCall], int]:
    """Returns the calls that stand from a place on, and where something else begins.

    Args:
        is_marked: whether a mark opened them; without one a call must have arguments.
    """
    calls: list[WrittenCall] = []
    for _ in range(_MOST_PARTS):
        at = _space_end(text, at)
        if at >= len(text):
            break
        read = _read_at(text, at, tools, is_marked=is_marked)
        if read is not None:
            more, at = read
            calls += more
        elif aside := _ASIDE.match(text, at):
            at = aside.end()
        else:
            break
    return calls, at


def _space_end(text: str, at: int) -> int:
    """Returns where blanks and separators end."""
    space = _SPACE.match(text, at)
    if space:
        return space.end()
    return at


def _read_at(
    text: str, at: int, tools: ToolSchemas, *, is_marked: bool
) -> tuple[list[WrittenCall], int] | None:
    """Returns the calls that begin at a place, and where they end; None where none does."""
    if is_marked:
        for call, argument in _RULES:
            head = call.match(text, at)
            if head:
                read = _arguments_after(text, head.end(), argument)
                if read is not None:
                    return [(head["name"], read[0])], read[1]
    if text[at] in "{[":
        value, end = json_at(text, at)
        if isinstance(value, Mapping):  # a whole message
            value = value.get("tool_calls", value)
        if isinstance(value, list):
            items = value
        else:
            items = [value]
        calls = [_call_in(item, tools, is_marked=is_marked) for item in items]
        named = [call for call in calls if call is not None]
        if calls and len(named) == len(calls):
            return named, end
    return _python_calls(text, at, tools)


def _arguments_after(
    text: str, at: int, argument: re.Pattern[str] | None
) -> tuple[object, int] | None:
    """Returns the arguments of a call behind its name, and where they end."""
    if argument is None:
        value, end = json_at(text, at)
        if isinstance(value, Mapping | str):
            return (value, end)
        return None
    arguments: dict[str, object] = {}
    while given := argument.match(text, _space_end(text, at)):
        arguments[given["key"].strip()] = given["value"].strip()
        at = given.end()
    is_whole = bool(arguments) or _CLOSING_TAG.match(text, at)
    if is_whole and not _CUT_OFF.match(text, at):
        return (arguments, at)
    return None


def json_at(text: str, at: int) -> tuple[object, int]:
    """Returns the whole JSON value that begins at a place, also one in Python's quotes or Gemma's,
    and where it ends; None where there is none.
    """
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, at)
    except (ValueError, RecursionError):
        end = _object_end(text, at)
    code = text[at:end]
    try:
        quoted = _QUOTES.sub(lambda match: json.dumps(match[1] or match[2] or ""), code)
        return json.loads(_BARE_KEY.sub(_with_quoted_key, quoted), strict=False), end
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(code), end
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None, at


def _with_quoted_key(match: re.Match[str]) -> str:
    """Returns a key in quotes; a string as it is."""
    if match["key"]:
        return f'{match["before"]}"{match["key"]}":'
    return match[0]


def _object_end(text: str, at: int) -> int:
    """Returns where the object that begins at a place ends; that place where it does not."""
    depth = 0
    for part in _PART.finditer(text, at, at + _LONGEST_CODE):
        if part[0] in "{[":
            depth += 1
        elif part[0] in "}]":
            depth -= 1
        if depth == 0:
            return part.end()
    return at


def _call_in(value: object, tools: ToolSchemas, *, is_marked: bool) -> WrittenCall | None:
    """Returns the call that a JSON object describes, or None."""
    if isinstance(value, Mapping) and isinstance(inner := value.get("function"), Mapping):
        value = inner
    if not isinstance(value, Mapping):
        return None
    if len(value) == 1 and is_marked:  # Apertus: the tool's name is the key
        [(name, given)] = value.items()
        if name in tools and isinstance(given, Mapping):
            return name, given
    if not {*_NAMES, *_GIVEN, *_OTHERS}.issuperset(value):
        return None
    names = []
    for key in _NAMES:
        if key in value:
            names.append(value[key])
    arguments = [value[key] for key in _GIVEN if key in value] or ([{}] if is_marked else [])
    if len(names) != 1 or len(arguments) != 1 or not isinstance(names[0], str):
        return None
    return names[0], {} if arguments[0] is None else arguments[0]


_JSON_WORDS = {"true": True, "false": False, "null": None}
_CODE_END = re.compile(r"```|</?[\w:|｜-]{1,40}>|<\|[^<>\n]{1,40}\|>|\n\s*\n")
_CODE_START = re.compile(r"\[?\s*(?:print\(\s*|\w+\s*=\s*)?[A-Za-z_][\w.-]*\(")


def _python_calls(text: str, at: int, tools: ToolSchemas) -> tuple[list[WrittenCall], int] | None:
    """Returns the calls in Python that begin at a place: of offered tools, and nothing else."""
    if not _CODE_START.match(text, at):
        return None
    closing = _CODE_END.search(text, at)
    if closing:
        end = closing.start()
    else:
        end = len(text)
    if text.count("[", at, end) < text.count("]", at, end):  # of a bracket around it
        end = text.rfind("]", at, end)
    if end - at > _LONGEST_CODE:
        return None
    try:
        body = ast.parse(text[at:end].strip()).body
        calls = [call for node in body for call in _calls_of(node, tools)]
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    if calls:
        return (calls, end)
    return None


def _calls_of(node: ast.AST, tools: ToolSchemas) -> Iterator[WrittenCall]:
    """Yields the calls of a statement: one, several in a list, one whose value is printed or kept.

    Raises:
        ValueError: it is anything else.
    """
    match node:
        case ast.Expr(value=value) | ast.Assign(value=value) | ast.Await(value=value):
            yield from _calls_of(value, tools)
        case ast.List(elts=items) | ast.Tuple(elts=items) if items:
            for item in items:
                yield from _calls_of(item, tools)
        case ast.Call(func=ast.Name(id="print"), args=[ast.Name()]):
            pass  # of a result that was kept
        case ast.Call(func=ast.Name(id="print"), args=[value]) if "print" not in tools:
            yield from _calls_of(value, tools)
        case ast.Call(func=ast.Name() | ast.Attribute() as name):
            yield ast.unparse(name), _python_arguments(node, ast.unparse(name), tools)
        case _:
            raise ValueError("no call of a tool")


def _python_arguments(call: ast.Call, name: str, tools: ToolSchemas) -> dict[str, object]:
    """Returns the arguments of a call; those without a name stand in the order of the schema.

    Raises:
        ValueError: one is no literal, or has no name in the schema.
    """
    properties = next((known_properties(tools[key]) for key in tools if name.endswith(key)), {})
    places = list(properties)
    if len(call.args) == 1 and isinstance(call.args[0], ast.Dict) and not call.keywords:
        return cast(dict[str, object], _literal(call.args[0]))
    if len(call.args) > len(places):
        raise ValueError("an argument without a name")
    arguments = dict(zip(places, map(_literal, call.args), strict=False))
    for keyword in call.keywords:
        if keyword.arg is None:
            raise ValueError("arguments in an object")
        arguments[keyword.arg] = _literal(keyword.value)
    return arguments


def _literal(node: ast.expr) -> object:
    """Returns the value of a literal, where JSON's words may stand for Python's.

    Raises:
        ValueError: it is none.
    """
    return ast.literal_eval(_JsonWords().visit(node))


class _JsonWords(ast.NodeTransformer):
    """Replaces JSON's words in an expression."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Returns the value of a word of JSON; any other name as it is."""
        if node.id in _JSON_WORDS:
            return ast.Constant(_JSON_WORDS[node.id])
        return node


def known_properties(schema: Mapping[str, object]) -> Mapping[str, object]:
    """Returns the properties of a JSON schema by their names."""
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        return properties
    return {}
