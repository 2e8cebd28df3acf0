"""What `benchmarks/fuzz.py` feeds: readers of text and of files, and valid inputs to begin with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from factmark.analysis.evaluations.study import analyse
from factmark.analysis.labels.label_import import import_labels
from factmark.answers.marks.annotations import open_annotations
from factmark.answers.questions.benchmarks import load_benchmark
from factmark.campaign_model import Shown
from factmark.claim_support.options import ClaimsOptions
from factmark.claim_support.reading import read_claims
from factmark.errors import FactmarkError
from factmark.files.problems import Problems
from factmark.files.rows import read_rows
from factmark.graph_answers.questions.question_file import read_graph_questions
from factmark.graphs.formats.rdf_files import read_quads
from factmark.graphs.ontologies.opening import open_ontology
from factmark.graphs.triples.triples import read_triples
from factmark.interop.reading import read_answers
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Judge, Unit, Verdict
from factmark.passages.passage_file import read_passages
from factmark.people.core.forms import FORMS
from factmark.people.imports.rating_files import read_ratings
from factmark.people.labelstudio.interface import read_result
from factmark.people.reading import SummaryColumns, read_documents, read_people
from factmark.replies.tools.tool_calls import written_calls
from factmark.stores.guard import check_query, undeclared_prefixes
from factmark.stores.results import parse_json
from long_texts import PIECES, READERS

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
SHORT = 600  # bytes of a text
RULE = Judge.create("rule", "rule")
UNITS = [Unit(id=name, item="i", kind="pair", text=name) for name in ("u1", "u2")]
Reader = Callable[[Path], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Readers that get the same input.

    Attributes:
        suffixes: of the file that they read; the first byte of an input chooses one.
        readers: those of a file; each gets the path.
        words: pieces of the format, which are put anywhere.
        longest: bytes of an input; more inputs are read where they are short.
        seeds: suffix -> valid inputs.
    """

    suffixes: tuple[str, ...]
    readers: tuple[Reader, ...]
    words: tuple[bytes, ...]
    seeds: dict[str, list[bytes]]
    longest: int = 4_096

    def inputs(self) -> Iterator[bytes]:
        """The seeds, each behind the byte that chooses its suffix."""
        for suffix, seeds in self.seeds.items():
            first = bytes([self.suffixes.index(suffix)])
            yield from (first + seed[: self.longest - 1] for seed in seeds)

    def read(self, data: bytes, folder: Path) -> None:
        """Gives an input to all readers; their own errors are no escape."""
        suffix = self.suffixes[(data[0] if data else 0) % len(self.suffixes)]
        path = folder / f"input{suffix}"
        path.write_bytes(data[1:])
        for reader in self.readers:
            with suppress(FactmarkError):
                reader(path)


def text_readers(*names: str) -> tuple[Reader, ...]:
    """Readers of a text, by their names in `long_texts`."""
    return tuple(partial(_read_as_text, READERS[name]) for name in names)


def _read_as_text(reader: Callable[[str], object], path: Path) -> object:
    return reader(path.read_bytes().decode("utf-8", "replace"))


def of_text(reader: Callable[[str], object]) -> Reader:
    """A reader of a text as one of a file."""
    return partial(_read_as_text, reader)


def _all_of(reader: Callable[[Path, Problems], Any]) -> Reader:
    return lambda path: list(reader(path, Problems()))


def _ontology(path: Path) -> None:
    with open_ontology(path, Problems()):
        pass


def _labels(path: Path) -> None:
    known = path.with_name("labels.db")
    is_new = not known.exists()
    with Ledger(known) as ledger:
        if is_new:
            verdicts = [
                (unit, Verdict(unit=unit.id, judge=RULE.id, label="SUPPORTED")) for unit in UNITS
            ]
            ledger.record(RULE, [Item(id="i", cluster="i")], verdicts, {})
        import_labels(path, ledger)


def _sparql_results(path: Path) -> None:
    with suppress(ValueError):  # its errors are those of the endpoint's reader
        parse_json(path.read_bytes(), max_rows=10)


def _annotation(path: Path) -> None:
    """Regions of Label Studio, as its server or an export has them."""
    try:
        result = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return
    shown = Shown(evidence="Q", text="A 😀 of Paris\r\nand Rome", elements=("Paris", "Rome"))
    for form in FORMS.values():
        with suppress(ValueError):  # says in a sentence why it is no answer
            read_result(form, shown, result)


TABLE_READERS: tuple[Reader, ...] = (
    _all_of(read_rows),
    _all_of(read_triples),
    lambda path: read_passages(path, Problems()),
    lambda path: read_graph_questions(path, Problems()),
    lambda path: read_documents(path, SummaryColumns()),
    lambda path: read_ratings([path], (), "utf-8", lambda note: None),
    read_answers,
    lambda path: load_benchmark(str(path)),
    lambda path: read_people(str(path)),
    open_annotations,
    _labels,
    lambda path: analyse(path),
    lambda path: read_claims(ClaimsOptions(claims=path, split="sentences"), Problems()),
)


def _lines(name: str, count: int = 4) -> bytes:
    return b"".join((DATA / name).read_bytes().splitlines(keepends=True)[:count])


TABLES = [
    b'head,relation,tail,passage_id\naspirin,treats,headache,p1\n"a, b",causes,"c""d",p2\n',
    b'id,text\np1,Aspirin treats headache.\np2,"Two\nlines"\n',
    b"query_id,condition,model,answer\nD2,mcp,m,There are **30** datasets.\n",
    b"id,article,s,t\nd1,A man lives here.,He lives.,She lives.\n",
    b'document,system,annotator,label,time\nd,s,Ann,"3,5",2026-05-04T12:00:00Z\nd,s,Ben,4,\n',
    b"unit,annotator,label,comment\nu1,Ada,SUPPORTED,\nu2,Ben,NOT_SUPPORTED,why\n",
    b"id,question,options,answer\n1,Which?,A. x|B. y,B\n2,Is it?,,yes\n",
    b'id;category;question;ground_truth\nQ1;c;Which drug?;["a", "b"]\n',
    b"name,email\nAda,ada@example.org\nBen,\n",
    b"row,query_id,question,ground_truth,answer,annotator,facts,verdict,absence,comment\n"
    b"r1,Q1,Which?,a|b,It is a.,Ada,a,yes,no,\n",
    _lines("graph/triples.csv", 6),
]
OBJECTS = [
    b'{"query_id": "D2", "condition": "mcp", "model": "m", "answer": "There are **30**."}\n',
    b'{"id": "p1", "text": "Aspirin treats headache.", "source": null}\n',
    b'[{"id": 1, "kg": {"triplet": ["a", "treats", "b"]}, "question": "q", "answer": ["x"]}]',
    b'{"questions": {"1": {"a": {"reviews": [{"text": "t", "rating": 3}]}}}, "passage-id": 1}\n',
    b'{"id": "d", "model_id": "s", "decoded": "A text.", "expert_annotations": '
    b'[{"coherence": 4, "consistency": 5}]}\n',
    b'[{"id": 7, "data": {"document": "d", "system": "s", "summary": "A text."}, '
    b'"annotations": [{"id": 1, "completed_by": 2, "result": [{"from_name": "label", '
    b'"to_name": "text", "type": "choices", "value": {"choices": ["4"]}}], "lead_time": 3.5, '
    b'"updated_at": "2026-05-04T12:00:00Z"}]}]',
    b'{"eval": {"model": "m", "task": "t"}, "samples": [{"id": 1, "epoch": 1, "input": "q", '
    b'"output": {"choices": [{"message": {"content": "a"}}]}}], "version": 2, "status": "success"}',
    b'{"doc_id": 0, "doc": {"query_id": "D2"}, "resps": [["a"]], "filtered_resps": ["a"]}\n',
    _lines("answers_in_forms.jsonl", 2),
    _lines("answers_annotated.jsonl", 2),
    _lines("graph/passages.jsonl", 3),
]
RDF = b'@prefix e: <http://e.org/> .\ne:a e:treats e:b ; e:name "A"@en , "1"^^e:int .\n'
GRAPHS = {
    ".ttl": [RDF],
    ".nt": [b'<http://e.org/a> <http://e.org/p> "x\\u00e9"@en .\n_:b <http://e.org/p> _:c .\n'],
    ".trig": [b"@prefix e: <http://e.org/> .\ne:g { e:a e:p e:b . }\n"],
    ".jsonld": [b'{"@context": {"e": "http://e.org/"}, "@id": "e:a", "e:p": [{"@value": "x"}]}'],
    ".graphml": [
        b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d0" for="edge" '
        b'attr.name="relation" attr.type="string"/><graph edgedefault="directed"><node id="a"/>'
        b'<node id="b"/><edge source="a" target="b"><data key="d0">treats</data></edge></graph>'
        b"</graphml>"
    ],
    ".obo": [
        b"format-version: 1.2\n\n[Term]\nid: A:1\nname: a thing\nis_a: A:2 ! other\n"
        b'synonym: "x \\"y\\"" EXACT []\nrelationship: part_of A:3 {source="s"}\n\n[Typedef]\n'
        b"id: part_of\nname: part of\nis_transitive: true\n"
    ],
    ".owl": [
        b'<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        b'xmlns:e="http://e.org/"><rdf:Description rdf:about="http://e.org/a"><e:p>x</e:p>'
        b"</rdf:Description></rdf:RDF>"
    ],
    ".json": [
        b'{"graphs": [{"id": "g", "nodes": [{"id": "A:1", "lbl": "a", "type": "CLASS", "meta": '
        b'{"synonyms": [{"val": "x"}]}}], "edges": [{"sub": "A:1", "pred": "is_a", "obj": "A:2"}],'
        b' "logicalDefinitionAxioms": [{"definedClassId": "A:1", "genusIds": ["A:2"]}]}]}',
        b'{"documents": [{"id": "1", "passages": [{"text": "a treats b", "offset": 0, '
        b'"annotations": [{"id": "T1", "text": "a", "infons": {"type": "Chemical"}, "locations": '
        b'[{"offset": 0, "length": 1}]}], "relations": []}], "relations": [{"id": "R1", "infons": '
        b'{"type": "treats"}, "nodes": [{"refid": "T1", "role": "h"}, {"refid": "T1"}]}]}]}',
    ],
    ".xml": [
        b"<collection><document><id>1</id><passage><offset>0</offset><text>a treats b</text>"
        b'<annotation id="T1"><infon key="type">Drug</infon><location offset="0" length="1"/>'
        b'<text>a</text></annotation></passage><relation id="R1"><infon key="type">t</infon>'
        b'<node refid="T1" role="h"/><node refid="T1" role="t"/></relation></document>'
        b"</collection>"
    ],
    ".pubtator": [b"1|t|A treats b\n1|a|It does.\n1\t0\t1\tA\tChemical\tD1\n1\tCID\tD1\tD2\n"],
}
QUERIES = [
    b"PREFIX e: <http://e.org/> SELECT ?s (COUNT(*) AS ?n) WHERE { ?s e:p ?o . FILTER(?o < 3) } "
    b"GROUP BY ?s",
    b'BASE <http://e.org/> ASK { { SELECT * { <a> ?p "x\\u0041"@en } } UNION { ?a <b>/<c>* ?d } }',
    b'{"head": {"vars": ["s"]}, "results": {"bindings": [{"s": {"type": "literal", "value": "x", '
    b'"xml:lang": "en"}}]}}',
]
REPLIES = [
    b'```json\n{"verdict": "SUPPORTED", "reason": "It says so."}\n```',
    b"<think>NOT_SUPPORTED?</think>\nVerdict: **SUPPORTED**",
    b'[{"id": 1, "label": "SUPPORTED"}, {"id": 2, "label": "NOT_SUPPORTED"}]',
    b"1. SUPPORTED\n2. NOT_SUPPORTED\n3. The passage does not say.",
    b'<tool_call>{"name": "search", "arguments": {"q": "a"}}</tool_call>',
    b"The answer is (B), not \\boxed{A}. Rating: 4/5, out of 1 to 5.",
    *(line.encode() for line in (DATA / "judge_replies.jsonl").read_text("utf-8").splitlines()[:9]),
]
ANSWERS = [
    b"There are **40** drugs:\n\n- Aspirin (ASA), 10 mg/dL\n- Iron 2+; not vitamin A.\n",
    b"| Drug | Dose |\n| --- | --- |\n| Aspirin | 1,000 mg |\n\nI do not know the others.",
    b"No, Dr. A. Smith said that it rained, and the cat slept because it was tired, e.g. at home.",
    b"Aspirin, which is known to cause headache, does not treat gout; however, iron does.",
    b"She went home early, but he stayed, and they met again after the war, so that he knew her.",
    b"The trial was not large but it was long; although some left, it showed that the drug helps.",
    b"Police said the man, who was driving, was hurt, and in two cases he was tired, but not ill.",
    *(
        json.loads(line)["answer"].encode()
        for line in _lines("answers_annotated.jsonl", 5).splitlines()
    ),
]
WORDS = tuple(piece.encode("utf-8", "replace") for piece in PIECES)
JOINING = "not but rather and or so that which who while than because although as well only also to"
WORDS += tuple(f"{sign}{word} ".encode() for word in JOINING.split() for sign in (" ", ", "))
SIGNS = (b",", b";", b'"', b"\t", b"\r\n", b"\\", b"\x00", b"[", b"]", b"{", b"}", b":", b"null")
SIGNS += (b"true", b"1e999", b"NaN", b"-1", b"9" * 40, b"\\ud800", b"\xff", b"\xef\xbb\xbf", b"''")
XML = (
    b"<",
    b">",
    b"</",
    b"/>",
    b"&amp;",
    b"&#x0;",
    b"<!DOCTYPE a [",
    b"<![CDATA[",
    b"<!--",
    b"]]>",
)
SPARQL = (
    b"SELECT ",
    b"ASK ",
    b"SERVICE ",
    b"FROM ",
    b"{",
    b"}",
    b"<",
    b">",
    b"#",
    b"'''",
    b"\\u003c",
)


def _columns() -> dict[str, list[bytes]]:
    """A table in the two formats of columns."""
    import pyarrow as pa
    from pyarrow import ipc, parquet

    table = pa.table({"id": ["p1", "p2"], "text": ["one", None], "n": [1.5, 2.0], "l": [["a"], []]})
    flat, stream = pa.BufferOutputStream(), pa.BufferOutputStream()
    parquet.write_table(table.select(["id", "text"]), flat)
    with ipc.new_stream(stream, table.schema) as out:
        out.write_table(table)
    return {".parquet": [flat.getvalue().to_pybytes()], ".arrow": [stream.getvalue().to_pybytes()]}


def targets() -> dict[str, Target]:
    """All targets by name."""
    texts = {".txt": REPLIES}
    tables = {".csv": TABLES, ".tsv": [table.replace(b",", b"\t") for table in TABLES]}
    listed = [b"[" + b",".join(lines.splitlines()) + b"]" for lines in OBJECTS if lines[:1] == b"{"]
    objects = {".json": [*OBJECTS, *listed], ".jsonl": OBJECTS}
    replies = ("reply", "reply, given", "batch", "rating", "ratings", "choice", "abstains")
    more = ("refuses", "facts of a judge", "fence", "choice by text", "yes or no", "free text")
    calls = of_text(lambda text: written_calls(text, {"search": {}, "count": {}}, [text[:40]]))
    written = (".txt",)
    return {
        "replies": Target(
            suffixes=written,
            readers=(*text_readers(*replies, *more), calls),
            words=(*WORDS, *SIGNS),
            seeds=texts,
            longest=SHORT,
        ),
        "answers": Target(
            suffixes=written,
            readers=text_readers("answer", "answer, boolean", "answer, count"),
            words=WORDS,
            seeds={".txt": ANSWERS},
            longest=SHORT,
        ),
        "prose": Target(
            suffixes=written,
            readers=text_readers(
                *("clauses", "blind", "habits", "source", "visible", "support", "support, long"),
                *("verify", "extract", "extract, choice", "options"),
            ),
            words=WORDS,
            seeds={".txt": ANSWERS},
            longest=SHORT,
        ),
        "tables": Target(suffixes=tuple(tables), readers=TABLE_READERS, words=SIGNS, seeds=tables),
        "objects": Target(
            suffixes=tuple(objects),
            readers=(*TABLE_READERS, _annotation),
            words=SIGNS,
            seeds=objects,
        ),
        "columns": Target(
            suffixes=(".parquet", ".arrow"),
            readers=TABLE_READERS[:5],
            words=(b"PAR1", b"ARROW1", b"\xff\xff\xff\xff", b"\x00" * 4),
            seeds=_columns(),
        ),
        "graphs": Target(
            suffixes=tuple(GRAPHS),
            readers=(_all_of(read_triples), _all_of(read_quads), _ontology),
            words=(*XML, *SIGNS, b"[Term]\n", b"is_a: ", b"@prefix ", b"^^", b"<http://e.org/"),
            seeds=GRAPHS,
        ),
        "queries": Target(
            suffixes=(".rq",),
            readers=(
                of_text(check_query),
                of_text(undeclared_prefixes),
                _sparql_results,
            ),
            words=(*SPARQL, *SIGNS),
            seeds={".rq": QUERIES},
        ),
    }
