"""Public functions whose options are those of a command: typed, named, and checked alike.

    @python_function(FactscoreOptions)
    def factscore(triples=None, passages=None, *, judge="rules", progress=False, **options): ...

The signature that Python, notebooks and `docs/generate.py` see names every option of the record;
from it comes `factmark/__init__.pyi`, which type checkers and editors read.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import Any, TypeVar, get_args

from factmark.cli.records import no_such_option, option_parameters
from factmark.errors import InputError

Answer = TypeVar("Answer")

OF_COMMANDS = frozenset({"out", "json", "show_all", "dry_run", "form"})
"""Options that say how a command shows its result: a function returns it."""


def python_function(
    record: type, *, without: frozenset[str] | set[str] = frozenset()
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Returns a decorator: the function takes, beside its own parameters, the options of a record.

    It runs in a thread of its own, since a notebook has an event loop running already, and raises
    InputError for an option that there is none of, naming the nearest.

    Args:
        record: the options of the command.
        without: options that the function does not take.
    """

    def decorate(function: Callable[..., Answer]) -> Callable[..., Answer]:
        signature = _signature(function, record, OF_COMMANDS | without)

        @wraps(function)
        def call(*given: Any, **options: Any) -> Answer:
            for name in options:
                if name not in signature.parameters:
                    error = no_such_option(name, signature.parameters)
                    raise InputError(f"{function.__name__}(): {error}")
            try:
                signature.bind(*given, **options)
            except TypeError as error:
                raise InputError(f"{function.__name__}(): {error}.") from None
            return outside_loop(lambda: function(*given, **options))

        vars(call)["__signature__"] = signature
        return call

    return decorate


def _signature(
    function: Callable[..., Any], record: type, hidden: frozenset[str]
) -> inspect.Signature:
    """Returns the signature of a function with a record's options in place of `**options`."""
    own = inspect.signature(function)
    parameters = []
    for p in own.parameters.values():
        if p.kind is not p.VAR_KEYWORD:
            parameters.append(p)
    taken = {parameter.name for parameter in parameters} | hidden
    for option in option_parameters(record):
        if option.name not in taken:
            parameters.append(option.replace(annotation=get_args(option.annotation)[0]))
    return own.replace(parameters=parameters)


def outside_loop(function: Callable[[], Answer]) -> Answer:
    """Calls the function in a thread of its own and returns what it does: a notebook has an event
    loop running already."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function).result()
