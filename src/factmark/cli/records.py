"""Commands whose options are one record: the same for the command line and for Python."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from factmark.errors import InputError

Result = TypeVar("Result")


def takes_options(command: Callable[[Any], Result]) -> Callable[..., Result]:
    """Makes a typer command of a function whose last parameter is a dataclass of options.

    All before it is bound (`partial`).

    Each field is an option or argument, as its `Annotated[type, typer.Option(...)]` says; a field
    that is itself a dataclass stands for its fields. What is not `Annotated` is no option and keeps
    its default. Names must differ.

        @app.command()
        @takes_options
        def score(options: ScoreOptions) -> None: ...
    """
    function: Any
    if isinstance(command, partial):
        function = command.func
    else:
        function = command
    record = get_type_hints(function)[list(inspect.signature(command).parameters)[-1]]
    fields = list(option_parameters(record))

    def run(**values: Any) -> Result:
        return command(options_of(record, values))

    run.__name__ = function.__name__
    run.__doc__ = function.__doc__
    run.__module__ = function.__module__
    run.__annotations__ = {field.name: field.annotation for field in fields}
    run.__signature__ = inspect.Signature(fields)  # type: ignore[attr-defined]  # what typer reads
    return run


def option_parameters(record: type) -> Iterator[inspect.Parameter]:
    """Yields the options of a record as parameters, those of records inside it too; those that it
    shares with others, by inheritance, come last."""
    hints = get_type_hints(record, include_extras=True)
    level = {
        name: level
        for level, kind in enumerate(record.__mro__)
        for name in inspect.get_annotations(kind)
    }
    for field in sorted(dataclasses.fields(record), key=lambda field: level[field.name]):
        kind = hints[field.name]
        if dataclasses.is_dataclass(kind):
            yield from option_parameters(kind)  # type: ignore[arg-type]  # a class, as it is a type hint
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


def options_of(record: type[Result], values: Mapping[str, Any]) -> Result:
    """Returns a record of options from values by name; paths may be texts, and records mappings.

    The fields of a record in it may be given by themselves, as the command line does; of a name
    that both have, the outer field is meant.

    Raises:
        InputError: an option that the command does not have, a value that it cannot have.
    """
    hints = get_type_hints(record)
    bounds = _bounds_of(record)
    nested = {
        name: get_type_hints(hint) for name, hint in hints.items() if dataclasses.is_dataclass(hint)
    }
    given: dict[str, Any] = {}
    for name, value in values.items():
        within = []
        for field, names in nested.items():
            if name in names and name not in hints:
                within.append(field)
        if within:
            given[within[0]] = {**given.get(within[0], {}), name: value}
        else:
            given[name] = value
    for name, value in given.items():
        if name not in hints:
            known = [*hints, *(field for names in nested.values() for field in names)]
            raise no_such_option(name, known)
        if callable(value):
            from factmark.ask.judges.own_function import name_of_given

            given[name] = name_of_given(value)
        _check_bounds(name, value, bounds.get(name))
        _check_kind(name, given[name], hints.get(name))
    return record(**{name: _converted(value, hints.get(name)) for name, value in given.items()})


def no_such_option(name: str, known: Iterable[str]) -> InputError:
    """Returns the error for an option that there is none of, to be raised; it names the nearest."""
    near = get_close_matches(name, known, 1)
    hint = ""
    if near:
        hint = f" Did you mean {near[0]!r}?"
    return InputError(f"there is no option {name!r}.{hint}")


def _bounds_of(record: type) -> dict[str, tuple[float | None, float | None]]:
    """Returns option -> its least and greatest value, as its `typer.Option` says."""
    bounds = {}
    for name, hint in get_type_hints(record, include_extras=True).items():
        for part in getattr(hint, "__metadata__", ()):
            bounds[name] = (getattr(part, "min", None), getattr(part, "max", None))
    return bounds


def _check_bounds(name: str, value: Any, bounds: tuple[float | None, float | None] | None) -> None:
    """Raises InputError for a number that an option cannot have; not a number is none that it can
    have either."""
    if bounds is None or bounds == (None, None) or value is None:
        return
    if isinstance(value, list | tuple):
        for each in value:
            _check_bounds(name, each, bounds)
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{name}={value!r}: is no number.")
    least, most = bounds
    if (least is not None and not value >= least) or (most is not None and not value <= most):
        limits = " and ".join(
            f"{word} {limit:g}"
            for word, limit in (("at least", least), ("at most", most))
            if limit is not None
        )
        raise InputError(f"{name}={value!r}: has to be {limits}.")


def _check_kind(name: str, value: Any, hint: Any) -> None:
    """Raises InputError for a value of a type that an option cannot have."""
    hints = (hint, *get_args(hint))
    kinds = set()
    for kind in hints:
        if isinstance(kind, type):
            kinds.add(kind)
    if any(kind is Any or get_origin(kind) is Literal for kind in hints):
        return
    if any(map(dataclasses.is_dataclass, kinds)):
        return
    if any(get_origin(kind) is list for kind in hints):
        kinds |= {str, list, tuple, Mapping}
    if list[Path] in hints:
        kinds.add(Path)
    if Path in kinds:
        kinds.add(str)
    if float in kinds:
        kinds.add(int)
    if kinds and not isinstance(value, tuple(kinds)):
        names = sorted(kind.__name__ for kind in kinds - {type(None), tuple, Mapping})
        raise InputError(f"{name}={value!r}: has to be {' or '.join(names)}.")


def _converted(value: Any, hint: Any) -> Any:
    """Returns a value as its option's type: a text as a path, a mapping as a record, or as a list
    of NAME=VALUE."""
    hints = (hint, *get_args(hint))
    choices = [choice for kind in hints if get_origin(kind) is Literal for choice in get_args(kind)]
    if choices and value not in choices and (value is not None or type(None) not in hints):
        raise InputError(f"{value!r} is none of {', '.join(choices)}.")
    for kind in (kind for kind in hints if isinstance(kind, type)):
        if isinstance(value, Mapping) and dataclasses.is_dataclass(kind):
            return options_of(kind, value)
        if isinstance(value, str) and issubclass(kind, Path):
            return kind(value)
    is_list = any(get_origin(kind) is list for kind in hints)
    if is_list and isinstance(value, Mapping):
        texts = {}
        for n, v in value.items():
            texts[n] = v if isinstance(v, str) else json.dumps(v)
        return [f"{name}={text}" for name, text in texts.items()]
    if is_list and isinstance(value, str | Path):
        return [value]
    return value
