"""Writes the replica: N-Quads, TriG, a pyoxigraph store on disk or in memory.

A target appears when it is complete and not before: everything is made in a folder beside it and
moved. That folder is locked while in use, and cleared by the next run if one was killed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pyoxigraph import NamedNode, RdfFormat, Store

from factmark import __version__
from factmark.ehds.replica.facts import COHORTS
from factmark.ehds.replica.generate import graphs, nquads, trig
from factmark.ehds.replica.plan import ReplicaPlan, plan
from factmark.ehds.replica.writing import graph_iri
from factmark.errors import InputError, StoreError
from factmark.stores.folder import describe, is_store_folder

DEMO_SCALE = 0.01

Progress = Callable[[int, int], None]
"""Called now and then with the blocks done so far and all blocks that there will be."""

_REPORT_EVERY = 2_000
_CHUNK = 1 << 16
_TRIES = 100  # five seconds
_REPLACED = frozenset({".nq", ".nquads", ".trig"})  # endings of files that `replace` may remove


def build_store(
    path: str | Path, *, scale: float = 1.0, seed: int = 0,
    replace: bool = False, progress: Progress | None = None,
) -> int:  # fmt: skip
    """Builds an embedded store in a new folder; returns the number of triples.

    Full size takes about 6 GB of disk while it loads; memory stays below 2 GB.

    Raises:
        InputError: the target exists and `replace` is off or it is no store, or the scale is out of
            range.
        StoreError: the disk is full, the folder cannot be written, or another process builds it.
    """
    wanted = plan(scale, seed)
    with _workshop(Path(path), replace=replace) as place:
        store = Store(str(place))
        digest = hashlib.sha256()
        triples = _load(store, wanted, progress, digest)
        store.flush()
        del store  # closes the files and frees the lock before the folder moves
        describe(
            place, name="replica", scale=scale, seed=seed, triples=triples,
            generator=__version__, content=digest.hexdigest(),
        )  # fmt: skip
    return triples


def memory_store(*, scale: float = DEMO_SCALE, seed: int = 0) -> Store:
    """The replica in memory; at the demo's scale it takes about a second.

    Raises:
        InputError: the scale is out of range.
    """
    store = Store()
    _load(store, plan(scale, seed), None, hashlib.sha256())
    return store


def write_nquads(
    path: str | Path, *, scale: float = 1.0, seed: int = 0,
    replace: bool = False, progress: Progress | None = None,
) -> int:  # fmt: skip
    """Writes the replica as N-Quads; returns the number of triples. Raises as `build_store` does.

    The same scale and seed give the same bytes. N-Quads cannot hold the empty dementia graph.
    """
    wanted = plan(scale, seed)
    return _write(Path(path), nquads(wanted), wanted, replace, progress)


def write_trig(
    path: str | Path, *, scale: float = 1.0, seed: int = 0,
    replace: bool = False, progress: Progress | None = None,
) -> int:  # fmt: skip
    """Writes the replica as TriG; returns the number of triples. Raises as `build_store` does."""
    wanted = plan(scale, seed)
    return _write(Path(path), trig(wanted), wanted, replace, progress)


def _write(
    path: Path, texts: Iterable[str], wanted: ReplicaPlan, replace: bool, progress: Progress | None
) -> int:
    meter = _Meter(wanted, progress)
    with (
        _workshop(path, replace=replace) as place,
        place.open("w", encoding="utf-8", newline="\n") as file,
    ):
        for text in meter.watch(texts):
            file.write(text)
    return meter.triples


def _load(
    store: Store, wanted: ReplicaPlan, progress: Progress | None, digest: hashlib._Hash
) -> int:
    """Loads graph after graph: quads of one graph at a time need the least memory.

    Args:
        digest: takes in each graph's name and text.
    """
    meter = _Meter(wanted, progress)
    for graph, texts in graphs(wanted, quads=False):
        digest.update(f"{graph}\n".encode())
        stream = _Stream(meter.watch(texts), digest)
        store.bulk_load(
            stream,  # type: ignore[arg-type]  # only `read` is ever called
            format=RdfFormat.N_TRIPLES,
            to_graph=NamedNode(graph),
            lenient=True,
        )
    for cohort in COHORTS:
        store.add_graph(NamedNode(graph_iri(cohort.id)))
    return meter.triples


class _Meter:
    """Counts blocks and triples as they pass, and reports the progress."""

    def __init__(self, wanted: ReplicaPlan, progress: Progress | None) -> None:
        self.triples = 0
        self._done, self._total, self._progress = 0, wanted.blocks, progress

    def watch(self, texts: Iterable[str]) -> Iterator[str]:
        """The same texts, counted. A triple ends in ` .` and a line break."""
        for text in texts:
            self.triples += text.count(" .\n") - text.count("@prefix ")
            self._done += 1
            if self._progress and (self._done % _REPORT_EVERY == 0 or self._done == self._total):
                self._progress(min(self._done, self._total), self._total)
            yield text


class _Stream:
    """Texts as a binary stream that is read forwards only."""

    def __init__(self, texts: Iterator[str], digest: hashlib._Hash) -> None:
        self._texts, self._rest, self._digest = texts, b"", digest

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes (all that is left, if negative); none at the end."""
        parts, length = [self._rest], len(self._rest)
        wanted = _CHUNK if size >= 0 else None
        while wanted is None or length < wanted:
            text = next(self._texts, None)
            if text is None:
                break
            parts.append(text.encode())
            self._digest.update(parts[-1])
            length += len(parts[-1])
        data = b"".join(parts)
        cut = len(data) if size < 0 else size
        self._rest = data[cut:]
        return data[:cut]


@contextmanager
def _workshop(target: Path, *, replace: bool) -> Iterator[Path]:
    """A path beside the target to make it at; moved to the target if all went well."""
    if target.exists() and not replace:
        raise InputError(f"{target} exists already. Choose another place, or ask to replace it.")
    _check_replaceable(target)
    folder = target.parent / f".{target.name}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise _store_error(error, target) from error
    try:
        _lock(lock, target)
        _clear(folder)
        try:
            yield folder / "new"
            _check_replaceable(target)  # again: minutes have passed
            _move(folder, target)
        except OSError as error:
            raise _store_error(error, target) from error
        finally:
            _remove(folder)
    finally:
        os.close(lock)


def _remove(folder: Path) -> None:
    """Removes a folder, again while a store that was interrupted still writes into it."""
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.05)


def _check_replaceable(target: Path) -> None:
    """Passes what is not there, what is empty, a store's folder, a file named as ours are.

    Raises:
        InputError: for anything else, which may be the user's own.
    """
    try:
        if not target.exists():
            return
        if target.is_dir():
            if is_store_folder(target) or not any(target.iterdir()):
                return
            raise InputError(
                f"{target} is a folder that holds other files than a store's; it is not replaced. "
                "Choose another place, or remove it yourself."
            )
        if target.suffix.lower() in _REPLACED or target.stat().st_size == 0:
            return
    except OSError as error:
        raise _store_error(error, target) from error
    raise InputError(
        f"{target} is a file that does not end in {', '.join(sorted(_REPLACED))}; it is not "
        "replaced. Choose another place, or remove it yourself."
    )


def _lock(folder: int, target: Path) -> None:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise StoreError(
            f"Another process is building {target}. Wait until it is done, or stop it."
        ) from error


def _clear(folder: Path) -> None:
    for left in folder.iterdir():
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)


def _move(folder: Path, target: Path) -> None:
    """Puts the new thing in the place of the old one, which goes only then."""
    if target.exists():
        target.rename(folder / "old")
    (folder / "new").rename(target)


def _store_error(error: OSError, target: Path) -> StoreError:
    if "No space left" in str(error):
        return StoreError(
            f"The disk is full: {target} was not written. Free some space (full size needs about"
            " 6 GB) or choose a smaller scale."
        )
    reason = error.strerror or str(error)
    return StoreError(f"{target} cannot be written: {reason}. Choose another place.")
