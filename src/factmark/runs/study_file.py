"""Study files: what `factmark run` is to do, in TOML, with the command line's words before it."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from factmark.ask.model_spec import ModelSpec, names_model
from factmark.cli.asking import OURS
from factmark.errors import InputError
from factmark.files.text_files import read_text

ConditionName = Literal["baseline", "rag", "mcp", "context"]
MOST_REPEATS = 1_000
Positive = Annotated[int, Field(ge=1, le=1_000_000_000)]
Repeats = Annotated[int, Field(ge=1, le=MOST_REPEATS)]
Concurrency = Positive | Literal["auto"]
Seconds = Annotated[float, Field(gt=0)]


def _path_beside_file(value: object, info: ValidationInfo) -> object:
    """A path of a study file, from that file's folder; the command line's as it is."""
    if isinstance(value, str):
        return Path(info.context or "", value)
    return value


FilePath = Annotated[Path, BeforeValidator(_path_beside_file)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Asked(_Part):
    """A model on a server.

    Attributes:
        extra: further fields of each request, such as `reasoning_effort`.
        header: further headers; `env:VARIABLE` takes the value from the environment.
        timeout: seconds for one reply.
        rpm, tpm: the most requests and tokens a minute.
    """

    base_url: str | None = None
    key_env: str | None = None
    protocol: Literal["auto", "chat", "responses"] = "auto"
    max_tokens: Positive = 4096
    extra: dict[str, JsonValue] = {}
    header: dict[str, str] = {}
    timeout: Seconds | None = None
    rpm: Positive | None = None
    tpm: Positive | None = None


class ModelEntry(_Asked):
    """A model under test.

    Attributes:
        model: `openai:MODEL` and its kin, see `ModelSpec.parse`.
        name: as results name it; `model` where it is not given.
        temperature, seed: `default` sends none, and the server's own holds.
        repeats, concurrency: the study's where they are not given.
    """

    model: str
    name: Annotated[str, Field(min_length=1)] | None = None
    temperature: float | Literal["default"] = "default"
    top_p: float | None = None
    seed: int | Literal["default"] = 0
    repeats: Repeats | None = None
    concurrency: Concurrency | None = None

    @property
    def title(self) -> str:
        """The model's name in results."""
        return self.name or self.model

    def spec(self) -> ModelSpec:
        """The model, with its parameters; raises InputError as `ModelSpec.parse`."""
        return ModelSpec.parse(
            self.model,
            base_url=self.base_url,
            key_env=self.key_env,
            temperature=None if self.temperature == "default" else self.temperature,
            top_p=self.top_p,
            max_tokens=self.max_tokens,
            seed=None if self.seed == "default" else self.seed,
            extra=self.extra,
        ).speaking(self.protocol)


class Data(_Part):
    """Where the ground truth, the passages and the bundled tools come from.

    Attributes:
        labels: the language of the labels that stand for IRIs in the ground truth, or `none`.
    """

    store: FilePath | None = None
    endpoint: str | None = None
    user_env: str | None = None
    password_env: str | None = None
    timeout: Seconds = 60.0
    labels: str = "en"


class RagPart(_Part):
    """Of the condition `rag`; `index` is the folder that the index is kept in."""

    k: Positive = 5
    embedder: str = "lexical"
    base_url: str | None = None
    key_env: str | None = None
    index: FilePath | None = None


class McpPart(_Part):
    """Of the condition `mcp`.

    Attributes:
        server: `builtin`, a URL, or a command line.
        token_env: the environment variable that holds the token of a URL.
        env: names of environment variables that a command may see.
        tools: names of the tools to offer; all where it is not given.
    """

    server: str = "builtin"
    token_env: str | None = None
    env: list[str] = []
    tools: list[str] | None = None
    rounds: Positive = 5
    tool_seconds: Seconds = 30.0
    result_chars: Positive = 20_000


class ContextPart(_Part):
    """Of the condition `context`."""

    max_tokens: Positive = 32_000


class BudgetPart(_Part):
    """What the whole run may spend, see `Budget`; `prices` is a price table.

    `max_failures` is of each model: calls that fail in a row before it is asked no more.
    """

    max_calls: Annotated[int, Field(ge=0)] | None = None
    max_cost: Annotated[float, Field(ge=0)] | None = None
    max_failures: Annotated[int, Field(ge=1)] = 20
    prices: FilePath | None = None


class EstimatesPart(_Part):
    """How averages are made."""

    level: Annotated[float, Field(ge=0.5, le=0.999)] = 0.95
    target: Literal["units", "process"] = "process"
    resamples: Annotated[int, Field(ge=100, le=1_000_000)] = 10_000
    seed: Annotated[int, Field(ge=0)] = 0


class JudgeEntry(_Asked):
    """Who finds the facts: `rules`, `openai:MODEL` and its kin, or `module:function`."""

    name: str = "rules"
    temperature: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _entry_of_name(cls, given: object) -> object:
        """Returns a judge that is given as its name alone as an entry."""
        if isinstance(given, str):
            return {"name": given}
        return given


class Study(_Part):
    """A whole study.

    Attributes:
        benchmark: `ehds`, or a file with questions.
        questions: ids of those to ask; all where it is not given.
        conditions: in the order of the tables.
        repeats: answers to each question under each condition.
        out: the folder for the report and all else.
        ledger: `ledger.db` in that folder where it is not given.
        prompts: system prompts by condition, in place of the bundled ones.
        judges: who finds the facts: the results rest on those of the first, and all are compared in
            the ledger.
    """

    benchmark: str = "ehds"
    questions: Annotated[list[str], Field(min_length=1)] | None = None
    conditions: Annotated[list[ConditionName], Field(min_length=1)] = ["baseline"]
    repeats: Repeats = 1
    concurrency: Concurrency = "auto"
    out: FilePath | None = None
    ledger: FilePath | None = None
    models: Annotated[list[ModelEntry], Field(min_length=1)]
    data: Data = Data()
    rag: RagPart = RagPart()
    mcp: McpPart = McpPart()
    context: ContextPart = ContextPart()
    prompts: dict[ConditionName, str] = {}
    budget: BudgetPart = BudgetPart()
    estimates: EstimatesPart = EstimatesPart()
    judges: Annotated[list[JudgeEntry], Field(min_length=1)] = [JudgeEntry()]

    @property
    def folder(self) -> Path:
        """Where results are written: `out`, else a folder named after the benchmark."""
        return self.out or Path(f"{Path(self.benchmark).stem}-run")

    @property
    def kept_in(self) -> Path:
        """The ledger's path."""
        return self.ledger or self.folder / "ledger.db"


_PROBLEMS = {
    "is_instance_of": "should be a path, as text",
    "model_type": "should be a table",
    "dict_type": "should be a table",
    "list_type": "should be a list, in brackets",
    "too_short": "should name at least one",
}


def load_study(
    path: Path | None,
    given: Mapping[str, Any],
    *,
    models: Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
) -> Study:
    """The study that a file describes, with the given options in place of what it says.

    Paths in the file are relative to its folder.

    Args:
        path: a `.toml` file, or None.
        given: values of the same form as the file's; what is None says nothing.
        models: in place of the file's; one of those is meant where the name is its own.
        parameters: of every model; what is None says nothing.

    Raises:
        InputError: a file that cannot be read as meant; names the line and what may stand there.
    """
    text = ""
    if path is not None:
        text = read_text(path)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}. A study file is TOML.") from error
    benchmark = table.get("benchmark")
    if path is not None and isinstance(benchmark, str) and Path(benchmark).suffix:
        table["benchmark"] = str(path.parent / benchmark)
    merged = _merge(table, given)
    if models:
        merged["models"] = [_model_entry(name, table.get("models")) for name in models]
    wanted = _without_none(parameters or {})
    if isinstance(merged.get("models"), list):
        merged["models"] = [{**m, **wanted} if isinstance(m, dict) else m for m in merged["models"]]
    try:
        study = Study.model_validate(merged, context=path and path.parent)
    except ValidationError as error:
        raise InputError(_errors_in_words(error, path, text)) from error
    _check_models(study)
    return study


def _merge(table: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The table with what is given in it; a section is merged with the section of that name."""
    out = dict(table)
    for name, value in _without_none(given).items():
        known = table.get(name)
        if isinstance(value, Mapping) and isinstance(known, Mapping):
            value = _merge(known, value)
        out[name] = value
    return out


def _without_none(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are given, in sections too; a section without any is left out."""
    inner = {}
    for k, v in given.items():
        inner[k] = _without_none(v) if isinstance(v, Mapping) else v
    return {name: value for name, value in inner.items() if value is not None and value != {}}


def _model_entry(name: str, entries: object) -> dict[str, Any]:
    """The file's model of that name, else a model of that name."""
    known: list[dict[Any, Any]] = []
    if isinstance(entries, list):
        known = []
        for entry in entries:
            if isinstance(entry, dict):
                known.append(entry)
    for key in ("name", "model"):
        meant = []
        for entry in known:
            if entry.get(key) == name:
                meant.append(entry)
        if len(meant) > 1:
            raise InputError(f"--model {name}: the study file has it more than once; use a name.")
        if meant:
            return meant[0]
    if known and not names_model(name):
        titles = ", ".join(str(entry.get("name", entry.get("model"))) for entry in known)
        raise InputError(
            f"--model {name}: the study file has {titles}. Give one of these, or openai:MODEL."
        )
    return {"model": name}


def _check_models(study: Study) -> None:
    """Raises InputError for two models of one name, or of the same parameters."""
    names = Counter(entry.title for entry in study.models)
    twice = []
    for name, count in names.items():
        if count > 1:
            twice.append(name)
    if twice:
        raise InputError(
            f"Two models are called {twice[0]!r}. Give each a name of its own in the study file."
        )
    same: dict[str, str] = {}
    for entry in study.models:
        _check_extra(entry)
        other = same.setdefault(entry.spec().identity, entry.title)
        if other != entry.title:
            raise InputError(
                f"{other!r} and {entry.title!r} are the same model with the same parameters. For "
                "several answers to a question give repeats."
            )
    again = []
    for name, count in Counter(study.conditions).items():
        if count > 1:
            again.append(name)
    if again:
        raise InputError(f"The condition {again[0]!r} is named twice.")
    if study.data.store is not None and study.data.endpoint is not None:
        raise InputError("Give a store or an endpoint, not both.")


def _check_extra(entry: ModelEntry) -> None:
    """Raises InputError for extra fields that factmark sends itself, or that are no JSON."""
    ours = OURS & entry.extra.keys()
    if ours:
        raise InputError(f"{entry.title}: {min(ours)!r} in extra is what factmark itself sends.")
    try:
        json.dumps(entry.extra, allow_nan=False)
    except ValueError as error:
        raise InputError(f"{entry.title}: extra holds a number that is no JSON.") from error


def _errors_in_words(error: ValidationError, path: Path | None, text: str) -> str:
    """The message for a study that is wrong, with the line that says so where the file has one."""
    first = error.errors()[0]
    kinds = ("int", "float", "constrained-int")  # no names
    steps = []
    for step in first["loc"]:
        if step not in kinds:
            steps.append(step)
    where = ".".join(str(step) for step in steps)
    if first["type"] == "missing" and where == "models":
        return "No model is named. Give --model openai:MODEL, or [[models]] in a study file."
    line = _line_of(text, steps)
    if path and line:
        place = f"{path}, line {line}"
    elif path:
        place = str(path)
    else:
        place = "The options"
    if first["type"] == "extra_forbidden":
        near = get_close_matches(str(steps[-1]), _setting_names(Study), 1)
        hint = "docs/running.md tells which there are."
        if near:
            hint = f"Did you mean {near[0]!r}?"
        return f"{place}: there is no setting {where!r}. {hint}"
    if first["type"] == "literal_error":
        return f"{place}: {where}: {first['input']!r} is none of {first['ctx']['expected']}."
    problem = _PROBLEMS.get(first["type"], first["msg"])
    return f"{place}: {where}: {problem}."


def _setting_names(part: type[BaseModel]) -> list[str]:
    """The names of a part's settings, and of its parts'."""
    names = []
    for name, field in part.model_fields.items():
        names.append(name)
        inner = field.annotation
        for kind in (inner, *get_args(inner)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                names += _setting_names(kind)
    return names


def _line_of(text: str, steps: Sequence[int | str]) -> int | None:
    """The line where a setting stands, as far as it is written in the usual way."""
    names = []
    for step in steps:
        if isinstance(step, str):
            names.append(step)
    if not names:
        return None
    wanted = next((step for step in steps if isinstance(step, int)), None)
    section = ""
    counts = Counter[str]()
    for number, line in enumerate(text.splitlines(), 1):
        head = re.match(r"\s*\[\[?([\w.\"-]+)\]\]?", line)
        if head:
            section = head[1]
            counts[section] += 1
        elif re.match(rf"\s*{re.escape(names[-1])}\s*=", line):
            inside = section == ".".join(names[:-1])
            if inside and (wanted is None or not section or counts[section] == wanted + 1):
                return number
    return None
