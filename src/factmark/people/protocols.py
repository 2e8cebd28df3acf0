"""How work with people reaches the protocol whose units they judge, without importing it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from click import get_current_context

ProtocolOf = Callable[[str], ModuleType]
"""Kind of unit -> the module `campaign` of the slice that has such units, with

- `units_asked(files, kind, known)`: those of a file, or the known ones, as `UnitsAsked`;
- `RUBRICS`: kind -> what a model is asked where people are;
- `score_marks` and `marked_rows`: what marks in an answer come to (`answer` only).

It is imported when it is called for."""


def handed_in() -> ProtocolOf:
    """What `cli/main.py` handed to the command that runs."""
    protocol_of: ProtocolOf = get_current_context().find_root().obj
    return protocol_of
