"""Writes the replica: N-Quads, TriG, a pyoxigraph store on disk or in memory.

A target appears when it is complete and not before: everything is made in a folder beside it and
moved. That folder is locked while in use, and cleared by the next run if one was killed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Literal

from pyoxigraph import NamedNode, RdfFormat, Store

from factmark.ehds.replica.facts import COHORTS
from factmark.ehds.replica.generate import graphs, nquads, trig
from factmark.ehds.replica.plan import ReplicaPlan, plan
from factmark.ehds.replica.writing import graph_iri
from factmark.errors import InputError, StoreError
from factmark.files.native import check_room
from factmark.files.temporary import (
    clear,
    is_marked,
    mark,
    remove_marked,
    temporary_folder,
    try_lock,
)
from factmark.stores.folder import DESCRIPTION, is_store_folder, write_description
from factmark.version import __version__

DEMO_SCALE = 0.01

Progress = Callable[[int, int], None]
"""Called now and then with the blocks done so far and all blocks that there will be."""

_REPORT_EVERY = 2_000
_ROOM = 600 * 2**20  # bytes of address space that a store takes while it is filled
_AT_ONCE = 200  # blocks
_TRIES = 100  # five seconds
_REPLACED = frozenset({".nq", ".nquads", ".trig"})  # endings of files that `replace` may remove


def build_store(
    path: str | Path,
    *,
    scale: float = 1.0,
    seed: int = 0,
    replace: bool = False,
    progress: Progress | None = None,
) -> int:
    """Builds an embedded store in a new folder; returns the number of triples.

    Full size takes about 6 GB of disk while it loads; memory stays below 2 GB.

    Raises:
        InputError: the target exists and `replace` is off or it is no store, the scale is out of
            range, or `ulimit -v` leaves too little room.
        StoreError: the disk is full, the folder cannot be written, or another process builds it.
    """
    blocks = _Blocks(plan(scale, seed), progress)
    with _place_to_build(Path(path), replace=replace) as place:
        check_room("Building a store", _ROOM)
        store = Store(str(place))
        _load_graphs(store, blocks)
        store.flush()
        del store  # closes the files and frees the lock before the folder moves
        write_description(
            place,
            name="replica",
            scale=scale,
            seed=seed,
            triples=blocks.triples,
            generator=__version__,
            content=blocks.digest.hexdigest(),
        )
    return blocks.triples


@contextmanager
def demo_replica() -> Iterator[Path]:
    """Yields the folder of a store at the demo's scale, which goes when the block ends."""
    with temporary_folder() as folder:
        build_store(folder / "ehds-replica", scale=DEMO_SCALE)
        yield folder / "ehds-replica"


def memory_store(*, scale: float = DEMO_SCALE, seed: int = 0) -> Store:
    """Returns the replica in memory; at the demo's scale it takes about a second.

    Raises:
        InputError: the scale is out of range.
    """
    store = Store()
    _load_graphs(store, _Blocks(plan(scale, seed), None))
    return store


def write_quads(
    path: str | Path,
    *,
    form: Literal["nquads", "trig"] = "nquads",
    scale: float = 1.0,
    seed: int = 0,
    replace: bool = False,
    progress: Progress | None = None,
) -> int:
    """Writes the replica as text; returns the number of triples. Raises as `build_store` does.

    The same scale and seed give the same bytes. N-Quads cannot hold the empty dementia graph.
    """
    blocks = _Blocks(plan(scale, seed), progress)
    with (
        _place_to_build(Path(path), replace=replace) as place,
        place.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.writelines(blocks.counted((nquads if form == "nquads" else trig)(blocks.plan)))
    return blocks.triples


def _load_graphs(store: Store, blocks: _Blocks) -> None:
    """Loads graph after graph: quads of one graph at a time need the least memory."""
    for graph, texts in graphs(blocks.plan, quads=False):
        blocks.digest.update(f"{graph}\n".encode())
        stream = _Stream(blocks.counted(texts), blocks.digest)
        store.bulk_load(
            stream,  # type: ignore[arg-type]  # only `read` is ever called
            format=RdfFormat.N_TRIPLES,
            to_graph=NamedNode(graph),
            lenient=True,
        )
    for cohort in COHORTS:
        store.add_graph(NamedNode(graph_iri(cohort.id)))


class _Blocks:
    """The blocks of a replica: counts them and their triples as they pass, and tells how far.

    Attributes:
        digest: of what a store was loaded with: each graph's name and text.
    """

    def __init__(self, plan: ReplicaPlan, progress: Progress | None) -> None:
        self.plan, self.triples, self.digest = plan, 0, hashlib.sha256()
        self._done = 0
        self._total = plan.blocks
        self._progress = progress

    def counted(self, texts: Iterable[str]) -> Iterator[str]:
        """Yields the texts unchanged, and counts their triples; a triple ends in ` .` and a line
        break."""
        for text in texts:
            self.triples += text.count(" .\n")
            self._done += 1
            if self._progress and (self._done % _REPORT_EVERY == 0 or self._done == self._total):
                self._progress(min(self._done, self._total), self._total)
            yield text


class _Stream:
    """Texts as a binary stream that is read forwards only, in pieces."""

    def __init__(self, texts: Iterator[str], digest: hashlib._Hash) -> None:
        self._texts = texts
        self._rest = b""
        self._digest = digest

    def read(self, size: int) -> bytes:
        """At most `size` bytes; none at the end."""
        while len(self._rest) < size:
            data = "".join(islice(self._texts, _AT_ONCE)).encode()
            if not data:
                break
            self._digest.update(data)
            self._rest += data
        piece = self._rest[:size]
        self._rest = self._rest[size:]
        return piece


@contextmanager
def _place_to_build(target: Path, *, replace: bool) -> Iterator[Path]:
    """Yields a path beside the target to make it at; moved to the target if all went well."""
    if target.exists() and not replace:
        raise InputError(f"{target} exists already. Choose another place, or ask to replace it.")
    folder = target.parent / f".{target.name}.part"
    try:
        _check_replaceable(target)
        with _locked_folder(folder, target):
            yield folder / "new"
            _check_replaceable(target)  # again: minutes have passed
            if target.exists():
                target.rename(folder / "old")
            (folder / "new").rename(target)
    except OSError as error:
        if "No space left" in str(error):
            raise StoreError(
                f"The disk is full: {target} was not written. Free some space (full size needs "
                "about 6 GB) or choose a smaller scale."
            ) from error
        reason = error.strerror or str(error)
        raise StoreError(f"{target} cannot be written: {reason}. Choose another place.") from error


@contextmanager
def _locked_folder(folder: Path, target: Path) -> Iterator[None]:
    """Yields a marked folder that no other build uses, without what a killed one left; removed at
    the end.

    Raises:
        StoreError: another process builds the target, or factmark did not make that folder.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    is_new = False
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
        is_new = True
    foreign = StoreError(
        f"{folder} is in the way, and nothing in it says that factmark made it. Remove it, or "
        "choose another place."
    )
    if folder.is_symlink() or not folder.is_dir():
        raise foreign
    handle = try_lock(folder)
    if handle is None:
        raise StoreError(
            f"Another process is building {target}. Wait until it is done, or stop it."
        )
    try:
        if is_new:
            mark(folder)
        elif not is_marked(folder):
            raise foreign
        clear(folder)
        try:
            yield
        finally:
            _remove(folder)
    finally:
        os.close(handle)


def _remove(folder: Path) -> None:
    """Removes the folder, again while a store that was interrupted still writes into it."""
    for _ in range(_TRIES):
        remove_marked(folder)
        if not folder.exists():
            return
        time.sleep(0.05)


def _check_replaceable(target: Path) -> None:
    """Passes what is not there, what is empty, a folder with a store that a build described, a
    file named as ours are.

    Raises:
        InputError: for anything else, which may be the user's own.
    """
    if target.is_dir():
        built = is_store_folder(target) and (target / DESCRIPTION).is_file()
        replaceable = built or not any(target.iterdir())
        what = "a folder that holds other files than those of a store that was built by factmark"
    else:
        named = target.suffix.lower() in _REPLACED or not target.exists()
        replaceable = named or target.stat().st_size == 0
        what = f"a file that does not end in {', '.join(sorted(_REPLACED))}"
    if not replaceable:
        raise InputError(
            f"{target} is {what}; it is not replaced. Choose another place, or remove it yourself."
        )
