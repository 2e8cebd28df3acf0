"""The transport of MCP servers that are started here: a message a line, on stdin and stdout.

The SDK's own reads a long line in time that grows with its square (a result of 10 MB holds all
calls up for seconds), lets a line grow without a bound, and sends stderr to the terminal.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, jsonrpc_message_adapter

from factmark.files.text_files import sound


def message_of(text: str) -> SessionMessage | Exception:
    """The message; for an answer that is none, an error in its place; else why it is none.

    Lone surrogates, which JSON can write and the SDK does not read, become U+FFFD: else the
    message would be lost, and who waits for it would wait out its time.
    """
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValueError as error:
        return _mended(text, error)


def _mended(text: str, error: ValueError) -> SessionMessage | Exception:
    try:
        value = sound(json.loads(text))
    except (ValueError, RecursionError):
        return error
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_python(value, by_name=False))
    except (ValueError, RecursionError):
        return error if not isinstance(value, dict) else _refused(value, error)


def _refused(value: dict[str, Any], error: ValueError) -> SessionMessage | Exception:
    """An error in place of the answer that the message was to be, if it says to which request."""
    number = value.get("id")
    if "method" in value or isinstance(number, bool) or not isinstance(number, int | str):
        return error
    said = {"code": INVALID_REQUEST, "message": "the answer does not follow the protocol"}
    made = {"jsonrpc": "2.0", "id": number, "error": said}
    return SessionMessage(jsonrpc_message_adapter.validate_python(made, by_name=False))


_CHUNK = 256 * 1024
_EXIT_SECONDS = 2.0  # to end by itself once its stdin is closed, and again after SIGTERM
_FLUSH_SECONDS = 0.5


class Watcher(Protocol):
    """Who takes note of what the process writes to stderr."""

    def wrote(self, chunk: bytes) -> None:
        """A piece of it; an empty one at the end."""


@asynccontextmanager
async def stdio_transport(
    command: Sequence[str],
    environment: Mapping[str, str],
    watcher: Watcher,
    *,
    longest_line: int,
) -> AsyncGenerator[Any, None]:
    """The pair of streams that the SDK's client reads from and writes to.

    When the block ends the process has ended, and those of its children that are in its group.

    Args:
        environment: variables beside PATH, HOME and the like.
        longest_line: bytes of one message; a longer one is dropped.

    Raises:
        OSError: the command cannot be started.
    """
    loop = asyncio.get_running_loop()
    pipes, protocol = await loop.subprocess_exec(  # so that the pipes can be closed at the end
        lambda: asyncio.subprocess.SubprocessStreamProtocol(limit=_CHUNK, loop=loop),
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=get_default_environment() | dict(environment),
        start_new_session=True,  # Ctrl-C is for us
    )
    process = asyncio.subprocess.Process(pipes, protocol, loop)
    listener = asyncio.create_task(_listen(process, watcher))
    sink, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, source = anyio.create_memory_object_stream[SessionMessage](0)
    written = anyio.Event()
    try:
        async with sink, read, write, source, anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, sink, longest_line)
            tasks.start_soon(_write, process, source, written)
            try:
                yield read, write
            finally:
                with anyio.CancelScope(shield=True):
                    read.close()
                    write.close()  # what was accepted is still written
                    with anyio.move_on_after(_FLUSH_SECONDS):
                        await written.wait()
                    await _stop(process)
                tasks.cancel_scope.cancel()
    finally:
        listener.cancel()
        kill(process, signal.SIGKILL)
        pipes.close()  # what it still writes is read by nobody
        await asyncio.sleep(0)  # for the loop to let go of them, which may end next


async def _read(
    process: asyncio.subprocess.Process,
    sink: MemoryObjectSendStream[SessionMessage | Exception],
    longest: int,
) -> None:
    """Passes messages on; what is no message is told as an error. Ends when stdout does."""
    stdout = process.stdout
    if stdout is None:
        raise AssertionError("the process was started with pipes")
    parts: list[bytes] = []
    size = 0
    async with sink:
        while chunk := await stdout.read(_CHUNK):
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                whole = b"".join((*parts, line)) if size + len(line) <= longest else b""
                parts, size = [], 0
                if not await _pass_on(whole.strip(), sink):
                    break
            size += len(rest)
            if size <= longest:
                parts.append(rest)
            else:
                parts.clear()


async def _pass_on(line: bytes, sink: MemoryObjectSendStream[SessionMessage | Exception]) -> bool:
    """Whether there is still someone who reads; what comes later is only drained."""
    if not line:
        return True
    try:
        await sink.send(message_of(line.decode("utf-8", "replace")))
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return False
    return True


async def _write(
    process: asyncio.subprocess.Process,
    source: MemoryObjectReceiveStream[SessionMessage],
    done: anyio.Event,
) -> None:
    stdin = process.stdin
    if stdin is None:
        raise AssertionError("the process was started with pipes")
    async with source:
        async for message in source:
            line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            with contextlib.suppress(ConnectionError, RuntimeError):  # stdout's end tells it
                stdin.write(line.encode("utf-8", "replace") + b"\n")
                await stdin.drain()
    done.set()


async def _listen(process: asyncio.subprocess.Process, watcher: Watcher) -> None:
    stderr = process.stderr
    while stderr is not None and (chunk := await stderr.read(4_096)):
        watcher.wrote(chunk)
    watcher.wrote(b"")


async def _stop(process: asyncio.subprocess.Process) -> None:
    """Closes stdin and waits; then asks the process and its children to end; then kills them."""
    if process.stdin is not None:
        process.stdin.close()
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            kill(process, number)
        if await _ended(process):
            return


async def _ended(process: asyncio.subprocess.Process) -> bool:
    """Whether it ends in time; asked again and again, since `wait` waits for its pipes as well."""
    deadline = anyio.current_time() + _EXIT_SECONDS
    while process.returncode is None and anyio.current_time() < deadline:  # noqa: ASYNC110
        await anyio.sleep(0.005)
    return process.returncode is not None


def kill(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """Sends a signal to a process and its children; to those that are left, if it has ended."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
