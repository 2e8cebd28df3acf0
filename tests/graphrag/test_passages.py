"""Graphs whose relations are as free as text: found by entities and passages."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest

from factmark.errors import InputError
from factmark.graph_answers.core.records import RetrievalLimits
from factmark.graph_answers.core.scores import graphrag_score
from factmark.graph_answers.core.spreading import (
    PassageCandidate,
    choose_passages,
    personalised_pagerank,
)
from factmark.graph_answers.index.building import GraphSource, open_graph_index
from factmark.graph_answers.index.lookup import TripleIndex
from factmark.graph_answers.options import GraphragOptions, LookupOptions
from factmark.graph_answers.study import SILENT, open_plan, results_of, run_graphrag

FILLER = [(f"Thing {n}", f"was seen in way {n} by", f"Person {n}", f"f{n}") for n in range(60)]
ROWS = [
    ("Orla Quist", "grew up near the harbour of", "Velden", "home"),
    ("Orla Quist", "painted", "Grey Mornings", "home"),
    ("Velden", "is governed by mayor", "Tomas Brandt", "town"),
    ("Velden", "lies on", "river Asse", "town"),
    *FILLER,
]
TEXTS = {
    "home": "Orla Quist grew up near the harbour of Velden.",
    "town": "The mayor of Velden is Tomas Brandt.",
}
QUESTION = "Who is the mayor of the town where Orla Quist grew up?"


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.jsonl"
    keys = ("head", "relation", "tail", "passage_id")
    path.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in ROWS))
    return path


@pytest.fixture
def passages(tmp_path: Path) -> Path:
    path = tmp_path / "passages.jsonl"
    lines = (json.dumps({"id": name, "text": text}) for name, text in TEXTS.items())
    path.write_text("\n".join(lines))
    return path


def opened(path: Path, folder: Path, by: str = "auto", **more: object) -> TripleIndex:
    source = GraphSource(path=path, **more)  # type: ignore[arg-type]
    limits = RetrievalLimits(by=by)  # type: ignore[arg-type]
    return asyncio.run(open_graph_index(source, folder, limits=limits))


def test_both_passages_of_a_question_of_two_steps_come_first(graph, passages, tmp_path) -> None:
    context = opened(graph, tmp_path / "index", passages=passages).look_up(QUESTION)
    assert {fact.triple.passage_id for fact in context.facts[:2]} == {"home", "town"}
    assert dict(context.passages) == TEXTS  # of other passages no text is known
    assert any("free as text" in note for note in opened(graph, tmp_path / "index").notes)


def test_without_texts_triples_alone_lead_there(graph, tmp_path) -> None:
    context = opened(graph, tmp_path / "index").look_up(QUESTION)
    assert {fact.triple.passage_id for fact in context.facts[:2]} == {"home", "town"}
    assert context.passages == ()


def test_a_question_of_nothing_in_the_graph_has_no_context(graph, tmp_path) -> None:
    assert opened(graph, tmp_path / "index").look_up("xyzzy plugh?").facts == ()


def test_relations_are_followed_where_they_are_few_or_where_you_say_so(graph, tmp_path) -> None:
    by_paths = opened(graph, tmp_path / "index", "paths")
    assert by_paths.passages is None
    assert by_paths.notes == ()
    few = tmp_path / "few.csv"
    few.write_text("head,relation,tail,passage_id\na,treats,b,p1\nc,treats,d,p2\n")
    assert opened(few, tmp_path / "few").passages is None
    with pytest.raises(InputError, match="--retrieval passages"):
        opened(few, tmp_path / "few", "passages")


def test_weight_goes_to_what_is_next_to_its_start() -> None:
    # 0 - 1 - 2 and 3 - 4 apart, started at 0.
    tails = np.array([0, 1, 1, 2, 3, 4])
    heads = np.array([1, 0, 2, 1, 4, 3])
    weight = personalised_pagerank(tails, heads, np.array([2.0, 0, 0, 0, 0]))
    assert weight.sum() == pytest.approx(1)
    assert weight[0] > weight[2] > weight[3] == weight[4] == 0


def test_a_passage_is_taken_for_the_words_that_others_lack() -> None:
    def candidate(number: int, words: str, entities: tuple[int, ...]) -> PassageCandidate:
        counts = dict.fromkeys(entities, 2)
        return PassageCandidate(
            number=number, rank=0.1, words=frozenset(words.split()), entities=counts
        )

    first, again, other = (
        candidate(0, "a b", (7,)),
        candidate(1, "a", (7,)),
        candidate(2, "c", (7,)),
    )
    weights = {"a": 1.0, "b": 1.0, "c": 1.0}
    chosen = choose_passages([again, other, first], weights, 2)
    assert [passage.number for passage, _ in chosen] == [0, 2]
    unlinked = candidate(3, "c", (9,))
    chosen = choose_passages([again, unlinked, other, first], weights, 2)
    assert [passage.number for passage, _ in chosen] == [0, 2]  # it shares an entity with the first


def test_passages_that_support_answers_are_counted(graph, passages, tmp_path) -> None:
    asked = tmp_path / "q.jsonl"
    row = {"id": "q", "question": QUESTION, "answer": "Tomas Brandt", "support": ["home", "town"]}
    asked.write_text(json.dumps(row) + "\n")
    given = GraphragOptions(
        triples=graph, questions=asked, passages=passages, lookup=LookupOptions(top_tokens=60)
    )

    async def scores() -> object:
        async with open_plan(given, SILENT) as plan:
            return results_of(plan, await run_graphrag(plan)).scores

    by_system = asyncio.run(scores())
    overall = by_system["graph"].overall  # type: ignore[index]
    assert (overall.recall_2.value, overall.supported.value) == (1.0, 1.0)
    assert overall.answer_recall.value == 1.0
    assert graphrag_score([]).recall.value is None


def test_contexts_of_another_retriever_are_measured_beside(graph, passages, tmp_path) -> None:
    asked, other = tmp_path / "q.jsonl", tmp_path / "other.jsonl"
    row = {"id": "q", "question": QUESTION, "answer": "Tomas Brandt", "support": ["home", "town"]}
    asked.write_text(json.dumps(row) + "\n")
    retrieved = [{"id": "f1", "text": "Thing 1."}, {"id": "town", "text": TEXTS["town"]}]
    other.write_text(json.dumps({"question": QUESTION, "contexts": retrieved}) + "\n")

    def scores(*contexts: str) -> object:
        async def run() -> object:
            given = GraphragOptions(
                triples=graph, questions=asked, passages=passages, contexts=list(contexts)
            )
            async with open_plan(given, SILENT) as plan:
                return results_of(plan, await run_graphrag(plan)).scores

        return asyncio.run(run())

    overall = scores(f"theirs={other}")["theirs"].overall  # type: ignore[index]
    assert (overall.recall_2.value, overall.supported.value) == (0.5, 0.0)
    assert (overall.answer_recall.value, overall.retrieval.value) == (1.0, 1.0)
    for wrong, message in (
        (f"graph={other}", "name of a graph"),
        (f"theirs={graph}", "no context"),
    ):
        with pytest.raises(InputError, match=message):
            scores(wrong)
