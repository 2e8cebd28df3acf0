"""What questions are answered from: looked up once, kept where it costs, told apart."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from factmark.errors import EndpointError
from factmark.graph_answers.core.records import GraphContext, GraphQuestion
from factmark.graph_answers.options import GraphragOptions
from factmark.graph_answers.reading import passages_source, prepare
from factmark.graph_answers.systems import from_graph, from_passages
from factmark.passages.embedders import Search
from factmark.passages.index import Index, open_index_of
from graphrag_runs import INSULIN, NOBODY, QUESTIONS, TREATS, YES, Words, text

PASSAGES = [
    ("p1", "Metformin is given in type 2 diabetes."),
    ("p2", "The pancreas makes the hormone insulin."),
    ("p1", "Aspirin lowers fever."),  # another text of the same id
    ("p3", "Metformin is given in type 2 diabetes."),  # the same text again
    ("p4", "  "),
]


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Index]:
    source = passages_source("a graph", lambda: PASSAGES)
    async with await open_index_of(source, folder, Search()) as index:
        yield index


async def test_a_context_for_each_question(tmp_path: Path) -> None:
    steps: list[int] = []
    made = await from_graph("graph", Words(), QUESTIONS, step=lambda: steps.append(1))
    assert list(made.given) == [one.id for one in QUESTIONS]
    assert len(steps) == len(QUESTIONS)
    given = made.given["treats"]
    assert given.texts == ("Metformin treats type 2 diabetes",)
    assert (given.held, given.carriers, given.named) == (True, (0,), True)
    assert made.given["scurvy"].context == GraphContext(facts=(), reached=3)
    assert made.given["scurvy"].held is False


async def test_a_named_answer_is_reachable_from_entities_of_the_question() -> None:
    async def reachable(question: GraphQuestion) -> bool | None:
        return (await from_graph("graph", Words((NUMB,)), [question])).given["q"].reachable

    assert await reachable(text("q", "What causes numbness?", "neuropathy")) is True
    assert await reachable(text("q", "Why is it?", "neuropathy")) is None  # no entity named
    assert await reachable(text("q", "What causes numbness?", "stroke")) is False  # nor named


async def in_graph(question: GraphQuestion, *triples: tuple[str, str, str]) -> bool | None:
    return (await from_graph("graph", Words(triples), [question])).given[question.id].named


NUMB = ("neuropathy", "isa", "x")
TREATED = ("metformin", "treats", "type 2 diabetes")


async def test_whether_the_graph_has_the_answer() -> None:
    assert await in_graph(text("q", "What causes numbness?", "neuropathy"), NUMB) is True
    assert await in_graph(text("q", "What causes numbness?", "stroke"), NUMB) is False
    assert await in_graph(text("q", "Why is it?", "neuropathy"), NUMB) is True
    sentence = "because the body makes too little of a certain hormone"
    assert await in_graph(text("q", "What for?", sentence), NUMB) is None  # no name of an entity
    assert await in_graph(text("q", "What for?", sentence, "neuropathy"), NUMB) is True
    assert await in_graph(YES, NUMB) is None
    assert await in_graph(NOBODY, NUMB) is False


async def test_what_the_question_says_of_the_graph_comes_first() -> None:
    named = replace(TREATS, references=("biguanides",), triples=(TREATED,))
    assert await in_graph(named, TREATED) is True  # though no entity is called so
    assert await in_graph(replace(YES, triples=(TREATED,)), TREATED) is True
    assert await in_graph(replace(named, answerable=False), TREATED) is True
    # The reference is in the context and near, in another statement: the file knows better.
    unanswerable = replace(TREATS, answerable=False)
    made = (await from_graph("graph", Words((TREATED,)), [unanswerable])).given["treats"]
    assert (made.held, made.named) == (True, False)


async def test_triples_that_a_graph_does_not_have_are_not_what_is_held() -> None:
    asked = replace(TREATS, triples=(TREATED,))
    other = ("metformin", "related_to", "type 2 diabetes")
    made = (await from_graph("other", Words((other,)), [asked])).given["treats"]
    assert (made.held, made.carriers, made.named) == (True, (0,), True)
    fewer = ("aspirin", "treats", "type 2 diabetes")
    made = (await from_graph("fewer", Words((fewer,)), [asked])).given["treats"]
    assert (made.held, made.named) == (False, False)
    yes = replace(YES, triples=(TREATED,))
    made = (await from_graph("other", Words((("insulin", "related_to", "hormone"),)), [yes])).given[
        "yes"
    ]
    assert (made.held, made.named) == (None, None)


async def test_contexts_are_kept_where_they_cost(tmp_path: Path) -> None:
    index, ledger = Words(), tmp_path / "l.db"
    first = await from_graph("graph", index, QUESTIONS, kept_in=ledger)
    assert index.lookups == len(QUESTIONS)
    again = await from_graph("graph", index, QUESTIONS, kept_in=ledger)
    assert index.lookups == len(QUESTIONS)
    assert again == first
    other = Words((("insulin", "isa", "hormone"),))
    await from_graph("graph", other, QUESTIONS, kept_in=ledger)
    assert other.lookups == len(QUESTIONS)  # another graph
    told = {"treats": "{head} is a remedy for {tail}"}
    await from_graph("graph", index, QUESTIONS, wordings=told, kept_in=ledger)
    assert index.lookups == 2 * len(QUESTIONS)  # the triples read otherwise


class Gone(Words):
    async def context(self, question: str, options: Sequence[str] = ()) -> GraphContext:
        raise EndpointError("the embedder is gone")


async def test_an_embedder_that_is_gone_ends_it() -> None:
    with pytest.raises(EndpointError, match="the embedder is gone"):
        await from_graph("graph", Gone(), QUESTIONS)


async def test_passages_stand_once_under_names_of_their_own(tmp_path: Path) -> None:
    async with opened(tmp_path) as index:
        assert len(index) == 3
        made = await from_passages(index, [TREATS, INSULIN], 2)
        found = [*await index.search("metformin", 5), *await index.search("fever", 5)]
    assert len({chunk.id for chunk in found}) == 2
    given = made.given["treats"]
    assert given.passages[0] == ("p1", "Metformin is given in type 2 diabetes.")
    assert given.held is True
    assert given.carriers == (0,)
    assert (given.context, given.named) == (None, None)
    assert len(given.passages) <= 2


async def test_a_smaller_sample_is_part_of_a_larger_one(tmp_path: Path) -> None:
    graph, asked = tmp_path / "g.csv", tmp_path / "q.jsonl"
    graph.write_text("head,relation,tail\nmetformin,treats,type 2 diabetes\n,x,y\n")
    rows = (
        f'{{"id": "q{n}", "question": "Who is {n}?", "answer": "metformin"}}' for n in range(20)
    )
    asked.write_text("\n".join(rows))
    drawn = []
    for limit in (4, 9, 50):
        options = GraphragOptions(
            triples=graph, questions=asked, limit=limit, seed=3, control="off"
        )
        questions, _, problems = await prepare(options, tmp_path / "index", Search())
        drawn.append([question.id for question in questions])
        assert any("no head" in sentence for sentence in problems)
    assert [len(names) for names in drawn] == [4, 9, 20]
    assert set(drawn[0]) < set(drawn[1]) < set(drawn[2])
    assert drawn[2] == [f"q{n}" for n in range(20)]
