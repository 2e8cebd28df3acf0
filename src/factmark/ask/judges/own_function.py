"""A function of the user's own, named `module:function`: loaded, and as a judge.

A judge is a function of one unit, given as a dictionary with `claim`, `evidence` and what else the
protocol tells of it. It returns a label, or a label with its reason, or None where it cannot tell:

    def judge(unit):
        return "SUPPORTED" if unit["claim"] in unit["evidence"] else None

It may be `async def`; several units are then under way at a time.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsFloat

from factmark.ask.budget import Spend
from factmark.ask.judges.unit_judge import KEPT_TOGETHER, KEPT_WITHIN, UnitJudge, verdict_by
from factmark.ask.model_spec import names_model
from factmark.errors import InputError
from factmark.http.addresses import add_secrets_of_environment
from factmark.model import Judge, Unit, Verdict, content_hash
from factmark.redaction import redacted

_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*")
_PLAIN_BATCH = 256  # units that a plain function is handed between two looks at the rest
_ASYNC_AT_ONCE = 16  # units of an `async def` that are under way at a time
_MOST_REASON = 500  # characters
_REASONS = 20  # different reasons of failures that are counted apart
_REASONS_TOLD = 5  # the most frequent; every row has its own
_OTHER = "other reasons"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFunction:
    """A function of the user's own.

    Attributes:
        name: `module:function`.
        source: the hash of the module's source; what that imports is not in it.
        path: the module's file.
    """

    name: str
    call: Callable[..., Any]
    source: str
    path: str = ""


def names_function(text: str) -> bool:
    """Returns whether a text is meant as `module:function`, and as no model's name.

    >>> names_function("my.judges:entails"), names_function("openai:gpt"), names_function("m:a-1")
    (True, False, False)
    """
    return bool(_NAME.fullmatch(text)) and not names_model(text)


_GIVEN: dict[str, OwnFunction] = {}


def name_of_given(function: Callable[..., Any]) -> str:
    """Returns a name by which `load_function` finds a function that Python code gave as it is.

    Its identity is the hash of its own source, or where that is not known of its compiled code;
    what it calls, and what its surroundings hold, is not in it.
    """
    try:
        source = content_hash(inspect.getsource(function))
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        source = content_hash(repr(function) if code is None else code.co_code.hex())
    word = re.sub(r"\W+", "", getattr(function, "__name__", "")) or "function"
    name = f"given:{word}_{source[:8]}"
    _GIVEN[name] = OwnFunction(name=name, call=function, source=source)
    return name


def load_function(option: str, name: str, hint: str = "") -> OwnFunction:
    """Returns the function that an option names as `module:function`; modules in this folder are
    found.

    Args:
        hint: ends the message where it cannot be loaded: what else may be given.

    Raises:
        InputError: there is no such module or function, the module cannot be loaded, or what it
            has by that name cannot be called.
    """
    if name in _GIVEN:
        return _GIVEN[name]
    module_name, _, function_name = name.partition(":")
    if not module_name or not function_name:
        raise InputError(f"{option} {name}: give it as module:function.{hint and f' {hint}'}")
    add_secrets_of_environment()
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
        function = getattr(module, function_name)
        source = content_hash(inspect.getsource(module))
        path = inspect.getfile(module)
    except (Exception, SystemExit) as error:  # whatever the user's module does when it is loaded
        why = f"{type(error).__name__}: {error}{hint and f'. {hint}'}"
        raise InputError(f"{option} {name}: {why}") from error
    if not callable(function):
        raise InputError(f"{option} {name}: is no function.")
    return OwnFunction(name=name, call=function, source=source, path=path)


def function_judge(
    function: OwnFunction,
    shown: Callable[[Unit], Mapping[str, object]],
    values: Mapping[str, float],
    **parameters: object,
) -> UnitJudge:
    """Returns a judge that calls the user's function on each unit.

    Where it raises, or returns something else, that unit's verdict is `failed` and has the reason;
    the next run asks it about the unit again.

    Args:
        shown: what the function is given of a unit.
        values: label -> value; other labels are none.
        parameters: what else could change a verdict, as JSON values.
    """
    identity = Judge.create(
        "rule", function.name, source=function.source, labels=list(values), **parameters
    )
    failures: Counter[str] = Counter()

    async def verdict_on(unit: Unit) -> Verdict:
        try:
            returned = function.call({**shown(unit)})
            if inspect.isawaitable(returned):
                returned = await returned
            label, reason = _label_in(returned, values)
        except (Exception, SystemExit, asyncio.CancelledError) as error:
            task = asyncio.current_task()
            if task and task.cancelling():
                raise  # it is the run that is ended; else one unit failed, and others are judged
            why = redacted(_error_text(error))[:_MOST_REASON]
            failures[why if why in failures or len(failures) < _REASONS else _OTHER] += 1
            return Verdict(unit=unit.id, judge=identity.id, status="failed", reason=why)
        return verdict_by(identity, unit, label, reason, values)

    async def judge(units: Sequence[Unit]) -> AsyncIterator[Verdict]:
        for unit in units:
            yield await verdict_on(unit)
            await asyncio.sleep(0)  # so that an interrupt comes through, and progress is told

    alone = inspect.iscoroutinefunction(function.call)
    return UnitJudge(
        identity=identity,
        judge=judge,
        batch=1 if alone else _PLAIN_BATCH,
        at_once=_ASYNC_AT_ONCE if alone else 1,
        kept_together=KEPT_TOGETHER,
        kept_within=KEPT_WITHIN,
        spend=lambda: Spend(failures=_most_frequent(failures)),
    )


def _most_frequent(failures: Counter[str]) -> dict[str, int]:
    """Returns the most frequent reasons with their counts, then all others as one."""
    known = Counter({why: n for why, n in failures.items() if why != _OTHER})
    most = dict(known.most_common(_REASONS_TOLD))
    rest = failures.total() - sum(most.values())
    return most | ({_OTHER: rest} if rest else {})


def _error_text(error: BaseException) -> str:
    """Returns the text of what the user's function raised; its type alone where the text cannot be
    had.
    """
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def _label_in(returned: object, values: Mapping[str, float]) -> tuple[str | None, str]:
    """Returns the label and the reason that a function returned; digits count as labels of a
    rating.

    Raises:
        TypeError, ValueError: it returned something else.
    """
    if isinstance(returned, tuple) and len(returned) == 2:
        label, reason = returned
    else:
        label, reason = (returned, "")
    if not isinstance(reason, str):
        raise TypeError(f"the reason is no text: {reason!r:.100}")
    if isinstance(label, SupportsFloat) and not isinstance(label, bool):
        label = f"{float(label):g}"  # of a rating; NumPy's numbers too
    if label is None or (isinstance(label, str) and label in values):
        return label, reason[:_MOST_REASON]
    raise ValueError(f"it returned {label!r:.100}, and not one of {', '.join(values)} or None")
