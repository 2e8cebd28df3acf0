"""The index of a graph: made, opened, made anew."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from factmark.errors import InputError, StoreError
from factmark.graphrag.index.building import GraphSource
from factmark.graphrag.index.graph import StoredGraph
from factmark.graphrag.index.lookup import TripleIndex
from factmark.graphrag.index.writing import GraphWriter
from factmark.graphs.core.claims import Triple
from factmark.passages.embedders import open_search
from graph_folder import ROWS, ids, opened, source


def remade(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("g-*")}


def test_opened_again_it_is_not_made_again(tmp_path: Path) -> None:
    given, folder = source(tmp_path), tmp_path / "index"
    first = opened(given, folder)
    before = remade(folder)
    again = opened(given, folder)
    assert remade(folder) == before
    assert again.identity == first.identity
    source(tmp_path, ROWS.replace("Bern,t6", "Berne,t6"))
    changed = opened(given, folder)
    assert not remade(folder) & before
    assert changed.identity != first.identity


@pytest.mark.parametrize("name", ["keys.trie", "triples.npy", "names.bin", "manifest.json"])
def test_a_damaged_index_is_made_anew_and_that_is_told(tmp_path: Path, name: str) -> None:
    given, folder = source(tmp_path), tmp_path / "index"
    opened(given, folder)
    place = next(folder.rglob(name))
    place.write_bytes(place.read_bytes()[:-5])
    index = opened(given, folder)
    assert any("damaged" in note for note in index.notes)
    assert ids(index.look_up("What is the capital of Switzerland?"))[0] == "t6"


def test_what_a_killed_build_left_goes(tmp_path: Path) -> None:
    given, folder = source(tmp_path), tmp_path / "index"
    opened(given, folder)
    left = folder / "g-0123456789abcdef"
    left.mkdir()
    (left / "triples.npy").write_bytes(b"half")
    opened(given, folder)
    assert not left.exists()


def test_bad_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        opened(GraphSource(path=tmp_path / "none.csv"), tmp_path / "a")
    with pytest.raises(InputError, match="holds no triple"):
        opened(source(tmp_path, "head,relation,tail\n"), tmp_path / "b")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.doc").write_text("mine")
    with pytest.raises(StoreError, match="other things"):
        opened(source(tmp_path), tmp_path / "full")
    assert (tmp_path / "full" / "thesis.doc").exists()


def test_rows_that_cannot_be_used_are_told_each_time(tmp_path: Path) -> None:
    given = source(tmp_path, ROWS + "no,,tail,x\n")
    for _ in range(2):
        assert any("line 14" in note for note in opened(given, tmp_path / "index").notes)


def test_vectors_find_what_words_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_vectors.py").write_text(
        "import numpy as np\n"
        "def embed(texts):\n"
        "    said = [t.lower().replace('rhine', 'stream') for t in texts]\n"
        "    return np.array([[0.01 + t.count('stream'), 0.01 + t.count('bern')] for t in said],"
        " np.float32)\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    search = open_search("lexical+own_vectors:embed")

    index = opened(source(tmp_path), tmp_path / "index", embedder=search.embedder)
    context = asyncio.run(index.context("Which stream is it?"))
    assert {fact.triple.id for fact in context.facts[:2]} == {"t1", "t2"}
    assert all(fact.hops == 0 for fact in context.facts)


def test_statements_are_searched_and_kept(tmp_path: Path) -> None:
    said = [
        Triple(head="Rhine", relation="related_to", tail="Aare", statement=statement)
        for statement in ("The Aare joins the Rhine at Koblenz.", "Both carry salmon again.")
    ]
    writer = GraphWriter(tmp_path)
    writer.add([*said, *said])
    writer.finish()
    index = TripleIndex(StoredGraph(tmp_path), "a graph")
    assert len(index) == 2
    for question, triple in zip(
        ("Where is the Rhine joined?", "Has the Rhine salmon?"), said, strict=True
    ):
        fact = index.look_up(question).facts[0]
        assert fact.triple == triple
        assert fact.text == triple.statement


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, folder = source(tmp_path), tmp_path / "index"

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numpy.save", full)
    with pytest.raises(StoreError, match="index cannot be written"):
        opened(given, folder)
    assert not remade(folder)
