"""The process that runs queries on a store, so that it can be killed: `FolderStore` starts it.

`python -m factmark.stores.worker FOLDER_OR_FILE PARENT_PID MEMORY_BYTES` opens the store, says
`{"ready": true}`, and then answers each request with a message of `engine`, a line of JSON each. It
ends when its input ends, and is killed by the kernel when its parent dies.

It may fill no more than its memory and open no network socket, where the system offers that (Linux
on x86-64 and ARM do): a second wall behind the guard, which refuses SERVICE.
"""

from __future__ import annotations

import bz2
import codecs
import contextlib
import ctypes
import gzip
import json
import os
import platform
import queue
import signal
import struct
import sys
import threading
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import pyoxigraph

from factmark.errors import StoreError
from factmark.files.text_files import encoding_of_mark
from factmark.stores.engine import Message, run_query

_PR_SET_PDEATHSIG = 1
_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2
_SOCKET_CALLS = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}  # audit arch, number
_LOAD = 0x20
_JUMP_IF_EQUAL = 0x15
_RETURN = 0x06
# errno 13: permission denied
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | 13


def main(path: str, parent: int, memory: int) -> None:
    """Serves one parent until its end of the pipe closes."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not break the lines
    confine(parent, memory)
    try:
        store = open_read_only(Path(path))
    except StoreError as error:
        _send(answers, {"error": "store", "message": str(error)})
        return
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, requests), daemon=True).start()
    _send(answers, {"ready": True})
    while True:
        _send(answers, run_query(store, **requests.get()))


def open_read_only(path: Path) -> pyoxigraph.Store:
    """Opens a folder read-only, or reads an RDF file into memory; raises StoreError."""
    try:
        if path.is_dir():
            _check_unlocked(path / "LOCK")
            return pyoxigraph.Store.read_only(str(path))
        store = pyoxigraph.Store()
        _load(store, path)
    except SyntaxError as error:
        raise StoreError(f"{path} is no valid RDF: {str(error)[:300]}") from error
    except MemoryError as error:
        raise StoreError(f"{path} needs more memory than the worker may use") from error
    except (OSError, EOFError, zlib.error, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())[:300]
        raise StoreError(
            f"the store {path} cannot be opened ({reason}); if it is damaged, build it again"
        ) from error
    return store


def _load(store: pyoxigraph.Store, path: Path) -> None:
    """Reads an RDF file into a store; a packed one piece by piece."""
    packed = {".gz": gzip.GzipFile, ".bz2": bz2.BZ2File}.get(path.suffix.lower())
    suffix = Path(path.stem if packed else path.name).suffix.lower()
    form = pyoxigraph.RdfFormat.from_extension("rdf" if suffix == ".owl" else suffix[1:])
    if packed is None and not _has_mark(path):
        store.bulk_load(path=str(path), format=form)
        return
    with path.open("rb") if packed is None else packed(path, "rb") as file:
        start = file.read(4)
        other = encoding_of_mark(start)
        if other:
            raise StoreError(f"{path}: is {other}. Save it as UTF-8.")
        file.seek(len(codecs.BOM_UTF8) if start.startswith(codecs.BOM_UTF8) else 0)
        store.bulk_load(file, format=form)


def _has_mark(path: Path) -> bool:
    """Whether a file begins with a byte order mark, of whichever encoding."""
    with path.open("rb") as file:
        start = file.read(4)
    return start.startswith(codecs.BOM_UTF8) or bool(encoding_of_mark(start))


def _check_unlocked(lock: Path) -> None:
    """Raises StoreError for a store that is being written: reading it then is undefined."""
    try:
        import fcntl

        with lock.open("rb") as file:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise StoreError(
            f"the store {lock.parent} is being written by another process; "
            "close that one first, or copy the folder"
        ) from error
    except (ImportError, OSError):  # Windows; no such file; a file system without locks
        return


def _receive(source: BinaryIO, requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Queues requests; ends the process, whatever it is doing, when the parent is gone."""
    for line in source:
        # Read in a thread of its own, since the engine does not return while a query runs.
        requests.put(json.loads(line))
    # Not sys.exit: the main thread may be inside the engine, which hears of no exception.
    os._exit(0)


def _send(target: BinaryIO, message: Message) -> None:
    """Writes a message as one line of JSON."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    target.write(text.encode("utf-8", "surrogatepass") + b"\n")
    target.flush()


def confine(parent: int, memory: int) -> None:
    """Restricts this process for good, as the module's docstring says.

    Args:
        parent: the process id of the parent; this process ends at once when it is already gone.
        memory: bytes of private memory that may be in use; 0 for no limit.
    """
    _limit_memory(memory)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        _refuse_sockets(libc)


def _limit_memory(memory: int) -> None:
    """Limits the private memory of this process, and lets it leave no core dump."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # systems differ in what they limit
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory:
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            if hard == resource.RLIM_INFINITY:
                soft = memory
            else:
                soft = min(memory, hard)
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _refuse_sockets(libc: ctypes.CDLL) -> None:
    """Installs a seccomp filter: `socket()` fails with EACCES, all else is allowed.

    Layout of `struct sock_filter` (u16 code, u8 true, u8 false, u32 k) and `struct sock_fprog` from
    linux/filter.h; `struct seccomp_data` has the call number at 0 and the architecture at 4.
    """
    known = _SOCKET_CALLS.get(platform.machine())
    if known is None:
        return
    architecture, call = known
    steps = [
        (_LOAD | 0x00, 0, 0, 4),
        (_JUMP_IF_EQUAL, 0, 2, architecture),
        (_LOAD | 0x00, 0, 0, 0),
        (_JUMP_IF_EQUAL, 1, 0, call),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    program = b"".join(struct.pack("=HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(steps), ctypes.addressof(buffer))
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0)


if __name__ == "__main__":
    try:
        main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(0)
