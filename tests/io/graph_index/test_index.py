"""A graph looked up by questions: a small one whose right answers are plain."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from factmark.errors import InputError, StoreError
from factmark.graphs.claims import Triple
from factmark.graphs.contexts import PAPER, Context, Limits
from factmark.io.graph_index import opening
from factmark.io.graph_index.index import TripleIndex
from factmark.io.graph_index.opening import GraphSource, add_triples, open_graph_index
from factmark.io.index.embedders import open_search

ROWS = """head,relation,tail,id
Rhine,flows_through,Basel,t1
Rhine,flowsThrough,Cologne,t2
Basel,located_in,Switzerland,t3
Cologne,located_in,Germany,t4
Switzerland,official_language,Romansh,t5
Switzerland,hasCapital,Bern,t6
Germany,hasCapital,Berlin,t7
Berlin,located_in,Germany,t8
European Central Bank (ECB),located_in,Frankfurt,t9
Frankfurt,located_in,Germany,t10
United Nations Educational Organisation,located_in,Paris,t11
Sjögren Street,located_in,Bern,t12
"""


def source(folder: Path, rows: str = ROWS) -> GraphSource:
    path = folder / "graph.csv"
    path.write_text(rows, encoding="utf-8")
    return GraphSource(path=path)


def opened(given: GraphSource, folder: Path, **more: object) -> TripleIndex:
    return asyncio.run(open_graph_index(given, folder, **more))  # type: ignore[arg-type]


@pytest.fixture
def index(tmp_path: Path) -> TripleIndex:
    return opened(source(tmp_path), tmp_path / "index")


def ids(context: Context) -> list[str]:
    return [fact.triple.id for fact in context.facts]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Through which cities does the Rhine flow?", {"t1", "t2"}),
        ("What is the capital of Switzerland?", {"t6"}),
        ("Which language is spoken in SWITZERLAND?", {"t5"}),
        ("Where is the ECB?", {"t9"}),
        ("In which country is the seat of the European Central Bank?", {"t9", "t10"}),
        ("Where is UNEO?", {"t11"}),  # by its initials
        ("Where does Sjogren street lie?", {"t12"}),
        ("What is the capitol of Switzerlnad?", {"t6"}),  # misspelt
        ("Where is the Educational Organisation of the United Nations?", {"t11"}),  # in part
        ("What is in the Street of Sjögren?", {"t12"}),  # in another order
    ],
)
def test_the_answer_comes_first(index: TripleIndex, question: str, wanted: set[str]) -> None:
    assert set(ids(index.look_up(question))[: len(wanted)]) == wanted


def test_a_path_of_two_stands_together(index: TripleIndex) -> None:
    facts = index.look_up("Which language is spoken where Basel lies?").facts
    assert [fact.triple.id for fact in facts[:2]] == ["t3", "t5"]
    assert [fact.hops for fact in facts[:2]] == [1, 2]
    one_hop = TripleIndex(index.graph.segments, "same", limits=Limits(hops=1))
    assert "t5" not in ids(one_hop.look_up("Which language is spoken where Basel lies?"))


def test_what_is_linked_is_told(index: TripleIndex) -> None:
    question = "Does the ECB lie at the Rhine?"
    linked = index.look_up(question).linked
    named = {(question[one.start : one.end], one.name, one.how) for one in linked}
    assert named == {
        ("ECB", "European Central Bank (ECB)", "alias"),
        ("Rhine", "Rhine", "name"),
    }


def test_a_thing_of_another_number_is_another_thing(tmp_path: Path) -> None:
    rows = 'head,relation,tail\n"Diabetes, Type 2",treated_by,metformin\nGroup 7,part_of,Row 2\n'
    index = opened(source(tmp_path, rows), tmp_path / "index")
    assert index.look_up("What is type 2 diabetes treated by?").linked[0].how == "alias"
    assert index.look_up("What is type 1 diabetes treated by?").linked == ()
    assert index.look_up("What is Group 8 part of?").linked == ()


def test_a_question_that_names_nothing_gets_nothing(index: TripleIndex) -> None:
    assert index.look_up("Who wrote it?").facts == ()
    assert index.look_up("").facts == ()
    assert index.look_up("?!" * 10_000).facts == ()


def test_options_count_less_than_the_question(index: TripleIndex) -> None:
    found = index.look_up("What is the capital of Germany?", ("Bern", "Berlin", "Basel"))
    assert ids(found)[0] == "t7"


def test_holds_looks_beyond_what_is_retrieved(tmp_path: Path) -> None:
    many = "".join(f"Rhine,flows_through,Town{n},m{n}\n" for n in range(50))
    index = opened(source(tmp_path, ROWS + many), tmp_path / "index")
    question = "Through which towns does the Rhine flow?"
    assert all(index.holds([f"Town{n}"], question) for n in range(50))
    assert index.holds(["Switzerland"], question)  # two steps away
    assert not index.holds(["Bern"], question)  # three
    assert not index.holds(["Rhine"], question)  # what the question names answers nothing
    assert not index.holds(["Danube"], question)


def test_limits(index: TripleIndex) -> None:
    question = "Where are Basel, Cologne, Berlin and Frankfurt?"
    segments = index.graph.segments
    assert len(TripleIndex(segments, "", limits=Limits(top_k=3)).look_up(question).facts) == 3
    few = TripleIndex(segments, "", limits=Limits(per_entity=1, hops=1)).look_up(question)
    assert len(few.facts) == 4
    short = TripleIndex(segments, "", limits=Limits(tokens=20)).look_up(question)
    assert 0 < len(short.facts) < 4
    assert TripleIndex(segments, "", limits=PAPER).look_up(question).facts


def test_a_triple_that_stands_twice_is_one(tmp_path: Path) -> None:
    index = opened(source(tmp_path, ROWS + "rhine,flows_through,BASEL,again\n"), tmp_path / "i")
    assert len(index) == 12
    assert ids(index.look_up("Where does the Rhine flow through Basel?"))[0] == "t1"


def test_hubs_are_looked_at_by_fitting_relation(tmp_path: Path) -> None:
    many = "".join(f"Thing{n},located_in,Earth,m{n}\n" for n in range(20_000))
    given = source(tmp_path, ROWS + many + "Earth,orbits,Sun,far\n")
    index = opened(given, tmp_path / "index")
    assert ids(index.look_up("What does the Earth orbit?"))[0] == "far"
    found = index.look_up("Is Thing19999 located on Earth?")
    assert ids(found)[0] == "m19999"
    assert found.reached < 20_000


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
    for number in range(12):
        opened(given, folder)
        rows += f"Aare,flows_through,Place{number},p{number}\n"
        source(tmp_path, rows)
    index = opened(given, folder)
    assert len(index) == 24
    assert len(remade(folder)) <= 8
    assert len(ids(index.look_up("Through which places does the Aare flow?"))) == 10


def test_other_names_of_nodes(tmp_path: Path) -> None:
    rows = ROWS + "Confoederatio Helvetica,same_as,Switzerland,a1\n"
    aliases = tmp_path / "aliases.csv"
    aliases.write_text("name,alias\nSwitzerland,Suisse\n", encoding="utf-8")
    given = source(tmp_path, rows)
    index = opened(GraphSource(path=given.path, aliases=aliases), tmp_path / "index")
    for name in ("Suisse", "Confoederatio Helvetica"):
        assert ids(index.look_up(f"What is the capital of {name}?"))[0] == "t6"


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
    monkeypatch.setattr(opening, "VERSION", opening.VERSION + 1)
    opened(given, folder)
    assert not remade(folder) & before
