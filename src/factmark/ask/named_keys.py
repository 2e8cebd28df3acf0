"""Keys that a server wants in its address or in the body: named by their variables, never given.

A key that is given would stand in the shell's history, in the judge's identity and in the ledger,
and a new key would be another judge. `{NAME}` in the path of a base URL and `env:NAME` as the
value of a field are filled in where a request is sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from yarl import URL

from factmark.errors import InputError
from factmark.http.secret import (
    Secret,
    is_key,
    is_key_name,
    keys_in_fields,
    variables_with_keys,
)
from factmark.redaction import add_secret

_IN_PATH = re.compile(r"%7B([A-Za-z_]\w*)%7D", re.IGNORECASE | re.ASCII)
_AS_VALUE = "env:"


def check_address(source: str, url: URL) -> None:
    """Checks that an address holds no key.

    Args:
        source: the option or variable that gave it, for the message.

    Raises:
        InputError: it does; says how to name it.
    """
    variable = _variable_in(url.path)
    given = []
    for part in url.parts:
        if is_key(part):
            given.append(part)
    for key in given:
        add_secret(key)
    if variable or given:
        what = "what looks like a key"
        if variable:
            what = f"the value of {variable}"
        example = f"https://host/{{{variable or 'NAME'}}}/v1"
        raise InputError(
            f"{source} holds {what} in its path, which results and ledgers would keep. Put the key "
            f"into an environment variable and write the name: {example}."
        )


def check_fields(extra: Mapping[str, object]) -> None:
    """Checks that further fields of a request hold no key.

    Raises:
        InputError: they do; says how to name it.
    """
    for field, value in keys_in_fields(extra):
        if not value.startswith(_AS_VALUE):
            add_secret(value)
            raise InputError(
                f"--extra {field}: holds a key, which results and ledgers would keep. Put it into "
                "an environment variable NAME and write env:NAME here; for a header, give "
                "--key-env NAME."
            )


def shown_address(url: URL) -> str:
    """Returns an address with the names of its keys as they were given."""
    return _IN_PATH.sub(r"{\1}", str(url))


def filled_address(text: str) -> URL:
    """Returns an address with its keys in it.

    Raises:
        InputError: one of them is not in the environment.
    """
    url = URL(text)
    if "%7B" not in url.raw_path:
        return url
    path = _IN_PATH.sub(
        lambda name: quote(Secret.from_environment(name[1]).reveal(), safe=""), url.raw_path
    )
    return url.with_path(path, encoded=True).with_query(url.query)


def filled_fields(extra: Mapping[str, object]) -> dict[str, object]:
    """Returns the fields of a request that name keys, with the keys in them; raises as
    `filled_address`.
    """
    fields = {}
    for name, value in extra.items():
        filled = _filled(name, value)
        if filled != value:
            fields[name] = filled
    return fields


def _filled(name: str, value: object) -> Any:
    """Returns the value of a field with the keys in it that are named."""
    if isinstance(value, Mapping):
        return {field: _filled(field, part) for field, part in value.items()}
    if isinstance(value, list):
        return [_filled(name, part) for part in value]
    if isinstance(value, str) and value.startswith(_AS_VALUE) and is_key_name(name):
        return Secret.from_environment(value.removeprefix(_AS_VALUE)).reveal()
    return value


def _variable_in(path: str) -> str:
    """Returns the environment variable that is named after a key and whose value stands in a path;
    empty where there is none."""
    named = (name for name, value in variables_with_keys().items() if value in path)
    return next(named, "")
