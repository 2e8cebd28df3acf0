"""The parent's side of one store worker: start, ask, kill. Never waits without a bound."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from factmark.errors import QueryMemoryError, QueryTimeoutError, StoreError
from factmark.stores.engine import rows_of
from factmark.stores.terms import Rows

_START_SECONDS = 60.0
_REAP_SECONDS = 5.0
_KEPT_STDERR = 4_000
_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH")


class WorkerProcess:
    """A running worker, which answers one query at a time. After any error but QueryError, kill it.

    Args:
        path: the store's folder or file, for messages.
        memory: the memory limit it was started with, for messages.
        process: the child, with pipes on all three streams.
    """

    def __init__(self, path: Path, memory: int, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise AssertionError("the worker was started with pipes")
        self._path = path
        self._memory = memory
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._complaints = b""
        self._listener = asyncio.create_task(self._listen(process.stderr))

    @classmethod
    async def start(cls, path: Path, *, memory: int) -> WorkerProcess:
        """Starts a worker and waits until it has opened the store.

        Raises:
            StoreError: it could not be started, or not within a minute, or the store is missing,
                locked or damaged.
        """
        environment = {}
        for name in _ENVIRONMENT:
            if name in os.environ:
                environment[name] = os.environ[name]
        # The worker must find the same factmark, however this process came to it; keys stay behind.
        environment["PYTHONPATH"] = os.pathsep.join(entry for entry in sys.path if entry)
        command = (sys.executable, "-P", "-m", "factmark.stores.worker")
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                *(str(path), str(os.getpid()), str(memory)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=2**40,  # the engine bounds its results itself
                env=environment,
                start_new_session=True,  # Ctrl-C is for the parent
            )
        except OSError as error:
            raise StoreError(f"no process could be started for {path}: {error}") from error
        worker = cls(path, memory, process)
        try:
            async with asyncio.timeout(_START_SECONDS):
                greeting = _parse_message(await worker._line())
            if "ready" not in greeting:
                raise StoreError(str(greeting.get("message")))
        except BaseException as error:
            await worker.kill()
            if isinstance(error, TimeoutError):
                raise StoreError(
                    f"the store {path} was not open after {_START_SECONDS:g} s"
                ) from error
            raise
        return worker

    @property
    def alive(self) -> bool:
        """Whether the process is running, as far as is known."""
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    async def ask(self, request: dict[str, Any], *, timeout: float) -> Rows:
        """Returns the rows of one query.

        Raises:
            QueryError: the query does not parse; the worker stays usable.
            QueryTimeoutError: it ran past `timeout` seconds.
            QueryMemoryError: it needed more memory than the process may use.
            StoreError: the engine failed, or the process died.
        """
        try:
            async with asyncio.timeout(timeout):
                with contextlib.suppress(ConnectionError):  # the read tells why it is gone
                    self._stdin.write(json.dumps(request).encode() + b"\n")
                    await self._stdin.drain()
                line = await self._line()
                where = f"the store {self._path}"
                return await asyncio.to_thread(lambda: rows_of(_parse_message(line), where))
        except TimeoutError as error:
            raise QueryTimeoutError(
                f"the query on {self._path} ran past its {timeout:g} s and was ended; "
                "make it narrower or allow more time"
            ) from error

    async def kill(self) -> None:
        """Ends the process at once and reaps it; harmless when it is already gone."""
        self.signal()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_REAP_SECONDS):
                # What it had still written: asyncio takes no notice of its end before.
                with contextlib.suppress(RuntimeError, ConnectionError):  # another coroutine reads
                    while await self._stdout.read(65_536):
                        pass
                await self._process.wait()
                await self._listener
        self._listener.cancel()

    def signal(self) -> None:
        """Ends the process without waiting for its end."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def _line(self) -> bytes:
        """Returns the next line of the worker; raises what ended it where there is none."""
        with contextlib.suppress(ConnectionError):
            line = await self._stdout.readline()
            if line.endswith(b"\n"):
                return line
        raise await self._why_it_ended()

    async def _why_it_ended(self) -> StoreError:
        """Returns the error that says why the process is gone."""
        # Killing a process polls it first, which would take its status away from the event loop.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_REAP_SECONDS):
                await self._process.wait()
        await self.kill()
        text = self._complaints.decode("utf-8", "replace").strip()
        code = self._process.returncode or 0
        kind = StoreError
        if "memory allocation" in text or "MemoryError" in text or "bad_alloc" in text:
            limit = ""
            if self._memory:
                limit = f" of {self._memory / 2**30:.3g} GiB"
            cause = f"it needed more than its memory{limit}; make the query narrower"
            kind = QueryMemoryError
        elif code == -signal.SIGSEGV or "stack overflow" in text:
            cause = "the engine crashed, as it does on deeply nested queries; make it flatter"
        elif code < 0:
            cause = f"it was ended by signal {-code}, perhaps for want of memory"
            if -code in (signal.SIGABRT, signal.SIGKILL):  # by its allocator, or by the system
                kind = QueryMemoryError
        else:
            last = "no message"
            if text:
                last = text.splitlines()[-1][:300]
            cause = f"it ended with status {code}: {last}"
        return kind(f"the worker of the store {self._path} died: {cause}")

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        """Keeps the end of what the worker writes to its error stream."""
        while chunk := await stream.read(1024):
            self._complaints = (self._complaints + chunk)[-_KEPT_STDERR:]


def _parse_message(line: bytes) -> dict[str, Any]:
    """Returns the message that a line of the worker holds."""
    message: dict[str, Any] = json.loads(line.decode("utf-8", "surrogatepass"))
    return message
