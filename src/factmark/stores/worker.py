"""The process that runs queries on a store, so that it can be killed: `FolderStore` starts it.

`python -m factmark.stores.worker FOLDER_OR_FILE PARENT_PID MEMORY_BYTES` opens the store, says
`{"ready": true}`, and then answers requests with the messages of `store_engine`. Both directions
are frames: a length (four bytes, big endian) and as much JSON. It ends when its input ends, and is
killed by the kernel when its parent dies.
"""

from __future__ import annotations

import json
import os
import queue
import struct
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

import pyoxigraph

from factmark.stores.engine import Message, run_query
from factmark.stores.sandbox import confine

FRAME = struct.Struct(">I")


class _UnusableError(Exception):
    """The store cannot be opened; the text says why and what to do."""


def main(path: str, parent: int, memory: int) -> None:
    """Serves one parent until its end of the pipe closes."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not break the frames
    confine(parent, memory)
    try:
        store = open_read_only(Path(path))
    except _UnusableError as error:
        _send(answers, {"error": "store", "message": str(error)})
        return
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, requests), daemon=True).start()
    _send(answers, {"ready": True})
    while True:
        request = requests.get()
        for message in run_query(store, **request):
            _send(answers, message)


def open_read_only(path: Path) -> pyoxigraph.Store:
    """A folder opened read-only, or an RDF file read into memory; raises `_UnusableError`."""
    try:
        if path.is_dir():
            _check_unlocked(path / "LOCK")
            return pyoxigraph.Store.read_only(str(path))
        store = pyoxigraph.Store()
        store.bulk_load(path=str(path))
    except SyntaxError as error:
        raise _UnusableError(f"{path} is no valid RDF: {str(error)[:300]}") from error
    except MemoryError as error:
        raise _UnusableError(f"{path} needs more memory than the worker may use") from error
    except (OSError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())[:300]
        raise _UnusableError(
            f"the store {path} cannot be opened ({reason}); if it is damaged, build it again"
        ) from error
    return store


def _check_unlocked(lock: Path) -> None:
    """Refuses a store that another process is writing: reading it then is undefined."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    if not lock.is_file():
        return
    with lock.open("rb") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise _UnusableError(
                f"the store {lock.parent} is being written by another process; "
                "close that one first, or copy the folder"
            ) from error
        except OSError:  # a file system without locks
            return


def _receive(source: BinaryIO, requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Queues requests; ends the process, whatever it is doing, when the parent is gone."""
    while True:
        head = source.read(FRAME.size)
        if len(head) < FRAME.size:
            os._exit(0)
        requests.put(json.loads(source.read(FRAME.unpack(head)[0])))


def _send(target: BinaryIO, message: Message) -> None:
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
    target.write(FRAME.pack(len(body)) + body)
    target.flush()


if __name__ == "__main__":
    try:
        main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(0)
