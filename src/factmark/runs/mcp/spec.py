"""Which MCP server is meant, and how it is reached."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal, Self
from urllib.parse import urlsplit

from factmark.errors import InputError

_URL = re.compile(r"(sse\+)?https?://", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FORMS = (
    "write https://host/path (streamable HTTP), sse+https://host/path (SSE), or a command line "
    "such as 'factmark serve mcp' (stdio)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServerSpec:
    """An MCP server.

    Attributes:
        transport: how it is spoken to. `http` falls back to `sse` where the server is an old one.
        url: of `http` and `sse`.
        command: of `stdio`, the program and its arguments.
        token_env: of `http` and `sse`, the environment variable that holds the bearer token.
        env: of `stdio`, names of environment variables that the program gets beside PATH, HOME and
            the like. None of the others reach it.
        tools: the names of the tools to offer; None for all.
    """

    transport: Literal["http", "sse", "stdio"]
    url: str = ""
    command: tuple[str, ...] = ()
    token_env: str | None = None
    env: tuple[str, ...] = ()
    tools: tuple[str, ...] | None = None

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        token_env: str | None = None,
        env: tuple[str, ...] = (),
        tools: tuple[str, ...] | None = None,
    ) -> Self:
        """A server from a URL or a command line.

        Raises:
            InputError: the text is neither, holds a password, or an option does not fit.
        """
        text = text.strip()
        for name in (*env, *([] if token_env is None else [token_env])):
            if not _NAME.fullmatch(name):
                raise InputError(
                    f"{name[:40]!r} is no name of an environment variable. Name the variable "
                    "that holds the value; never give the value itself."
                )
        if _URL.match(text):
            if env:
                raise InputError("env is for a server that is started here, not for a URL.")
            transport, url = _parsed_url(text)
            return cls(transport=transport, url=url, token_env=token_env, tools=tools)
        if token_env is not None:
            raise InputError("token_env is for a URL; use env for a server that is started here.")
        return cls(transport="stdio", command=_parsed_command(text), env=env, tools=tools)

    @property
    def label(self) -> str:
        """The host, or the program's own name: for signatures."""
        if self.transport == "stdio":
            return PurePath(self.command[0]).name
        return urlsplit(self.url).hostname or ""

    @property
    def shown(self) -> str:
        """The URL without its query, or the program: for messages."""
        if self.transport == "stdio":
            return f"the MCP server {PurePath(self.command[0]).name}"
        parts = urlsplit(self.url)
        return f"the MCP server {parts.scheme}://{parts.netloc}{parts.path}"

    def environment(self) -> dict[str, str]:
        """The variables that a program gets beside those that every program gets.

        Raises:
            InputError: one of them is not set.
        """
        missing = []
        for name in self.env:
            if name not in os.environ:
                missing.append(name)
        if missing:
            raise InputError(
                f"{self.shown} is to get the environment variable {missing[0]}, which is not set."
            )
        return {name: os.environ[name] for name in self.env}


def _parsed_url(text: str) -> tuple[Literal["http", "sse"], str]:
    """The transport and the URL of a server; raises InputError for one that cannot be used."""
    old = text[:4].lower() == "sse+"
    if old:
        url = text[4:]
    else:
        url = text
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port
        secret = parts.username is not None or parts.password is not None
    except ValueError:
        host = None
        secret = False
    if not host or not url.isprintable() or " " in url:
        raise InputError(f"the URL of an MCP server cannot be read: {_FORMS}.")
    if secret:
        raise InputError(
            "the URL of an MCP server holds a password. Put a token into an environment variable "
            "and name that as token_env."
        )
    return ("sse" if old or parts.path.rstrip("/").endswith("/sse") else "http"), url


def _parsed_command(text: str) -> tuple[str, ...]:
    """The words of a command line; raises InputError for one that cannot be read."""
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise InputError(f"the command of the MCP server: {error}; {_FORMS}.") from error
    if not command or not command[0] or "\0" in text:
        raise InputError(f"no MCP server is named: {_FORMS}.")
    if "://" in command[0]:
        scheme = command[0].partition("://")[0][:20]
        raise InputError(f"{scheme}:// is no way to an MCP server: {_FORMS}.")
    return command
