"""A benchmark and a graph of one's own: what a ground truth derived from them is, and is told."""

from __future__ import annotations

import asyncio
import bz2
import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

from factmark.answers.core.evaluate import evaluate, score_by_rule
from factmark.answers.core.matching import Targets
from factmark.answers.core.records import Fact, GivenAnswer, NoScore, Question
from factmark.answers.core.row_scores import row_completeness
from factmark.answers.core.rows import question_item, read_question
from factmark.answers.core.scores import score_facts
from factmark.answers.core.writings import with_unit, writings
from factmark.answers.options import Reach, ScoreOptions
from factmark.answers.questions.benchmarks import Benchmark, benchmark_lines, load_benchmark
from factmark.answers.questions.ground_truths import Truth, compare_with_record, derived
from factmark.answers.score_tables import score_tables
from factmark.answers.study import score_answers
from factmark.errors import InputError
from factmark.stores.labels import labels_of
from factmark.text.words import normalise
from servers.stores import MemoryStore

MUSIC = """
@prefix m: <http://music.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
m:a1 rdfs:label "Harbour Lights"@en, "Hafenlichter"@de ; m:by m:q7 ; m:year 1969 ;
  m:live "1"^^xsd:boolean .
m:a2 skos:prefLabel "Slow Rain"@en-GB ; m:by m:q7 ; m:year 1971 ; m:live "0"^^xsd:boolean .
m:q7 rdfs:label "Ann Weir" .
"""
PREFIX = "PREFIX m: <http://music.example/> "


def memory(turtle: str = MUSIC) -> MemoryStore:
    store = ox.Store()
    store.load(turtle.encode(), format=ox.RdfFormat.TURTLE)
    return MemoryStore(store)


def question(**fields: Any) -> Question:
    return Question(**{"query_id": "Q", "category": "music", "text": "Which?"} | fields)


def truth_of(*questions: Question, **more: Any) -> Truth:
    benchmark = Benchmark(name="music", questions=questions)
    return asyncio.run(derived(benchmark, memory(), **more))


def load_lines(folder: Path, *records: dict[str, Any]) -> Benchmark:
    path = folder / "own.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return load_benchmark(str(path))


NOTHING = PREFIX + "SELECT ?a { ?a m:bye m:q7 }"


def test_a_query_that_finds_nothing_gives_no_ground_truth_and_is_told_with_its_query() -> None:
    truth = truth_of(question(sparql=NOTHING))
    assert truth.questions[0].ground_truth is None
    assert truth.hollow == {"Q"}
    [problem] = truth.problems
    assert "finds nothing: SELECT ?a { ?a m:bye m:q7 } (" in problem
    assert '"empty": true' in problem


@pytest.mark.parametrize("says", [{"empty": True}, {"ground_truth": ()}])
def test_it_counts_where_the_benchmark_says_that_there_is_nothing(says: dict[str, Any]) -> None:
    truth = truth_of(question(sparql=NOTHING, **says))
    assert truth.questions[0].ground_truth == ()
    assert not truth.problems


def test_a_check_shows_what_vanished_from_a_query_that_finds_nothing_now() -> None:
    benchmark = Benchmark(name="music", questions=(question(sparql=NOTHING, ground_truth=("x",)),))
    [row] = compare_with_record(benchmark, asyncio.run(derived(benchmark, memory())))
    assert (row["status"], row["vanished"], row["error"]) == ("drifted", ["x"], None)


def test_empty_is_read_written_and_kept_in_the_ledger(tmp_path: Path) -> None:
    record = {"id": "Q", "question": "Which?", "sparql": NOTHING, "empty": True}
    [read] = load_lines(tmp_path, record).questions
    assert read.empty
    (tmp_path / "again.jsonl").write_text(benchmark_lines([read]))
    assert load_benchmark(str(tmp_path / "again.jsonl")).questions == (read,)
    assert read_question(question_item("music", read)) == read


def test_the_empty_ones_of_the_published_benchmark_are_marked() -> None:
    marked = [q.query_id for q in load_benchmark("ehds").questions if q.empty]
    assert marked == ["P11", "P16", "P18", "X1", "X2"]


BY_Q7 = PREFIX + "SELECT ?a ?by { ?a m:by ?by } ORDER BY ?a"


def elements(sparql: str, language: str = "en") -> tuple[str, ...] | None:
    return truth_of(question(sparql=sparql), language=language).questions[0].ground_truth


def test_labels_stand_for_iris_in_the_language_asked_for() -> None:
    assert elements(BY_Q7) == ("Harbour Lights", "Ann Weir", "Slow Rain")
    assert elements(BY_Q7, "DE") == ("Hafenlichter", "Ann Weir", "a2")
    assert elements(BY_Q7, "none") == ("a1", "q7", "a2")


def test_the_local_names_of_the_published_questions_stay() -> None:
    """Their ground truth on record is made of them, whatever labels a store has."""
    ehds = load_benchmark("ehds")
    query = PREFIX + "SELECT ?a { ?a m:year 1969 }"
    questions = (replace(ehds.questions[0], sparql=query), *ehds.questions[1:])
    truth = asyncio.run(derived(replace(ehds, questions=questions), memory()))
    assert truth.questions[0].ground_truth == ("a1",)


def test_many_iris_are_looked_up_in_several_queries() -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    store = memory("".join(f'<urn:t{i}> {label} "Tune {i:03}" .\n' for i in range(450)))
    iris = [f"urn:t{i}" for i in range(450)]
    labels = asyncio.run(labels_of(iris, store))
    assert labels == {iri: f"Tune {i:03}" for i, iri in enumerate(iris)}


@pytest.mark.parametrize(
    ("written", "read"),
    [("True", "true"), ("1", "true"), (1, "true"), ([False], "false"), ("No", "false")],
)
def test_what_is_on_record_of_an_ask_query_may_be_written_in_any_way(
    tmp_path: Path, written: object, read: str
) -> None:
    asked = {"id": "Q", "question": "Is it?", "ground_truth": written, "category": "music"}
    asked["ground_truth"] = [written] if isinstance(written, int) else written
    ask = PREFIX + "ASK { m:a1 m:year 1969 }"
    [first] = load_lines(tmp_path, asked | {"sparql": ask}).questions
    assert first.ground_truth == (read,)


def test_a_number_is_no_boolean_where_the_query_is_no_ask(tmp_path: Path) -> None:
    select = "# ASK\nPREFIX ask: <urn:ask> SELECT (COUNT(*) AS ?n) { ?ask ask:s ?o }"
    asked = {"id": "Q", "question": "How many?", "ground_truth": ["1"], "sparql": select}
    assert load_lines(tmp_path, asked).questions[0].ground_truth == ("1",)


def test_a_boolean_in_a_result_is_true_or_false_whatever_its_lexical_form() -> None:
    assert elements(PREFIX + "SELECT ?v { m:a1 m:live ?v }") == ("true",)
    assert elements(PREFIX + "SELECT ?v { m:a2 m:live ?v }") == ("false",)


SONG = {"id": "Q", "question": "How long is Slow Rain?", "category": "music"}


def completeness(folder: Path, record: dict[str, Any], answer: str) -> float:
    [read] = load_lines(folder, SONG | record).questions
    score = score_by_rule(read, GivenAnswer(id="1", query_id="Q", text=answer))
    assert not isinstance(score, NoScore)
    assert {fact.match for fact in score.facts} <= {None, *(read.ground_truth or ())}
    return score.completeness


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("It is 258 seconds long.", True),
        ("It is 258 s long.", True),
        ("It lasts 4:18.", True),
        ("Slow Rain has a length of 4 min 18 s.", True),
        ("It lasts 4 minutes and 18 seconds.", True),
        ("It lasts 4:19.", False),
        ("It lasts 4 minutes and 19 seconds.", False),
    ],
)
def test_a_length_in_seconds_may_be_written_as_a_clock_shows_it(
    tmp_path: Path, answer: str, right: bool
) -> None:
    for record in (
        {"ground_truth": [{"value": 258, "unit": "s"}]},
        {"ground_truth": ["258"], "unit": "s"},
    ):
        assert completeness(tmp_path, record, answer) == right
    assert completeness(tmp_path, {"ground_truth": [258000], "unit": "ms"}, answer) == right


@pytest.mark.parametrize(
    ("answer", "right"),
    [("The share is 62.5 %.", True), ("It is 0.625.", True), ("It is 63.5 %.", False)],
)
def test_a_share_may_be_written_in_percent(tmp_path: Path, answer: str, right: bool) -> None:
    share = {"ground_truth": [{"value": 0.625, "unit": "share"}]}
    assert completeness(tmp_path, share, answer) == right


def test_an_alias_matches_as_its_element_does(tmp_path: Path) -> None:
    bare = {"ground_truth": ["Prince", "Slow Rain"], "question": "Which are there?"}
    named = bare | {"aliases": {"Prince": ["The Artist", "TAFKAP"]}}
    answer = "There are TAFKAP and Slow Rain."
    assert completeness(tmp_path, bare, answer) == 0.5
    assert completeness(tmp_path, named, answer) == 1.0
    own = [{"value": "Prince", "aliases": ["TAFKAP"]}, "Slow Rain"]
    assert completeness(tmp_path, bare | {"ground_truth": own}, answer) == 1.0


def test_one_thing_under_two_names_counts_once(tmp_path: Path) -> None:
    record = {
        "question": "Who sang it?",
        "ground_truth": ["Prince", "Ann Weir"],
        "aliases": {"Prince": ["TAFKAP"]},
    }
    [read] = load_lines(tmp_path, SONG | record).questions
    targets = Targets.of(read.ground_truth or (), writings(read))
    facts = [Fact(text=text, start=0, end=0) for text in ("TAFKAP", "Prince")]
    score = score_facts(facts, targets)
    assert [fact.match for fact in score.facts] == ["Prince"]
    assert (score.completeness, score.hallucination_rate) == (0.5, 0.0)


def test_the_words_of_aliases_do_not_make_a_word_common() -> None:
    """M3 is about G: three writings of one length would else keep all of them from matching."""
    targets = Targets.of(["258"], {"258": with_unit("258", "s")})
    assert targets.matches(normalise("4:18")) == [0]
    assert targets.matches(normalise("4")) == []


def test_aliases_and_units_are_written_and_kept_in_the_ledger(tmp_path: Path) -> None:
    record = SONG | {
        "ground_truth": [{"value": "258", "unit": "s", "aliases": ["a song's length"]}, "7"],
        "unit": "min",
    }
    [read] = load_lines(tmp_path, record).questions
    assert read.units == {"*": "min", "258": "s"}
    (tmp_path / "again.jsonl").write_text(benchmark_lines([read]))
    assert load_benchmark(str(tmp_path / "again.jsonl")).questions == (read,)
    assert read_question(question_item("music", read)) == read
    bare = replace(read, aliases={})
    assert question_item("music", bare).id != question_item("music", read).id


def test_an_alias_of_what_is_no_element_is_told() -> None:
    asked = question(ground_truth=("Prince",), aliases={"Prinse": ("TAFKAP",)})
    results = evaluate("music", [asked], [GivenAnswer(id="1", query_id="Q", text="Prince")])
    assert any("Prinse" in problem for problem in results.problems)


@pytest.mark.parametrize("wrong", [{"aliases": ["x"]}, {"unit": 5}, {"unit": {"1": []}}])
def test_what_is_no_alias_and_no_unit_is_an_error(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"own\.jsonl, line 1"):
        load_lines(tmp_path, SONG | {"ground_truth": ["1"]} | wrong)


ALBUMS = question(ground_truth=(), rows=(("Slow Rain", "1971"), ("Harbour Lights", "1969")))


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        ("Slow Rain (1971) and Harbour Lights (1969).", 1.0),
        ("Slow Rain (1969) and Harbour Lights (1971).", 0.0),
        ("- Harbour Lights: 1969\n- Slow Rain: 1970", 0.5),
        ("| Album | Year |\n| --- | --- |\n| Slow Rain | 1971 |\n| Harbour Lights | 1969 |", 1.0),
        ("| 1971 | Slow Rain |\n| 1969 | Harbour Lights |", 1.0),
        ("In 1971 Slow Rain came out, and in 1969 Harbour Lights.", 1.0),
        ("In 1969 Slow Rain came out, and in 1971 Harbour Lights.", 0.0),
        ("Slow Rain and Harbour Lights, of 1971 and 1969.", 1.0),
        ("Harbour Lights and Slow Rain, of 1971 and 1969.", 0.0),
        ("Slow Rain and Harbour Lights both came out in 1971.", 0.5),
        ("## Slow Rain\nYear: 1971\n## Harbour Lights\nYear: 1969", 1.0),
        ("## Slow Rain\nYear: 1969\n## Harbour Lights\nYear: 1971", 0.0),
        ("1971:\n- Slow Rain\n\n1969:\n- Harbour Lights", 1.0),
        ("1969:\n- Slow Rain\n\n1971:\n- Harbour Lights", 0.0),
        ("Slow Rain is by Ann Weir. It came out in 1971.", 0.5),
        ("1971 and 1969.", 0.0),
        ("", 0.0),
    ],
)
def test_a_row_counts_where_its_cells_are_said_together(answer: str, share: float) -> None:
    assert row_completeness(ALBUMS, answer) == share


def test_a_value_that_two_rows_share_may_be_said_once_or_twice() -> None:
    asked = question(rows=(("A Day", "1971"), ("A Night", "1971"), ("Noon", "1980")))
    assert row_completeness(asked, "A Day and A Night came out in 1971. Noon in 1980.") == 1.0
    assert row_completeness(asked, "A Day (1971), A Night (1971), Noon (1980)") == 1.0


def test_rows_are_read_written_derived_and_kept(tmp_path: Path) -> None:
    listed = [["Slow Rain", 1971], ["Harbour Lights", 1969]]
    [read] = load_lines(tmp_path, SONG | {"ground_truth": listed}).questions
    assert read.rows == ALBUMS.rows
    assert read.ground_truth == ("Slow Rain", "1971", "Harbour Lights", "1969")
    (tmp_path / "again.jsonl").write_text(benchmark_lines([read]))
    assert load_benchmark(str(tmp_path / "again.jsonl")).questions == (read,)
    assert read_question(question_item("music", read)) == read
    query = PREFIX + "SELECT ?a ?y { ?a m:year ?y } ORDER BY DESC(?y)"
    [asked] = truth_of(question(sparql=query)).questions
    assert asked.rows == ALBUMS.rows


def test_single_columns_and_ragged_lists_have_no_rows(tmp_path: Path) -> None:
    for listed in (["a", "b"], [["a"], ["b"]], [["a", "b"], ["c"]], [["a", ""]], []):
        [read] = load_lines(tmp_path, SONG | {"ground_truth": listed}).questions
        assert read.rows == ()
    assert row_completeness(question(ground_truth=("a",)), "a") is None


def test_rows_are_a_figure_of_their_own_beside_the_published_ones() -> None:
    """Every cell is said, so that C is 1 and H is 0; which belongs to which is wrong."""
    truth = tuple(cell for row in ALBUMS.rows for cell in row)
    swapped = GivenAnswer(id="1", query_id="Q", text="Slow Rain (1969) and Harbour Lights (1971).")
    results = evaluate("music", [replace(ALBUMS, ground_truth=truth)], [swapped])
    [summary] = results.summaries[-1:]
    assert (summary.completeness.value, summary.hallucination_rate.value) == (1.0, 0.0)
    [rows] = results.by_rows
    assert rows.row_completeness.value == 0.0
    assert "by_rows" in score_tables(results)


EXAMPLE = Path(__file__).parents[2] / "examples" / "music"


@pytest.mark.parametrize("name", ["music.ttl", "music.ttl.gz", "music.ttl.bz2"])
def test_the_example_shows_all_of_it(tmp_path: Path, name: str) -> None:
    """Model a says what is right in each of the ways that docs/answers.md names, b what is not."""
    plain = (EXAMPLE / "music.ttl").read_bytes()
    pack = {".gz": gzip.compress, ".bz2": bz2.compress}.get(Path(name).suffix, bytes)
    (tmp_path / name).write_bytes(pack(plain))
    options = ScoreOptions(
        answers=EXAMPLE / "answers.jsonl",
        reach=Reach(benchmark=str(EXAMPLE / "questions.jsonl"), store=tmp_path / name),
        resamples=100,
    )
    scored = score_answers(options)
    assert scored is not None
    results, truth = scored
    assert {q.query_id: q.ground_truth for q in truth.questions} == {
        "M1": ("Harbour Lights", "1969", "Slow Rain", "1971"),
        "M2": ("258",),
        "M3": ("0.625",),
        "M4": ("Ann Weir",),
        "M5": ("true",),
        "M6": (),
        "M7": None,
    }
    assert any("m:knd m:singer" in problem for problem in results.problems)
    scores = {(row.answer.model, row.question.query_id): row.score for row in results.answers}
    assert all(scores["a", f"M{i}"].combined_score == 1 for i in (1, 2, 3, 4, 5))
    assert (scores["a", "M6"].completeness, scores["a", "M6"].hallucination_rate) == (1, 0)
    wrong = [
        name for (model, name), score in scores.items() if model == "b" and score.completeness == 0
    ]
    assert wrong == ["M2", "M4", "M5", "M6"]
    rows = {row.model: row.row_completeness.value for row in results.by_rows}
    assert rows == {"a": 1.0, "b": 0.0}
    assert scores["b", "M1"].combined_score == 1  # the published figures do not see it
