"""How much of the package a command passes through: files, functions, and kinds of records.

python benchmarks/trace.py          prints a line for each of six commands

A file counts when a function of it runs (not when it is imported), a record when one is made.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib.resources import files
from io import StringIO
from pathlib import Path
from types import FrameType

import factmark
from factmark.cli.main import app

SOURCE = str(Path(factmark.__file__).parent)


class Trace:
    """What ran while it was on."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, int]] = set()
        self.records: set[str] = set()

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        if event != "call":
            return
        code = frame.f_code
        if code.co_filename.startswith(SOURCE):
            self.functions.add((code.co_filename, code.co_firstlineno))
        elif code.co_name == "__init__" and code.co_filename == "<string>":  # of a dataclass
            kind = type(frame.f_locals["self"])
            if kind.__module__.startswith("factmark"):
                self.records.add(kind.__qualname__)

    def line(self) -> str:
        paths = {path for path, _ in self.functions}
        return f"{len(paths):6d}{len(self.functions):11d}{len(self.records):9d}"


def traced(arguments: Sequence[str]) -> Trace:
    """Runs a command in this process; its output is dropped."""
    trace = Trace()
    threading.setprofile(trace)
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        sys.setprofile(trace)
        try:
            app(list(arguments), standalone_mode=False)
        except SystemExit:
            pass
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return trace


def commands(folder: Path) -> dict[str, list[str]]:
    """The six commands, on what comes with the package; each in a new folder."""
    data = files("factmark.data")
    lines = (data / "ehds" / "sample_answers.jsonl").read_text("utf-8").splitlines()
    answer = folder / "answer.jsonl"
    answer.write_text(lines[0] + "\n", "utf-8")
    more = folder / "answers.jsonl"
    more.write_text("\n".join(lines[:9]) + "\n", "utf-8")
    triples = str(data / "diabetes" / "triples.csv")
    passages = str(data / "diabetes" / "passages.jsonl")
    questions = str(data / "diabetes" / "questions.jsonl")
    summaries = Path(__file__).parents[1] / "examples" / "summaries" / "summaries.jsonl"
    return {
        "score": ["score", str(answer), "--out", str(folder / "a")],
        "graph factscore": [
            *("graph", "factscore", triples, "--passages", passages),
            *("--out", str(folder / "b")),
        ],
        "graph validity": ["graph", "validity", triples, "--out", str(folder / "c")],
        "graph graphrag": [
            *("graph", "graphrag", triples, "--questions", questions),
            *("--out", str(folder / "d")),
        ],
        "annotate create": [
            *("annotate", "create", str(summaries), "--annotators", "Ada,Ben"),
            *("--ledger", str(folder / "campaign.db")),
        ],
        "compare": ["compare", str(folder / "a"), str(folder / "e")],
        "score (again)": ["score", str(more), "--out", str(folder / "e")],
    }


def main() -> None:
    print(f"{'command':18s} files  functions  records")
    with tempfile.TemporaryDirectory() as name:
        given = commands(Path(name))
        traced(given.pop("score (again)"))
        for command, arguments in given.items():
            print(f"{command:18s}{traced(arguments).line()}")


if __name__ == "__main__":
    main()
