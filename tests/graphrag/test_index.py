"""A graph looked up by questions; its index made, opened, made anew."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from factmark.errors import InputError, StoreError
from factmark.graph_answers.core.records import PAPER, RetrievalLimits
from factmark.graph_answers.index.building import GraphSource
from factmark.graph_answers.index.graph import StoredGraph
from factmark.graph_answers.index.lookup import TripleIndex
from factmark.graph_answers.index.writing import GraphWriter
from factmark.graphs.core.claims import Triple
from factmark.passages.embedders import open_search
from graph_folder import ROWS, ids, opened, source


@pytest.fixture
def index(tmp_path: Path) -> TripleIndex:
    return opened(source(tmp_path), tmp_path / "index")


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
        ("What is the capitol of Switzerlnad, please?", {"t6"}),  # misspelt
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
    one_hop = TripleIndex(index.graph, "same", limits=RetrievalLimits(hops=1))
    assert "t5" not in ids(one_hop.look_up("Which language is spoken where Basel lies?"))


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


def test_reaches_looks_beyond_what_is_retrieved(tmp_path: Path) -> None:
    many = "".join(f"Rhine,flows_through,Town{n},m{n}\n" for n in range(50))
    index = opened(
        source(tmp_path, ROWS + many), tmp_path / "index", limits=RetrievalLimits(hops=1)
    )
    question = "Through which towns does the Rhine flow?"
    assert all(index.reaches([f"Town{n}"], question) for n in range(50))
    assert index.reaches(["Switzerland"], question) is False  # two steps away
    further = {hops: TripleIndex(index.graph, "", RetrievalLimits(hops=hops)) for hops in (2, 3)}
    assert further[2].reaches(["Switzerland"], question) is True
    assert further[2].reaches(["Bern"], question) is False  # three
    assert further[3].reaches(["Bern"], question) is True
    assert index.reaches(["Danube"], question) is False  # not there at all
    assert index.reaches(["Town 7 am Rhine"], question) is False  # a part of it is not it
    assert index.reaches(["Rhine"], question) is None  # what the question names answers nothing
    assert index.reaches(["Bern"], "Where does it rain?") is None  # nothing is named


def test_has_looks_for_statements(index: TripleIndex) -> None:
    assert index.has([("rhine", "flows_through", "Basel"), ("RHINE", "flowsThrough", "Cologne")])
    assert not index.has([("Rhine", "flows_through", "Basel"), ("Rhine", "flows_through", "Bern")])
    assert not index.has([("Basel", "flows_through", "Rhine")])
    assert index.has([("ECB", "located_in", "Frankfurt")])


def test_inverse_relations_are_one_statement(tmp_path: Path) -> None:
    rows = "head,relation,tail\ngout,due_to,urate\nSLE,same_as,lupus\n"
    index = opened(source(tmp_path, rows), tmp_path / "index")
    assert index.has([("urate", "cause_of", "gout")])
    assert not index.has([("gout", "cause_of", "urate")])
    assert index.has([("lupus", "same_as", "SLE")])


def test_limits(index: TripleIndex) -> None:
    question = "Where are Basel, Cologne, Berlin and Frankfurt?"
    graph = index.graph
    assert len(TripleIndex(graph, "", limits=RetrievalLimits(top_k=3)).look_up(question).facts) == 3
    few = TripleIndex(graph, "", limits=RetrievalLimits(per_entity=1, hops=1)).look_up(question)
    assert len(few.facts) == 4
    short = TripleIndex(graph, "", limits=RetrievalLimits(tokens=20)).look_up(question)
    assert 0 < len(short.facts) < 4
    assert TripleIndex(graph, "", limits=PAPER).look_up(question).facts


def test_a_triple_that_stands_twice_is_one(tmp_path: Path) -> None:
    index = opened(source(tmp_path, ROWS + "rhine,flows_through,BASEL,again\n"), tmp_path / "i")
    assert len(index) == 12
    assert ids(index.look_up("Where does the Rhine flow through Basel?"))[0] == "t1"


def test_hubs_are_looked_at_by_fitting_relation(tmp_path: Path) -> None:
    many = "".join(f"Thing{n},located_in,Earth,m{n}\n" for n in range(7_000))
    given = source(tmp_path, ROWS + many + "Earth,orbits,Sun,far\n")
    index = opened(given, tmp_path / "index")
    assert ids(index.look_up("What does the Earth orbit?"))[0] == "far"
    found = index.look_up("Is Thing6999 located on Earth?")
    assert ids(found)[0] == "m6999"
    assert found.reached < 7_000


def test_other_names_of_nodes(tmp_path: Path) -> None:
    rows = ROWS + "Confoederatio Helvetica,same_as,Switzerland,a1\n"
    aliases = tmp_path / "aliases.csv"
    aliases.write_text("name,alias\nSwitzerland,Suisse\n", encoding="utf-8")
    given = source(tmp_path, rows)
    index = opened(GraphSource(path=given.path, aliases=aliases), tmp_path / "index")
    for name in ("Suisse", "Confoederatio Helvetica"):
        assert ids(index.look_up(f"What is the capital of {name}?"))[0] == "t6"


def test_a_rare_word_of_a_name_is_enough(tmp_path: Path) -> None:
    rows = (
        "head,relation,tail,id\nMount Etna,located_in,Sicily,e1\nMount Fuji,located_in,Japan,f1\n"
    )
    rows += "".join(f"Mount Thing{n},located_in,Japan,m{n}\n" for n in range(20))
    index = opened(source(tmp_path, rows), tmp_path / "index")
    assert ids(index.look_up("Where is Etna?")) == ["e1"]
    assert index.look_up("Where is Etna?").linked[0].how == "part"
    assert index.look_up("What is a mount?").linked == ()  # twenty have that word


@pytest.mark.parametrize(
    "question",
    ["What is hyperglycaemia?", "What is linagliptin?"],
)
def test_a_word_that_is_another_thing_is_no_misspelling(tmp_path: Path, question: str) -> None:
    rows = "head,relation,tail\nhypoglycemia,isa,x\nadenine,isa,x\nsitagliptin,isa,x\n"
    index = opened(source(tmp_path, rows), tmp_path / "index")
    assert index.look_up(question).linked == ()


def test_other_names_under_one_id(tmp_path: Path) -> None:
    rows = (
        "head,head_id,relation,tail\n"
        "Myocardial infarction,C0027051,isa,heart disease\n"
        "Heart attack,C0027051,treated_by,aspirin\n"
    )
    index = opened(source(tmp_path, rows), tmp_path / "index")
    assert index.look_up("What is a heart attack treated by?").facts[0].triple.tail == "aspirin"
    assert index.has([("heart attack", "isa", "heart disease")])


def test_a_question_at_the_end_of_a_long_story(index: TripleIndex) -> None:
    story = " ".join(f"word{n} went to place{n}." for n in range(3_000))
    assert ids(index.look_up(f"{story} What is the capital of Switzerland?"))[0] == "t6"
    assert ids(index.look_up(f"What is the capital of Switzerland? {story}"))[0] == "t6"


@pytest.mark.parametrize(
    ("rows", "question", "wanted"),
    [
        ("糖尿病,症状,多尿,c1\n東京,首都,日本,c2\n", "糖尿病有什么症状？", ["c1"]),
        ("糖尿病,症状,多尿,c1\n東京,首都,日本,c2\n", "東京はどの国の首都ですか？", ["c2"]),
        ("It,written_by,King,i\n", "Who wrote It?", ["i"]),
        ("Will,married,Ann,w\n", "Whom did Will marry?", ["w"]),
        ("U.K.,part_of,Europe,u\n", "Is the UK part of Europe?", ["u"]),
        ("It,written_by,King,i\nWill,married,Ann,w\n", "Is it true that they will?", []),
        (  # what joins two entities goes before ways round
            "alpha,part_of,omega,direct\n"
            + "".join(f"alpha,isa,m{n},a{n}\nm{n},associated_with,omega,b{n}\n" for n in range(12)),
            "Is alpha related to omega?",
            ["direct"],
        ),
        (  # of a hub the relation that is named
            "".join(f"Thing{n},isa,drug,m{n}\n" for n in range(6_000))
            + "drug,regulated_by,FDA,one\n",
            "What kind of thing is a drug regulated by?",
            ["one"],
        ),
    ],
)
def test_what_comes_first_in_a_graph(
    tmp_path: Path, rows: str, question: str, wanted: list[str]
) -> None:
    index = opened(source(tmp_path, f"head,relation,tail,id\n{rows}"), tmp_path / "index")
    assert ids(index.look_up(question))[:1] == wanted


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


def test_a_damaged_index_is_made_anew_and_that_is_told(tmp_path: Path) -> None:
    given, folder = source(tmp_path), tmp_path / "index"
    opened(given, folder)
    place = next(folder.rglob("keys.trie"))
    place.write_bytes(place.read_bytes()[:-5])
    index = opened(given, folder)
    assert any("damaged" in note for note in index.notes)
    assert ids(index.look_up("What is the capital of Switzerland?"))[0] == "t6"


def test_bad_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        opened(GraphSource(path=tmp_path / "none.csv"), tmp_path / "a")
    with pytest.raises(InputError, match="holds no triple"):
        opened(source(tmp_path, "head,relation,tail\n"), tmp_path / "b")


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
