"""Paths of two relations: found by their kind, and measured where a file names them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from factmark.files.problems import Problems
from factmark.graph_answers.core.holding import AnswerPaths, best_fitting, held_along
from factmark.graph_answers.core.records import Given
from factmark.graph_answers.core.relation_words import root_of
from factmark.graph_answers.index.building import GraphSource, open_graph_index
from factmark.graph_answers.index.lookup import TripleIndex
from factmark.graph_answers.questions.question_file import read_graph_questions
from factmark.graph_answers.systems import from_graph
from factmark.graphs.core.claims import Triple

# Songs, with words for names that a question also uses for other things.
SONGS = {
    "composed by": [
        ("Harbour Lament", "Ada Brenn"),
        ("Nine Lanterns", "Ada Brenn"),
        ("Salt Road", "Ada Brenn"),
        ("Winter Mill", "Otto Varga"),
    ],
    "sung by": [
        ("Harbour Lament", "Lena MacHale"),
        ("Winter Mill", "Lena MacHale"),
        ("Nine Lanterns", "Ivo Tamm"),
        ("Salt Road", "Ivo Tamm"),
        ("Song Song", "Pia Holt"),
    ],
    "recorded in": [
        ("Harbour Lament", "1931"),
        ("Nine Lanterns", "1948"),
        ("Salt Road", "1950"),
        ("Winter Mill", "1962"),
        ("Song Song", "1970"),
    ],
    "about": [("Salt Road", "exile"), ("Winter Mill", "heart")],
}


@pytest.fixture(scope="module")
def songs(tmp_path_factory: pytest.TempPathFactory) -> TripleIndex:
    folder = tmp_path_factory.mktemp("songs")
    path = folder / "songs.csv"
    lines = [f"{head},{relation},{tail}" for relation, rows in SONGS.items() for head, tail in rows]
    path.write_text("head,relation,tail\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return asyncio.run(open_graph_index(GraphSource(path=path), folder / "index"))


def rows(index: TripleIndex, question: str, most: int = 10) -> list[tuple[str, str, str]]:
    facts = index.look_up(question).facts[:most]
    return [(f.triple.head, f.triple.relation, f.triple.tail) for f in facts]


@pytest.mark.parametrize("written", [str, str.lower])
@pytest.mark.parametrize(
    ("question", "path"),
    [
        (
            "Who sang the songs composed by Otto Varga?",
            [
                ("Winter Mill", "composed by", "Otto Varga"),
                ("Winter Mill", "sung by", "Lena MacHale"),
            ],
        ),
        (
            "When were the songs sung by Lena MacHale recorded?",
            [
                ("Harbour Lament", "sung by", "Lena MacHale"),
                ("Harbour Lament", "recorded in", "1931"),
            ],
        ),
        (
            "The composer of Harbour Lament also composed which songs?",
            [
                ("Harbour Lament", "composed by", "Ada Brenn"),
                ("Nine Lanterns", "composed by", "Ada Brenn"),
            ],
        ),
        (
            "Which songs have the same singer as Nine Lanterns?",
            [("Nine Lanterns", "sung by", "Ivo Tamm"), ("Salt Road", "sung by", "Ivo Tamm")],
        ),
    ],
)
def test_a_path_of_two_relations_comes_first(songs, written, question, path) -> None:
    assert set(path) <= set(rows(songs, written(question), 3))


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("Which songs did Ada Brenn compose?", "Song Song"),  # the word twice is another name
        ("Who is heard on Harbour Lament?", "heart"),  # heard is a word, and not misspelt
    ],
)
def test_a_word_of_the_question_is_no_name(songs, question, wrong) -> None:
    linked = [entity.name for entity in songs.look_up(question).linked]
    assert linked
    assert wrong not in linked


def test_a_misspelt_name_is_still_found(songs) -> None:
    assert songs.look_up("Which songs are about exilt?").linked[0].name == "exile"


def test_words_of_one_family_have_one_root() -> None:
    for family in ("wrot written writer", "sang sung singer sing", "director direction direct"):
        assert len(set(map(root_of, family.split()))) == 1
    assert root_of("actor") != root_of("author")


PATHS = AnswerPaths(
    entities=frozenset({"Ada Brenn"}),
    steps=((frozenset({"composed by"}), frozenset({"sung by"})),),
    answers=frozenset({"Ivo Tamm"}),
)


@pytest.mark.parametrize(
    ("triples", "held"),
    [
        ([("Salt Road", "sung by", "Ivo Tamm"), ("Salt Road", "composed by", "Ada Brenn")], True),
        ([("Salt Road", "sung by", "Ivo Tamm")], False),  # the answer alone
        (  # both relations, of two songs
            [("Salt Road", "sung by", "Ivo Tamm"), ("Nine Lanterns", "composed by", "Ada Brenn")],
            False,
        ),
        ([("Salt Road", "sung by", "Ivo Tamm"), ("Salt Road", "about", "Ada Brenn")], False),
    ],
)
def test_a_path_is_held_where_all_its_triples_are(triples, held) -> None:
    given = [Triple(head="x", relation="y", tail="z")]
    given += [Triple(head=h, relation=r, tail=t) for h, r, t in triples]
    assert held_along(PATHS, given) == (held, (1, 2) if held else ())


def test_the_relations_of_an_answer_set_lead_to_all_of_it_and_little_else() -> None:
    reached = [((1,), {10}), ((2, 3), {10, 11}), ((2, 4), {10, 11, 12, 13}), ((5, 3), {10, 11})]
    assert best_fitting(reached, {10, 11}, set()) == [(2, 3), (5, 3)]
    assert best_fitting(reached, {10, 11}, {5}) == [(5, 3)]
    assert best_fitting(reached, {99}, set()) == []


def given(index: TripleIndex, tmp_path: Path, **row: object) -> Given:
    path = tmp_path / "questions.jsonl"
    path.write_text(json.dumps({"id": "q", **row}) + "\n", encoding="utf-8")
    questions = read_graph_questions(path, Problems())
    return asyncio.run(from_graph("songs", index, questions)).given["q"]


@pytest.mark.parametrize(
    "named",
    [
        {"entity": "Ada Brenn", "path": ["composed by", "sung by"]},
        {"entity": "Ada Brenn"},
        {},  # the list of answers alone
    ],
)
def test_retrieval_is_measured_along_the_path(songs, tmp_path, named) -> None:
    question = "Who sang the songs composed by Ada Brenn?"
    answers = ["Ivo Tamm", "Lena MacHale"]
    told = given(songs, tmp_path, question=question, answers=answers, **named)
    assert (told.held, told.held_by, told.named) == (True, "path", True)
    assert len(told.carriers) == 2


def test_the_answer_on_another_path_does_not_count(songs, tmp_path) -> None:
    row = {"question": "Who sang Winter Mill?", "answers": ["Lena MacHale"]}
    named = {"entity": "Winter Mill", "path": ["composed by", "sung by"]}
    plain = given(songs, tmp_path, question=row["question"], answer="Lena MacHale")
    assert (plain.held, plain.held_by) == (True, "words")
    told = given(songs, tmp_path, **row, **named)
    assert told.held_by == "path"
    year = given(songs, tmp_path, question="When was Salt Road recorded?", answers=["1950"])
    assert (year.held, year.held_by) == (True, "path")


def test_a_path_of_relations_that_the_graph_lacks_is_told_by_words(songs, tmp_path) -> None:
    row = {"question": "Who sang Winter Mill?", "answers": ["Lena MacHale"]}
    told = given(songs, tmp_path, **row, entity="Winter Mill", path=["performer"])
    assert told.held_by == "words"
    lacking = given(songs, tmp_path, **row, entity="Winter Mill", path=["about"])
    assert (lacking.held, lacking.held_by) == (False, "path")
    assert (lacking.named, lacking.reachable) == (True, True)  # on another path
