"""Judges in this process: a function of the user's own, or weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from factmark.ask.judges.own_function import (
    OwnFunction,
    function_judge,
    load_function,
    names_function,
)
from factmark.ask.judges.unit_judge import NamedJudge, ready
from factmark.ask.model_spec import NAMES
from factmark.ask.weights.known_weights import names_local
from factmark.ask.weights.local_judge import LocalWeights, local_judge, read_local
from factmark.ask.weights.nli_folder import NliFolder, names_nli_folder, read_nli_folder
from factmark.model import Unit

OwnJudge = OwnFunction | NliFolder | LocalWeights
"""What `--judge` may name that judges in this process."""


def own_judge(option: str, judge: str) -> OwnJudge | None:
    """Returns the judge in this process that an option names; None where it names rules or a model
    that is asked.

    Raises:
        InputError: as `load_function`, `read_nli_folder` and `read_local`.
    """
    if names_local(judge):
        return read_local(option, judge)
    if names_nli_folder(judge):
        return read_nli_folder(option, judge)
    if not names_function(judge):
        return None
    hint = f"Write local, one of {NAMES}, nli:FOLDER, or module:function of your own."
    return load_function(option, judge, hint)


def open_own_judge(
    own: OwnJudge,
    shown: Callable[[Unit], Mapping[str, object]],
    values: Mapping[str, float],
    **parameters: object,
) -> NamedJudge:
    """Returns how a judge in this process is opened.

    Args:
        shown: what it is given of a unit, `claim` and `evidence` among it.
        values: label -> value.
        parameters: what else could change a verdict, as JSON values.

    Raises:
        InputError: it cannot give such labels.
    """
    if isinstance(own, OwnFunction):
        return ready(function_judge(own, shown, values, **parameters))
    if isinstance(own, LocalWeights):
        return local_judge(own, shown, values, **parameters)
    from factmark.ask.weights.nli_judge import nli_judge  # with numpy

    return nli_judge(own, shown, values, **parameters)
