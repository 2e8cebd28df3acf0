"""Writes the ledgers beside it, once, with the version that is to be remembered.

    cd tests; python data/ledgers_0/record.py

measured.db: `run` and the commands on graphs, by rule and by the servers of the tests, which were
called agent.test and model.test. scored.db: `score`. campaign.db: a campaign that two people rated.
"""

import lzma
import os
import shutil
import sqlite3
import sys
import tempfile
from contextlib import chdir, closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from served_page import Client, revision, served
from servers.agent import agent
from servers.model_server import model_server
from shell import KEPT, called, known_as

TESTS = Path(__file__).parents[2]
SUMMARIES = TESTS.parent / "examples" / "summaries" / "summaries.jsonl"
GRAPH = ("triples.csv", "--ledger", "measured.db")
LABELS = {"Ada": "544332", "Ben": "443521"}


def measured() -> None:
    """The commands that ask models, and those that ask rules."""
    with agent() as server, known_as("agent.test", server) as url:
        study = ("run", "lions.jsonl", "--store", "lions.ttl", "--model", "openai:agent")
        more = ("--condition", "baseline,rag,context,mcp", "--ledger", "measured.db")
        called(*study, *more, "--base-url", url, "--concurrency", "1", "--out", "out")
    called("score", "answers.jsonl", "--benchmark", "benchmark.jsonl", "--ledger", "scored.db")
    passages = ("--passages", "passages.jsonl")
    with model_server() as server, known_as("model.test", server) as url:
        model = ("--judge", "openai:test-model", "--base-url", url, "--concurrency", "1")
        for by in ((), model):
            called("graph", "factscore", *GRAPH, *passages, *by)
            called("graph", "validity", *GRAPH, *by)
        asked = ("--questions", "questions.jsonl", "--model", "openai:test-model")
        called("graph", "graphrag", *GRAPH, *passages, *asked, *model)


def campaign() -> None:
    """Ada rates all that she is asked, Ben all but one; each changes one label."""
    called("annotate", "create", SUMMARIES, "--annotators", "Ada,Ben", "--ledger", "campaign.db")
    with served(Path("campaign.db")) as page:
        for code, (name, labels) in zip(("A1", "A2"), LABELS.items(), strict=True):
            person = Client(page, name, code)
            given = dict(zip(person.keys, labels, strict=name == "Ada"))
            if name == "Ben":
                given.popitem()
            for at, (key, label) in enumerate(given.items()):
                person.save(revision(key, label, seconds=20.0 + at))
            said = {"label": "1", "comment": "Says <b>4 %</b> where it was 0.4 %."}
            person.save(revision(person.keys[0], "1", answer=said, seconds=8.0))


if __name__ == "__main__":
    os.environ["OPENAI_API_KEY"] = "sk-none"
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        shutil.copytree(TESTS / "golden" / "given", folder, dirs_exist_ok=True)
        measured()
        campaign()
        for name in ("measured", "scored", "campaign"):
            with closing(sqlite3.connect(f"{name}.db")) as connection:  # the page was killed
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            held = Path(f"{name}.db").read_bytes()
            (KEPT / f"{name}.db.xz").write_bytes(lzma.compress(held, preset=9))
