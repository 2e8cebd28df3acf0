"""An index on disk: made, found again, renewed, damaged, made by two at once, killed half-way."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from factmark.errors import EndpointError, FactmarkError, StoreError
from factmark.files.temporary import MARK
from factmark.model import Chunk
from factmark.passages.embedders import Search, open_search
from factmark.passages.index import (
    Index,
    IndexedChunk,
    PassageSource,
    Progress,
    open_index_of,
)
from servers.embedding_server import embedding_server

TEXTS = [("gout", "Gout", "joints that ache"), ("asthma", "Asthma", "lungs that wheeze")]


def source(
    texts: Sequence[tuple[str, str, str]] = TEXTS,
    *,
    identity: str = "test",
    settled: bool = True,
    version: str = "1",
    read: list[int] | None = None,
) -> PassageSource:
    async def passages(_progress: Progress) -> AsyncIterator[IndexedChunk]:
        if read is not None:
            read.append(1)
        for place, (id, title, text) in enumerate(texts):
            yield IndexedChunk(chunk=Chunk(id=id, title=title, text=text), catalogue=place == 0)

    return PassageSource(identity=identity, version=version, settled=settled, passages=passages)


async def found(index: Index, question: str, k: int = 5) -> list[str]:
    return [chunk.id for chunk in await index.search(question, k)]


async def test_an_index_is_found_again(tmp_path: Path) -> None:
    read: list[int] = []
    for _ in range(2):
        async with await open_index_of(source(read=read), tmp_path / "i", Search()) as index:
            assert await found(index, "aching joints") == ["gout"]
    assert len(read) == 1


@pytest.mark.parametrize("change", [{"identity": "other"}, {"version": "2"}])
async def test_what_changed_is_made_anew(tmp_path: Path, change: dict[str, str]) -> None:
    await open_index_of(source(), tmp_path / "i", Search())
    other = source([("lupus", "Lupus", "joints and skin")], **change)
    index = await open_index_of(other, tmp_path / "i", Search())
    assert await found(index, "joints") == ["lupus"]
    assert len(generations(tmp_path / "i")) == 1


async def test_a_source_that_may_change_is_read_again(tmp_path: Path) -> None:
    """As is what lies behind a URL: indexed anew only where its passages are others."""
    read: list[int] = []
    same = source(settled=False, read=read)
    await open_index_of(same, tmp_path / "i", Search())
    before = generations(tmp_path / "i")
    await open_index_of(same, tmp_path / "i", Search())
    assert (len(read), generations(tmp_path / "i")) == (2, before)
    other = source([*TEXTS, ("lupus", "Lupus", "skin")], settled=False)
    index = await open_index_of(other, tmp_path / "i", Search())
    assert await found(index, "skin") == ["lupus"]


async def test_an_index_is_searched_by_vectors_and_by_words_and_vectors(tmp_path: Path) -> None:
    with embedding_server() as server:
        for name in ("openai:tiny", "lexical+openai:tiny"):
            search = open_search(name, base_url=server.base_url)
            index = await open_index_of(source(), tmp_path / "i", search)
            assert await found(index, "lungs that wheeze", 1) == ["asthma"]
            assert sorted(await found(index, "joints")) == ["asthma", "gout"]
            again = await open_index_of(source(), tmp_path / "i", search)
            assert again.identity == index.identity
            assert name in index.identity
            await search.close()
        assert len(server.state.texts) == 2 * (len(TEXTS) + 2)


async def test_a_server_that_is_gone_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    await open_index_of(source(), tmp_path / "i", Search())
    before = generations(tmp_path / "i")
    with embedding_server(wrong="nan") as server:
        search = open_search("openai:tiny", base_url=server.base_url)
        with pytest.raises(EndpointError, match="not finite"):
            await open_index_of(source(), tmp_path / "i", search)
        await search.close()
    assert generations(tmp_path / "i") == before
    assert await found(await open_index_of(source(), tmp_path / "i", Search()), "joints") == [
        "gout"
    ]


async def test_a_question_without_a_known_word_finds_nothing_by_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "zeros.py").write_text(
        "def embed(texts):\n    return [[float('joints' in t), float('lungs' in t)] for t in texts]"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    index = await open_index_of(source(), tmp_path / "i", open_search("zeros:embed"))
    assert await found(index, "joints", 1) == ["gout"]
    assert await found(index, "???") == []


def generations(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("g-*"))


async def test_only_generations_that_factmark_made_are_removed(tmp_path: Path) -> None:
    """A folder of somebody's in the index's, whose name could be a generation's."""
    mine = tmp_path / "i" / "g-0123456789abcdef" / "results.csv"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    await open_index_of(source(), tmp_path / "i", Search())
    swap = tmp_path / "i" / ".manifest.json.swp_mine"
    swap.write_text("an editor's")
    (made,) = set(generations(tmp_path / "i")) - {mine.parent.name}
    await open_index_of(source(version="2", texts=[("new", "", "text")]), tmp_path / "i", Search())
    assert mine.read_text() == "mine"
    assert swap.exists()
    assert made not in generations(tmp_path / "i")
    assert len(generations(tmp_path / "i")) == 2


async def test_a_generation_of_an_earlier_version_is_removed_when_it_is_replaced(
    tmp_path: Path,
) -> None:
    """It has no mark; the manifest names it."""
    await open_index_of(source(), tmp_path / "i", Search())
    (old,) = (tmp_path / "i").glob("g-*")
    (old / MARK).unlink()
    await open_index_of(source(version="2", texts=[("new", "", "text")]), tmp_path / "i", Search())
    assert not old.exists()
    assert len(generations(tmp_path / "i")) == 1


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for place in range(0, len(data), 7):
        data[place] ^= 0xFF
    path.write_bytes(bytes(data))


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("manifest.json", cut),
        ("manifest.json", Path.unlink),
        ("chunks.db", flip),
        ("vectors.faiss", empty),
        ("*.idx", Path.unlink),
    ],
)
async def test_damaged_files_are_made_anew(
    tmp_path: Path, name: str, damage: Callable[[Path], None]
) -> None:
    with embedding_server() as server:
        search = open_search("lexical+openai:tiny", base_url=server.base_url)
        await (await open_index_of(source(), tmp_path / "i", search)).close()
        damage(next((tmp_path / "i").rglob(name)))
        index = await open_index_of(source(), tmp_path / "i", search)
        assert await found(index, "joints that ache", 1) == ["gout"]
        missing = name == "manifest.json" and not index.notes
        assert missing or "damaged" in index.notes[0]
        assert len(generations(tmp_path / "i")) == 1
        assert (await open_index_of(source(), tmp_path / "i", search)).notes == ()
        await search.close()


async def test_files_of_other_libraries_are_made_anew(tmp_path: Path) -> None:
    """Whole by their digests, and still not to be opened."""
    folder = tmp_path / "i"
    await (await open_index_of(source(), folder, Search())).close()
    meta = next(folder.rglob("meta.json"))
    meta.write_text('{"index_format": "of another day"}')
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["words/meta.json"] = hashlib.sha256(meta.read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    index = await open_index_of(source(), folder, Search())
    assert await found(index, "joints") == ["gout"]
    assert "cannot be opened" in index.notes[0]


STRANGE: list[object] = [3, "../../..", {"../../keep.txt": "0"}]


@pytest.mark.parametrize("field", ["generation", "format", "files", "more"])
async def test_no_manifest_steers_out_of_its_folder(tmp_path: Path, field: str) -> None:
    keep = tmp_path / "keep.txt"
    keep.write_text("mine")
    folder = tmp_path / "i"
    for value in STRANGE:
        await (await open_index_of(source(), folder, Search())).close()
        path = folder / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {field: value}))
        async with await open_index_of(source(), folder, Search()) as index:
            assert await found(index, "joints") == ["gout"]
    assert keep.read_text() == "mine"


async def test_a_folder_with_other_things_than_an_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(StoreError, match=r"thesis\.tex"):
        await open_index_of(source(), tmp_path, Search())
    with pytest.raises(FactmarkError, match="no index can be kept"):
        await open_index_of(source(), tmp_path / "thesis.tex", Search())
    assert (tmp_path / "thesis.tex").read_text() == "mine"


async def test_two_at_once_make_one(tmp_path: Path) -> None:
    read: list[int] = []
    indices = await asyncio.gather(
        *(open_index_of(source(read=read), tmp_path / "i", Search()) for _ in range(5))
    )
    assert len(read) == 1
    for index in indices:
        assert await found(index, "joints") == ["gout"]


async def test_who_has_it_open_keeps_it(tmp_path: Path) -> None:
    old = await open_index_of(source(), tmp_path / "i", Search())
    other = source([("lupus", "Lupus", "joints")], identity="other")
    await open_index_of(other, tmp_path / "i", Search())
    assert await found(old, "joints") == ["gout"]  # its files are gone, and still open
    assert [chunk.id for chunk in await old.catalogue()] == ["gout"]


KILLED = """
import asyncio, sys
from pathlib import Path
from factmark.model import Chunk
from factmark.passages.index import IndexedChunk
from factmark.passages.embedders import Search
from factmark.passages.index import PassageSource, open_index_of

async def passages(progress):
    for n in range(3000):
        yield IndexedChunk(chunk=Chunk(id=str(n), title="t", text="gout"))
    print("half-way", flush=True)
    await asyncio.sleep(600)

made = PassageSource(identity="killed", version="1", settled=True, passages=passages)
asyncio.run(open_index_of(made, Path(sys.argv[1]), Search()))
"""


def killed_half_way(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "half-way\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()


async def test_an_index_killed_while_it_is_made_is_made_anew(tmp_path: Path) -> None:
    folder = tmp_path / "i"
    await open_index_of(source(), folder, Search())
    killed_half_way(folder)
    assert len(generations(folder)) == 2
    index = await open_index_of(source(), folder, Search())
    assert await found(index, "joints") == ["gout"]
    assert len(generations(folder)) == 1  # what was left behind went with the next opening


READ_ONLY = """
import asyncio, ctypes, os, sys
from pathlib import Path
from factmark.passages.embedders import Search
from factmark.passages.index import PassageSource, open_index_of

libc, place = ctypes.CDLL(None, use_errno=True), sys.argv[1].encode()
BIND, REMOUNT, READ_ONLY, PRIVATE, NEW_NAMESPACE = 4096, 32, 1, 1 << 18 | 1 << 14, 0x20000
if os.geteuid() == 0:  # who may write everywhere but here
    steps = [lambda: libc.unshare(NEW_NAMESPACE),
             lambda: libc.mount(None, b"/", None, PRIVATE, None),
             lambda: libc.mount(place, place, None, BIND, None),
             lambda: libc.mount(None, place, None, BIND | REMOUNT | READ_ONLY, None)]
    if any(step() for step in steps):
        sys.exit("not allowed")

async def main():
    made = PassageSource(identity="test", version="1", settled=True, passages=None)
    async with await open_index_of(made, Path(sys.argv[1]), Search()) as index:
        print([chunk.id for chunk in await index.search("joints", 3)], *index.notes)

asyncio.run(main())
"""


async def test_an_index_where_nothing_can_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "i"
    await open_index_of(source(), folder, Search())
    places = [folder, *(place for place in folder.rglob("*") if place.is_dir())]
    for place in places:
        place.chmod(0o555)
    (folder / "lock").chmod(0o444)
    ran = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", READ_ONLY, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    for place in places:
        place.chmod(0o755)
    if "not allowed" in ran.stderr:
        pytest.skip("no file system can be made read-only here")
    assert ran.stdout == "['gout']\n", ran.stderr


FULL = """
import asyncio, resource, signal, sys
from pathlib import Path
import numpy as np
from factmark.model import Chunk
from factmark.errors import StoreError
from factmark.passages.index import IndexedChunk
from factmark.passages.embedders import Search
from factmark.passages.index import PassageSource, open_index_of
import faiss, tantivy

class Embedder:
    identity = "drawn"
    async def embed(self, texts, **_):
        return np.random.default_rng(0).random((len(texts), 64), dtype=np.float32)

async def passages(progress):
    for n in range(3000):
        yield IndexedChunk(chunk=Chunk(id=str(n), title=f"t{n}", text=f"gout {n} " * 5))

made = PassageSource(identity="full", version="1", settled=True, passages=passages)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for number, most in enumerate(int(part) for part in sys.argv[2:]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    folder = Path(sys.argv[1]) / str(number)
    for search in (Search(), Search(lexical=True, embedder=Embedder())):
        try:
            asyncio.run(open_index_of(made, folder, search))
            print(most, "made")
        except StoreError as error:
            print(most, error, sorted(one.name for one in folder.iterdir()))
"""


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """Files that may not grow: each of the writers fails in its own way at some length."""
    lengths = ["2000", "400000"]
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path), *lengths],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    told = ran.stdout.splitlines()
    assert len(told) == 2 * len(lengths)
    assert "the index cannot be written" in told[0]
    for line in told:
        assert line.endswith(("['lock']", "made")) or "manifest.json" in line, line


async def test_equally_good_ones_in_fixed_order(tmp_path: Path) -> None:
    same = [(f"c{n:03}", "Gout", "the same") for n in range(400)]
    index = await open_index_of(source(same), tmp_path / "i", Search())
    assert await found(index, "gout", 3) == ["c000", "c001", "c002"]
    assert await found(index, "gout", 0) == []
    assert len(await found(index, "gout", 1000)) == 400


async def test_hostile_texts_are_read_back(tmp_path: Path) -> None:
    texts = [("a", "\x00", "half \ud800"), ("b", "", ""), ("c", "'; DROP TABLE chunks", "gout")]
    index = await open_index_of(source(texts), tmp_path / "i", Search())
    assert await found(index, "gout") == ["c"]
    (first,) = await index.catalogue()
    assert (first.title, first.text) == ("\x00", "half \ufffd")
