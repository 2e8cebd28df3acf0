"""How an MCP server is reached: a process that is started here, streamable HTTP, or SSE.

Stdio and SSE are ours. The SDK's read a long line in time that grows with its square (10 MB took
21 s with mcp 2.3.0, and 3 s here) and of any length, and take no event above 1 MB.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urljoin, urlsplit

import anyio
import httpx2
from anyio.abc import TaskStatus
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, jsonrpc_message_adapter
from yarl import URL

from factmark.files.text_files import mend_texts
from factmark.http.addresses import add_secrets_of
from factmark.http.secret import Secret, keys_in_command
from factmark.redaction import add_secret, redacted
from factmark.runs.mcp.spec import McpServerSpec
from factmark.version import __version__

_LONGEST_MESSAGE = 64 * 2**20  # bytes
_KEPT_STDERR = 4_000
_POOL = 256  # requests in flight at once
_LAST_WORDS_SECONDS = 0.5
_EXIT_SECONDS = 2.0  # to end by itself once its stdin is closed, and again after SIGTERM
_FLUSH_SECONDS = 0.5
_SECRET_NAME = re.compile(r"key|token|secret|pass|auth|credential", re.IGNORECASE)

_Sink = MemoryObjectSendStream[SessionMessage | Exception]
_Source = MemoryObjectReceiveStream[SessionMessage]


class BrokenStreamError(httpx2.RemoteProtocolError):
    """A stream of events that names no endpoint to post to; says which."""


@dataclass(slots=True)
class Notes:
    """What is seen of a server beside its messages.

    Attributes:
        status: the HTTP status of its last answer; 0 before the first.
        stderr: the end of what a process writes there.
        closed: set when that stream has ended.
    """

    status: int = 0
    stderr: bytes = b""
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self, stderr: asyncio.StreamReader) -> None:
        """Keeps the end of what a process writes to stderr."""
        while chunk := await stderr.read(_KEPT_STDERR):
            self.stderr = (self.stderr + chunk)[-_KEPT_STDERR:]
        self.closed.set()

    async def last_words(self) -> str:
        """The last lines of stderr, once the process had a moment to finish them."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_SECONDS):
                await self.closed.wait()
        text = self.stderr.decode("utf-8", "replace")
        if len(self.stderr) == _KEPT_STDERR:
            text = "".join(re.split(r"\s", text, maxsplit=1)[1:])  # its first word may be cut
        lines = redacted(text).strip().splitlines()
        return " / ".join(line.strip() for line in lines[-3:])[:400]


Way = Callable[[Notes], AbstractAsyncContextManager[Any]]
"""Opens what the SDK's client takes as its server."""


def ways_to(spec: McpServerSpec, *, seconds: float, connect: float) -> list[Way]:
    """The transports by which to reach a server, in the order in which to try them.

    Args:
        seconds: of the longest call.
        connect: seconds to get a connection.

    Raises:
        InputError: an environment variable that is needed is missing.
    """
    if spec.transport == "stdio":
        environment = get_default_environment() | spec.environment()
        return [lambda notes: nullcontext(_stdio_transport(spec.command, environment, notes))]
    token = Secret.from_environment(spec.token_env)
    timeout = httpx2.Timeout(connect, read=max(300.0, seconds + 60.0))

    def over(kind: Literal["http", "sse"]) -> Way:
        return lambda notes: _http_transport(spec.url, kind, token, timeout, notes)

    if spec.transport == "http":
        return [over("http"), over("sse")]
    return [over("sse")]


def add_secrets_of_server(spec: McpServerSpec) -> None:
    """Has the server's token and keys, those in its address or command too, struck out of texts."""
    names = [name for name in spec.env if _SECRET_NAME.search(name)]
    if spec.token_env is not None:
        names.append(spec.token_env)
    for name in names:
        add_secret(os.environ.get(name, "").strip())
    for key in keys_in_command(spec.command):
        add_secret(key)
    if spec.url:
        add_secrets_of(URL(spec.url))


@asynccontextmanager
async def _stdio_transport(
    command: Sequence[str], environment: dict[str, str], notes: Notes
) -> AsyncGenerator[Any, None]:
    """A message a line, on a process' stdin and stdout; a longer one than 64 MiB is dropped.

    When the block ends the process has ended, and those of its children that are in its group.

    Raises:
        OSError: the command cannot be started.
    """
    loop = asyncio.get_running_loop()
    pipes, protocol = await loop.subprocess_exec(  # so that the pipes can be closed at the end
        lambda: asyncio.subprocess.SubprocessStreamProtocol(limit=_LONGEST_MESSAGE, loop=loop),
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        start_new_session=True,  # Ctrl-C is for us
    )
    process = asyncio.subprocess.Process(pipes, protocol, loop)
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise AssertionError("the process was started with pipes")
    listener = asyncio.create_task(notes.listen(process.stderr))
    sink, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, source = anyio.create_memory_object_stream[SessionMessage](0)
    written = anyio.Event()
    try:
        async with sink, read, write, source, anyio.create_task_group() as tasks:
            tasks.start_soon(_read_lines, process.stdout, sink)
            tasks.start_soon(_write_lines, process.stdin, source, written)
            try:
                yield read, write
            finally:
                with anyio.CancelScope(shield=True):
                    read.close()
                    write.close()  # what was accepted is still written
                    with anyio.move_on_after(_FLUSH_SECONDS):
                        await written.wait()
                    process.stdin.close()
                    await _end_process(process)
                tasks.cancel_scope.cancel()
    finally:
        listener.cancel()
        _signal_process(process, signal.SIGKILL)
        pipes.close()  # what it still writes is read by nobody
        await asyncio.sleep(0)  # for the loop to let go of them, which may end next


async def _read_lines(stdout: asyncio.StreamReader, sink: _Sink) -> None:
    """Passes messages on until stdout ends; what nobody reads any more is only drained."""
    async with sink:
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            while True:
                try:
                    line = await stdout.readline()
                except ValueError:  # longer than may be: it is dropped
                    continue
                if not line:
                    return
                text = line.strip()
                if text:
                    await sink.send(_parsed_message(text.decode("utf-8", "replace")))
        while await stdout.read(2**18):
            pass


async def _write_lines(stdin: asyncio.StreamWriter, source: _Source, done: anyio.Event) -> None:
    """Writes each message as a line to a process until there are no more."""
    async with source:
        async for message in source:
            line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            with contextlib.suppress(ConnectionError, RuntimeError):  # stdout's end tells it
                stdin.write(line.encode("utf-8", "replace") + b"\n")
                await stdin.drain()
    done.set()


async def _end_process(process: asyncio.subprocess.Process) -> None:
    """Waits for the process to end by itself; then asks it and its children; then kills them."""
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            _signal_process(process, number)
        deadline = anyio.current_time() + _EXIT_SECONDS
        while anyio.current_time() < deadline:  # asked again: `wait` waits for its pipes as well
            if process.returncode is not None:
                return
            await anyio.sleep(0.005)


def _signal_process(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """Sends a signal to a process and its children, also where the process itself has ended."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


@asynccontextmanager
async def _http_transport(
    url: str, kind: Literal["http", "sse"], token: Secret, timeout: httpx2.Timeout, notes: Notes
) -> AsyncGenerator[Any, None]:
    """A connection by HTTP, streamable or with events, with the token in its header."""

    async def note(response: httpx2.Response) -> None:
        notes.status = response.status_code

    headers = {"User-Agent": f"factmark/{__version__}"}
    if token:
        headers["Authorization"] = f"Bearer {token.reveal()}"
    async with httpx2.AsyncClient(
        headers=headers,
        timeout=timeout,
        limits=httpx2.Limits(max_connections=_POOL, max_keepalive_connections=_POOL),
        event_hooks={"response": [note]},
        trust_env=False,
    ) as client:
        if kind == "sse":
            yield _sse_transport(client, url)
        else:
            yield streamable_http_client(
                url, http_client=client, max_sse_event_size=_LONGEST_MESSAGE
            )


@asynccontextmanager
async def _sse_transport(client: httpx2.AsyncClient, url: str) -> AsyncGenerator[Any, None]:
    """HTTP with SSE of the protocol's version 2024-11-05: events one way, POST the other.

    Raises:
        httpx2.HTTPError: the stream cannot be opened, or broke off.
    """
    sink, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, source = anyio.create_memory_object_stream[SessionMessage](0)
    wanted = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
    async with client.stream("GET", url, headers=wanted) as response:
        response.raise_for_status()
        events = httpx2.EventSource(response, max_event_size=_LONGEST_MESSAGE)
        async with sink, read, write, source, anyio.create_task_group() as tasks:
            endpoint = await tasks.start(_read_events, events, url, sink)
            tasks.start_soon(_post_all, client, endpoint, source)
            yield read, write
            tasks.cancel_scope.cancel()


async def _read_events(
    events: httpx2.EventSource,
    url: str,
    sink: _Sink,
    *,
    task_status: TaskStatus[str] = anyio.TASK_STATUS_IGNORED,
) -> None:
    """Passes the server's events on as messages; the first one names the address to post to."""
    known = False
    async with sink:
        async for event in events:
            if event.event == "endpoint" and not known:
                endpoint = urljoin(url, event.data)
                if urlsplit(endpoint)[:2] != urlsplit(url)[:2]:  # the token goes to no other
                    raise BrokenStreamError("it names an endpoint on another server")
                task_status.started(endpoint)
                known = True
            elif event.event == "message" and event.data:
                await sink.send(_parsed_message(event.data))
    if not known:
        raise BrokenStreamError("the event stream ended before it named an endpoint")


async def _post_all(client: httpx2.AsyncClient, endpoint: str, source: _Source) -> None:
    """Posts each message to the server, side by side, until there are no more."""

    async def post(message: SessionMessage) -> None:
        body = message.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        (await client.post(endpoint, json=body)).raise_for_status()

    async with source, anyio.create_task_group() as posts:
        async for message in source:
            posts.start_soon(post, message)


def _parsed_message(text: str) -> SessionMessage | Exception:
    """Returns the message in a text. Where it is no valid message: an error reply to the request
    that it seems to answer, or the exception where it seems to answer none.

    Lone surrogates, which JSON can write and the SDK does not read, become U+FFFD: else the
    message would be lost, and who waits for it would wait out its time.
    """
    value: Any = None
    try:
        value = mend_texts(json.loads(text))
        return SessionMessage(jsonrpc_message_adapter.validate_python(value, by_name=False))
    except (ValueError, RecursionError) as error:
        return _error_reply(value) or error


def _error_reply(value: Any) -> SessionMessage | None:
    """An error in place of a broken answer, if it says which request it is to; else None."""
    number = None
    if isinstance(value, dict) and "method" not in value:
        number = value.get("id")
    if isinstance(number, bool) or not isinstance(number, int | str):
        return None
    error = {"code": INVALID_REQUEST, "message": "the answer does not follow the protocol"}
    answer = {"jsonrpc": "2.0", "id": number, "error": error}
    return SessionMessage(jsonrpc_message_adapter.validate_python(answer, by_name=False))
