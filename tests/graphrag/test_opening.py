"""The index of a graph: made, opened, added to, made anew."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from factmark.errors import InputError, StoreError
from factmark.graphrag.core.contexts import Context
from factmark.graphrag.index import making
from factmark.graphrag.index.making import GraphSource
from factmark.graphrag.index.opening import add_triples, open_graph_index
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


def test_lines_at_the_end_are_added(tmp_path: Path) -> None:
    given, folder = source(tmp_path), tmp_path / "index"
    opened(given, folder)
    before = remade(folder)
    more = (
        "Bern,located_in,Switzerland,t13\n"
        "Rhine,flows_through,Basel,t1\n"
        "Aare,flows_through,Bern,t14\n"
    )
    source(tmp_path, ROWS + more)
    index = opened(given, folder)
    assert before < remade(folder)
    assert len(index) == 14
    assert set(ids(index.look_up("Which river flows through Bern?"))[:1]) == {"t14"}
    path = ids(index.look_up("Which language is spoken where Bern lies?"))[:2]
    assert path == ["t13", "t5"]  # one of each segment
    whole = opened(given, tmp_path / "anew")
    for question in ("Where is Bern?", "What flows through Bern?", "Where is the ECB?"):
        assert set(ids(index.look_up(question))) == set(ids(whole.look_up(question)))


def test_triples_are_added_without_a_file(tmp_path: Path) -> None:
    given, folder = source(tmp_path), tmp_path / "index"
    opened(given, folder)
    new = [
        Triple(head="Vienna", relation="located_in", tail="Austria"),
        Triple(head="Basel", relation="located_in", tail="Switzerland"),
    ]
    assert asyncio.run(add_triples(folder, given, new)) == 1
    index = opened(given, folder)
    assert len(index) == 13
    assert index.look_up("Where is Vienna?").facts[0].triple.tail == "Austria"
    with pytest.raises(StoreError, match="holds no index"):
        asyncio.run(add_triples(tmp_path / "other", given, new))


def test_many_additions_become_one_segment(tmp_path: Path) -> None:
    given, folder, rows = source(tmp_path), tmp_path / "index", ROWS
    for number in range(20):
        opened(given, folder)
        rows += f"Aare,flows_through,Place{number},p{number}\n"
        source(tmp_path, rows)
    index = opened(given, folder)
    assert len(index) == 32
    assert len(remade(folder)) <= 16
    assert len(ids(index.look_up("Through which places does the Aare flow?"))) == 10


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

    async def asked() -> tuple[Context, Context]:
        given = source(tmp_path)
        index = await open_graph_index(given, tmp_path / "index", embedder=search.embedder)
        await add_triples(
            tmp_path / "index", given, [Triple(head="Aare", relation="joins", tail="Rhine")],
            embedder=search.embedder,
        )  # fmt: skip
        more = await open_graph_index(given, tmp_path / "index", embedder=search.embedder)
        question = "Which stream is it?"
        return await index.context(question), await more.context(question)

    before, after = asyncio.run(asked())
    assert {fact.triple.id for fact in before.facts[:2]} == {"t1", "t2"}
    assert all(fact.hops == 0 for fact in before.facts)
    assert "Aare" in {fact.triple.head for fact in after.facts[:3]}


def test_statements_are_searched_and_kept(tmp_path: Path) -> None:
    given, folder = source(tmp_path), tmp_path / "index"
    opened(given, folder)
    said = [
        Triple(head="Rhine", relation="related_to", tail="Aare", statement=statement)
        for statement in ("The Aare joins the Rhine at Koblenz.", "Both carry salmon again.")
    ]
    assert asyncio.run(add_triples(folder, given, [*said, *said])) == 2
    other = Triple(head="Rhine", relation="related_to", tail="Aare", statement="Both freeze.")
    assert asyncio.run(add_triples(folder, given, [*said, other])) == 1
    index = opened(given, folder)
    for question, fact in zip(
        ("Where is the Rhine joined?", "Has the Rhine salmon?"), said, strict=True
    ):
        assert index.look_up(question).facts[0].triple == fact
        assert index.look_up(question).facts[0].text == fact.statement


def test_another_version_makes_the_index_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, folder = source(tmp_path), tmp_path / "index"
    opened(given, folder)
    before = remade(folder)
    monkeypatch.setattr(making, "VERSION", making.VERSION + 1)
    opened(given, folder)
    assert not remade(folder) & before


def test_a_hub_of_an_older_segment_hides_no_newer_one(tmp_path: Path) -> None:
    many = "".join(f"Thing{n},isa,substance,m{n}\n" for n in range(6_000))
    given, folder = source(tmp_path, "head,relation,tail,id\n" + many), tmp_path / "index"
    opened(given, folder)
    source(tmp_path, "head,relation,tail,id\n" + many + "substance,invented_by,Zorba,late\n")
    assert ids(opened(given, folder).look_up("Who invented the substance?"))[0] == "late"


def test_what_was_added_stays_when_the_index_is_made_anew(tmp_path: Path) -> None:
    given, folder = source(tmp_path), tmp_path / "index"
    opened(given, folder)
    new = [Triple(head="Vienna", relation="located_in", tail="Austria", id="v", confidence=0.5)]
    asyncio.run(add_triples(folder, given, new))
    source(tmp_path, ROWS.replace("Bern,t6", "Berne,t6"))  # another file altogether
    index = opened(given, folder)
    assert len(index) == 13
    assert index.look_up("Where is Vienna?").facts[0].triple == new[0]
    for number in range(20):  # past the most segments
        more = [Triple(head="Vienna", relation="has", tail=f"Street {number}")]
        assert asyncio.run(add_triples(folder, given, more)) == 1
    assert len(remade(folder)) <= 17
    assert len(opened(given, folder)) == 33


def test_same_as_between_nodes_of_older_segments(tmp_path: Path) -> None:
    rows = ROWS + "Confoederatio Helvetica,has,a\n"
    rows = rows.replace(",has,a\n", ",has,a,h\n")
    given, folder = source(tmp_path, rows), tmp_path / "index"
    opened(given, folder)
    source(tmp_path, rows + "Confoederatio Helvetica,same_as,Switzerland,s\n")
    found = opened(given, folder).look_up("What is the capital of Confoederatio Helvetica?")
    assert ids(found)[0] == "t6"


def test_a_file_that_grows_while_it_is_read_is_read_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, folder = source(tmp_path), tmp_path / "index"
    real = making.looked_at

    def grown(path: Path) -> object:
        looked = real(path)
        with path.open("a", encoding="utf-8") as file:
            file.write("Aare,flows_through,Bern,late\n")
        return looked

    monkeypatch.setattr(making, "looked_at", grown)
    opened(given, folder)
    monkeypatch.undo()
    index = opened(given, folder)
    assert len(index) == 13
    assert ids(index.look_up("What flows through Bern?"))[0] == "late"


def test_labels_that_come_later_are_those_of_all_of_rdf(tmp_path: Path) -> None:
    path = tmp_path / "g.nt"
    path.write_text("<http://x/q1> <http://x/capital> <http://x/q2> .\n", encoding="utf-8")
    given, folder = GraphSource(path=path), tmp_path / "index"
    opened(given, folder)
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    with path.open("a", encoding="utf-8") as file:
        file.write(f'<http://x/q1> {label} "Ruritania" .\n')
    assert opened(given, folder).look_up("What is the capital of Ruritania?").facts


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, folder = source(tmp_path), tmp_path / "index"

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numpy.save", full)
    with pytest.raises(StoreError, match="index cannot be written"):
        opened(given, folder)
    assert not remade(folder)
