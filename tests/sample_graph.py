"""A small judged graph as the report gets it, and one that has hostile text in every field."""

from __future__ import annotations

from factmark.ask.budget import Spend
from factmark.graphs.core.claims import EvidenceMark, Role, Triple, claim
from factmark.graphs.results import GraphResults, GraphRow
from factmark.model import Status
from triple_verdicts import TripleVerdict, scores_of, verdict_on

PASSAGE = (
    "Metformin, a biguanide, remains the usual first-line drug for type 2 diabetes. "
    "It lowers hepatic glucose production and does not cause weight gain."
)
_Row = tuple[str, str, str, str, "str | None", str]
SUPPORT: tuple[_Row, ...] = (
    ("metformin", "treats", "type 2 diabetes", "ok", "SUPPORTED", "SUPPORTED"),
    ("metformin", "isa", "biguanide", "ok", "SUPPORTED", "SUPPORTED"),
    ("metformin", "cause_of", "weight gain", "ok", "CONTRADICTED", "CONTRADICTED"),
    ("metformin", "treats", "asthma", "ok", "NOT_SUPPORTED", "NOT_SUPPORTED"),
    ("biguanide", "isa", "drug", "ok", "NOT_SUPPORTED", "SUPPORTED"),
    ("glucose", "finding_site_of", "production", "unparsed", None, "NOT_SUPPORTED"),
    ("weight gain", "due_to", "metformin", "refused", None, "CONTRADICTED"),
    ("type 2 diabetes", "isa", "diabetes", "ok", "SUPPORTED", "SUPPORTED"),
)
_VALIDITY = {"SUPPORTED": "YES", "NOT_SUPPORTED": "MAYBE", "CONTRADICTED": "NO"}


def mark(role: Role, words: str, passage: str = PASSAGE) -> tuple[EvidenceMark, ...]:
    """The mark of the words' first place in the passage, if they stand there."""
    at = passage.casefold().find(words.casefold())
    return () if at < 0 else (EvidenceMark(role=role, start=at, end=at + len(words)),)


def marks(head: str, relation: str, tail: str) -> tuple[EvidenceMark, ...]:
    """Head, tail and what stands for the relation."""
    found = (*mark("head", head), *mark("tail", tail))
    if relation == "cause_of":
        found += (*mark("cue", "cause"), *mark("negation", "not"))
    if relation == "treats":
        found += mark("cue", "first-line drug for type 2")
    return found


def sample_graph(measure: str = "factscore", *, copies: int = 1) -> GraphResults:
    """The graph, judged for support or for validity."""
    support = measure == "factscore"
    rows, judged = [], []
    for copy in range(copies):
        for place, (head, relation, tail, status, label, truth) in enumerate(SUPPORT):
            known: Status = status  # type: ignore[assignment]  # one of them, see above
            own = label if support or label is None else _VALIDITY[label]
            triple = Triple(head=head, relation=relation, tail=tail)
            rows.append(
                GraphRow(
                    id=f"t{copy * len(SUPPORT) + place + 1:03}",
                    head=head,
                    relation=relation,
                    tail=tail,
                    claim=claim(triple),
                    passage=PASSAGE if support else None,
                    status=known,
                    label=own,
                    reason="" if label is None else f"the passage on {head} and {tail}",
                    marks=marks(head, relation, tail) if support else (),
                    truth=truth if support else _VALIDITY[truth],
                )
            )
            kind = "drug" if head == "metformin" else ""
            judged.append(verdict_on(triple, own, status=known, head_type=kind))
    return GraphResults(
        measure="factscore" if support else "validity",
        graph="diabetes",
        judge="rules",
        scores=scores_of("factscore" if support else "validity", judged),
        rows=tuple(rows),
        left=2,
        agreement=0.875,
        spent=Spend(
            calls=1200,
            cached=3,
            judged_before=1,
            input_tokens=123_456,
            output_tokens=789,
            cost=1.5,
            seconds=75.2,
            stopped="the budget of $1.50 is spent",
        ),
        problems=("line 7: no tail",),
        signature={"version": "0.1.0", "rubric": {"name": "support", "version": 1}},
    )


def hostile_graph(text: str) -> GraphResults:
    """Two rows with the text in every field that can hold text; its verdict is another one."""
    sentence = f"{text} is {text}"
    inner = max(1, len(text) // 2)
    rows = tuple(
        GraphRow(
            id=text,
            head=text,
            relation=relation,
            tail=text,
            claim=text,
            passage=sentence,
            status="ok",
            label="SUPPORTED",
            reason=text,
            truth=text,
            marks=(
                EvidenceMark(role="head", start=0, end=len(text)),
                EvidenceMark(role="negation", start=0, end=inner),
                EvidenceMark(role="cue", start=len(text) + 1, end=len(text) + 3),
                EvidenceMark(role="tail", start=len(text) + 4, end=len(sentence)),
            ),
        )
        for relation in (text, "other")
    )
    judged = [
        TripleVerdict(
            triple=(text, name, text),
            cluster=text,
            relation=name,
            label="SUPPORTED",
            head_type=text,
        )
        for name in (text, "other")
    ]
    return GraphResults(
        measure="factscore",
        graph=text,
        judge=text,
        scores=scores_of("factscore", judged),
        rows=rows,
        spent=Spend(stopped=text),
        problems=(text,),
        signature={text: text, "nested": {"value": [text]}},
    )
