"""YAML as values of JSON: its texts, lists and objects; numbers and days stay as they are written.

YAML reads `no` as false, `1.10` as 1.1 and `12:30` as 750. What a file of questions says is what
stands there, so a scalar is a text, but for `null`, `true` and `false`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from factmark.errors import InputError

_DEEPEST = 60
_NULL = re.compile(r"(?:~|null|Null|NULL|)\Z")
_FLAG = re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z")


def yaml_value(path: Path, text: str) -> Any:
    """Returns the value of a YAML file.

    Raises:
        InputError: it is no YAML, and on which line; it has several documents, or parts that stand
            for so many others that it does not fit.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    plain: Any = type("_PlainLoader", (loader,), {"yaml_implicit_resolvers": {}})
    plain.add_implicit_resolver("tag:yaml.org,2002:null", _NULL, [*"~nN", ""])
    plain.add_implicit_resolver("tag:yaml.org,2002:bool", _FLAG, [*"tTfF"])
    try:
        value = yaml.load(text, plain)  # noqa: S506  # a safe loader that knows fewer words
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise InputError(f"{path}{line}: is no YAML: {error.problem or error.context}.") from error
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"{path}: is no YAML: {str(error).splitlines()[0]}.") from error
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply.") from error
    return _Plain(path, len(text)).value(value)


class _Plain:
    """Makes values of JSON, as long as they are no more than a file can write out.

    A name (`*a`) stands for a part as often as a file likes, and parts for parts; without names a
    file has at least a character for each part.
    """

    def __init__(self, path: Path, room: int) -> None:
        self._path = path
        self._left = room + 1

    def value(self, given: Any, depth: int = 0) -> Any:
        """Returns a part with all that is in it."""
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            raise InputError(f"{self._path}: its names (`*a`) stand for more than the file holds.")
        if isinstance(given, Mapping):
            return {str(name): self.value(part, depth + 1) for name, part in given.items()}
        if isinstance(given, list | tuple | set):
            return [self.value(part, depth + 1) for part in given]
        return given if given is None or isinstance(given, bool) else str(given)
