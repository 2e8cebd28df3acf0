"""A store on disk, queried in worker processes that can be killed."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
from pathlib import Path

from factmark.errors import QueryError, StoreError
from factmark.stores.guard import check_length
from factmark.stores.process import WorkerProcess
from factmark.stores.store import Graphs, Store
from factmark.stores.terms import Rows

RDF_SUFFIXES = frozenset({".nq", ".nt", ".trig", ".ttl", ".n3", ".rdf", ".owl", ".jsonld"})
PACKED = (".gz", ".bz2")
"""Endings of a packed RDF file, after that of its format; it is unpacked as it is read."""
MAX_RESULT_BYTES = 256 * 2**20
DEFAULT_MEMORY = 4 * 2**30
DESCRIPTION = "factmark.json"

_OWN_FILE = re.compile(
    r"CURRENT|IDENTITY|LOCK|LOG(\.old\.\d+)?|(MANIFEST|OPTIONS)-\d+"
    r"|\d+\.(sst|log|blob)|.*\.dbtmp|" + re.escape(DESCRIPTION)
)
_DIGEST = re.compile(r"[0-9a-f]{12,64}")


class FolderStore(Store):
    """A pyoxigraph folder opened read-only, or an RDF file that each worker reads into memory.

    A query runs in a process of its own and cannot outlive its time limit: the process is killed,
    and the next query gets a fresh one. Cancelling the task that waits kills the query as well.

    Args:
        path: the folder, or a file in an RDF format known by its ending, also packed (`.ttl.gz`).
        workers: how many queries run at once; more wait for their turn. A worker starts when it is
            first needed and is kept.
        union_default_graph: whether patterns outside GRAPH match the union of all graphs. True is
            what most public endpoints do, and published queries rely on it: data comes in named
            graphs, and a plain `?s ?p ?o` would otherwise match nothing. A query with FROM always
            gets exactly the graphs it names.
        memory: bytes of private memory that a worker may use; 0 for no limit.
        max_bytes: characters of the terms of one result, after which it ends with `truncated` set.

    Raises:
        StoreError: the path is missing or is no store. What only opening it can tell (it is
            damaged, or being written) is raised by the first query.
    """

    is_settled = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        workers: int = 1,
        union_default_graph: bool = True,
        memory: int = DEFAULT_MEMORY,
        max_bytes: int = MAX_RESULT_BYTES,
    ) -> None:
        if workers < 1:
            raise StoreError("a store needs at least one worker")
        self._path = _check_path(Path(path)).absolute()
        self._union = union_default_graph
        self._memory = memory
        self._max_bytes = max_bytes
        self.workers = workers
        # A query waits for its turn here, before its own time limit begins to run.
        self._slots = asyncio.Semaphore(workers)
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._burials: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def identity(self) -> str:
        """The name and a digest of the data: of a file its content, of a folder `folder_digest`."""
        if self._path.is_dir():
            return f"folder:{self._path.name}@{folder_digest(self._path)}"
        with self._path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
        return f"file:{self._path.name}@{digest}"

    @property
    def processes(self) -> tuple[int, ...]:
        """The process ids of the workers, those that run a query first."""
        return tuple(worker.pid for worker in (*self._busy, *self._idle))

    async def query(
        self,
        sparql: str,
        *,
        timeout: float = 30.0,
        max_rows: int = 100_000,
        graphs: Graphs | None = None,
    ) -> Rows:
        """Rows as `Store.query` does; the time runs from the moment that a worker takes the query.

        Raises:
            QueryError: the query is refused (see `check_query`) or does not parse.
            QueryTimeoutError: it ran past its time and was killed.
            QueryMemoryError: it needed more memory than a worker may use.
            StoreError: the store cannot be opened, or the worker died.
        """
        check_length(sparql)  # all else is looked at in the worker, in its time
        request = {
            "query": sparql,
            "union": self._union and graphs is None,
            "max_rows": max_rows,
            "max_bytes": self._max_bytes,
            "default_graphs": None if graphs is None else graphs.default,
            "named_graphs": None if graphs is None else graphs.named,
        }
        async with self._slots:
            worker = await self._worker()
            self._busy.add(worker)
            usable = False
            try:
                rows = await worker.ask(request, timeout=timeout)
                usable = True
            except QueryError:
                usable = True
                raise
            finally:
                self._busy.discard(worker)
                if usable:
                    self._idle.append(worker)
                else:
                    self._reap_later(worker)
        return rows

    async def close(self) -> None:
        """Ends the workers; a query that is still running fails."""
        self._closed = True
        workers = [*self._idle, *self._busy]
        self._idle.clear()
        await asyncio.gather(*(worker.kill() for worker in workers), *self._burials)

    def _reap_later(self, worker: WorkerProcess) -> None:
        """Kills a worker now and reaps it later: whoever was cancelled should not wait for that."""
        worker.signal()
        task = asyncio.create_task(worker.kill())
        self._burials.add(task)
        task.add_done_callback(self._burials.discard)

    async def _worker(self) -> WorkerProcess:
        """Returns an idle worker, or starts one."""
        worker = None
        while self._idle and (worker is None or not worker.alive):
            worker = self._idle.pop()
        if not self._closed and (worker is None or not worker.alive):
            worker = await WorkerProcess.start(self._path, memory=self._memory)
        if self._closed or worker is None:  # perhaps while it was started
            if worker is not None:
                await worker.kill()
            raise StoreError(f"the store {self._path} is closed")
        return worker


def _check_path(path: Path) -> Path:
    """Returns the path; StoreError if it is no store and no RDF file."""
    if not path.exists():
        if rdf_suffix(path) is not None:
            raise StoreError(f"{path}: there is no such file.")
        raise StoreError(
            f"{path}: there is no such store. `factmark dataspace build` builds one; or name an "
            f"RDF file ({' '.join(sorted(RDF_SUFFIXES))})."
        )
    if path.is_dir() and not (path / "CURRENT").is_file():
        raise StoreError(
            f"{path}: is a folder, and no store (it has no file CURRENT). Name the folder of a "
            f"store, or an RDF file ({' '.join(sorted(RDF_SUFFIXES))})."
        )
    if not (path.is_dir() or path.is_file()):
        raise StoreError(f"{path} is neither a file nor a folder, but a pipe or a device")
    if path.is_file() and rdf_suffix(path) is None:
        endings = " ".join(sorted(RDF_SUFFIXES))
        raise StoreError(
            f"{path} is neither a store's folder nor an RDF file ({endings}; packed ones end in"
            f" {' or '.join(PACKED)} after that)"
        )
    return path


def rdf_suffix(path: Path) -> str | None:
    """Returns the ending that names a file's RDF format, in lower case; None where it has none."""
    if path.suffix.lower() in PACKED:
        plain = path.with_suffix("")
    else:
        plain = path
    suffix = plain.suffix.lower()
    if suffix in RDF_SUFFIXES:
        return suffix
    return None


def is_store_folder(path: Path) -> bool:
    """Whether a folder is a store and holds nothing but a store's files."""
    if not (path / "CURRENT").is_file():
        return False
    return all(
        _OWN_FILE.fullmatch(entry.name) and entry.is_file() and not entry.is_symlink()
        for entry in path.iterdir()
    )


def write_description(path: Path, *, name: str, scale: float, seed: int, **more: object) -> None:
    """Writes what a closed store holds into its folder; pyoxigraph ignores such a file.

    Args:
        more: must name `content`, a digest of the data; `folder_digest` reads the others not.

    Raises:
        OSError: the file cannot be written.
    """
    about = {"replica": name, "scale": scale, "seed": seed, **more, "files": inventory(path)}
    (path / DESCRIPTION).write_text(json.dumps(about, indent=1) + "\n", "utf-8")


def folder_digest(path: Path) -> str:
    """Returns a digest of a store's data: the same for each build of the same data.

    It is made from the folder's description as long as the files are those that were described; a
    store that was written to since, or has none, is told by its inventory.
    """
    files = inventory(path)
    try:
        about = json.loads((path / DESCRIPTION).read_text("utf-8"))
        content = str(about["content"])
        if about["files"] == files and _DIGEST.fullmatch(content):
            return f"{about['replica']}-{about['scale']}-{about['seed']}-{content[:12]}"
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        pass  # no description, or none of ours
    return files


def inventory(path: Path) -> str:
    """Returns twelve hex digits of the names and sizes of the data files: to hash gigabytes would
    take long.
    """
    digest = hashlib.sha256()
    for file in sorted(path.glob("*.sst")) + sorted(path.glob("*.log")):
        digest.update(f"{file.name} {file.stat().st_size}\n".encode())
    return digest.hexdigest()[:12]
