"""Commands whose options are one record: the same for the command line, study files and Python."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Annotated, Any, TypeVar, get_origin, get_type_hints

Result = TypeVar("Result")


def takes_options(command: Callable[[Any], Result]) -> Callable[..., Result]:
    """A command for typer, of a function whose last parameter is a dataclass of options.

    All before it is bound (`partial`).

    Each field is an option or argument, as its `Annotated[type, typer.Option(...)]` says; a field
    that is itself a dataclass stands for its fields. What is not `Annotated` is no option and keeps
    its default. Names must differ.

    >>> @app.command()
    ... @takes_options
    ... def score(options: ScoreOptions) -> None: ...
    """
    function: Any = command.func if isinstance(command, partial) else command
    record = get_type_hints(function)[list(inspect.signature(command).parameters)[-1]]
    fields = list(_fields(record))

    def run(**values: Any) -> Result:
        return command(_made(record, values))

    run.__name__, run.__doc__, run.__module__ = (
        function.__name__,
        function.__doc__,
        function.__module__,
    )
    run.__annotations__ = {field.name: field.annotation for field in fields}
    run.__signature__ = inspect.Signature(fields)  # type: ignore[attr-defined]  # what typer reads
    return run


def _fields(record: type) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(record, include_extras=True)
    for field in dataclasses.fields(record):
        kind = hints[field.name]
        if dataclasses.is_dataclass(kind):
            yield from _fields(kind)  # type: ignore[arg-type]  # a class, as it is a type hint
            continue
        if get_origin(kind) is not Annotated:
            continue
        default = field.default
        if default is dataclasses.MISSING and field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if default is dataclasses.MISSING else default,
            annotation=kind,
        )


def _made(record: type, values: Mapping[str, Any]) -> Any:
    hints = get_type_hints(record)
    given = {
        field.name: _made(hints[field.name], values)
        if dataclasses.is_dataclass(hints[field.name])
        else values[field.name]
        for field in dataclasses.fields(record)
        if dataclasses.is_dataclass(hints[field.name]) or field.name in values
    }
    return record(**given)
