"""How much of the package a command passes through: files, functions, kinds of records, and forms.

python benchmarks/trace.py          prints a line for each of the commands
python benchmarks/trace.py forms    names the forms as well, in the order in which they are met

A file counts when a function of it runs (not when it is imported), a record when one is made. A
function is what Python runs as one: a `def`, but also a lambda, a generator expression, until
Python 3.12 a list, dict or set made by a comprehension, and a line of a template. How many of them
a `def` made stands beside it as `defs`, which no version of Python changes. Forms are those of one
datum: a word that only it has is followed, and a kind of record counts where the word stands in one
that was made, in a field of its own or in another record there, so that what holds all results
counts too. Forms without a name (rows, pairs, texts) do not.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib.resources import files
from io import StringIO
from pathlib import Path
from types import FrameType

import factmark
from factmark.cli.main import app
from stand_in import answering

SOURCE = str(Path(factmark.__file__).parent)


class Trace:
    """What ran while it was on.

    Args:
        word: what only the datum has that is followed; empty for none.
    """

    def __init__(self, word: str = "") -> None:
        self.functions: set[tuple[str, int]] = set()
        self.defs: set[tuple[str, int]] = set()
        self.records: set[str] = set()
        self.forms: dict[str, None] = {}  # in the order in which they are met
        self._word = word.casefold()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(SOURCE):
            place = (code.co_filename, code.co_firstlineno)
            self.functions.add(place)
            is_def = not code.co_name.startswith("<")
            if is_def and code.co_filename.endswith(".py"):
                self.defs.add(place)
        elif event == "return" and code.co_filename == "<string>":  # where Python writes classes
            is_tuple = code.co_name == "<lambda>" and hasattr(argument, "_fields")
            record = argument if is_tuple else frame.f_locals.get("self")
            kind = type(record)
            if kind.__module__.startswith("factmark") and (is_tuple or code.co_name == "__init__"):
                self.records.add(kind.__qualname__)
                if self._word and self._holds(record):
                    self.forms.setdefault(kind.__qualname__)

    def _holds(self, value: object) -> bool:
        """Whether the word stands in a value, in what it holds, or in records in it."""
        if isinstance(value, str):
            return self._word in value.casefold()
        if isinstance(value, Mapping):
            return any(map(self._holds, value.values()))
        names = getattr(value, "_fields", None) or getattr(value, "__dataclass_fields__", None)
        if names is not None:
            return any(self._holds(getattr(value, name, None)) for name in names)
        return type(value) in (list, tuple, set, frozenset) and any(map(self._holds, value))

    def line(self) -> str:
        paths = {path for path, _ in self.functions}
        counts = (paths, self.functions, self.defs, self.records, self.forms)
        widths = (6, 11, 6, 9, 7)
        return "".join(f"{len(n):{width}d}" for n, width in zip(counts, widths, strict=True))


def traced(arguments: Sequence[str], word: str = "") -> Trace:
    """Runs a command in this process; its output is dropped."""
    trace = Trace(word)
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


WORD = "quexalin"  # that no file and no code has but the datum


def ways(folder: Path, model: str) -> dict[str, list[str]]:
    """Commands on one datum each, which has the word.

    Args:
        model: the address of a server whose replies have the word too.

    Rules decide the triple that its passage states as it is. Of the one that trials agree on they
    decide nothing, so that the result is what the graph is like: by its profile.
    """
    answer = json.loads((folder / "answer.jsonl").read_text("utf-8"))
    answer["answer"] += f" There is a registry of {WORD}."
    (folder / "one.jsonl").write_text(json.dumps(answer) + "\n", "utf-8")
    row = f"{WORD},treats,asthma,Trials agree that {WORD} treats asthma.\n"
    (folder / "one.csv").write_text(f"head,relation,tail,passage\n{row}", "utf-8")
    question = {"id": "q", "question": "What treats asthma?", "answer": WORD}
    (folder / "q.jsonl").write_text(json.dumps(question) + "\n", "utf-8")
    plain = f"{WORD},treats,asthma,{WORD.capitalize()} treats asthma.\n"
    (folder / "plain.csv").write_text(f"head,relation,tail,passage\n{plain}", "utf-8")
    triple = str(folder / "one.csv")
    decided = str(folder / "plain.csv")
    ask = ("--judge", "openai:m", "--base-url", model)
    graphrag = ("graph", "graphrag", triple, "--questions", str(folder / "q.jsonl"))
    return {
        "an answer": ["score", str(folder / "one.jsonl"), "--out", str(folder / "f")],
        "a triple decided": ["graph", "factscore", decided, "--out", str(folder / "j")],
        "a triple by rule": ["graph", "factscore", triple, "--out", str(folder / "g")],
        "a triple by model": ["graph", "factscore", triple, *ask, "--out", str(folder / "h")],
        "a reference by rule": [*graphrag, "--out", str(folder / "i")],
    }


def supported(_prompt: str) -> str:
    """Takes every claim for supported, and names the datum in the reason."""
    return json.dumps({"reason": WORD, "verdict": "SUPPORTED"})


def main() -> None:
    print(f"{'command':20s} files  functions  defs  records  forms")
    with tempfile.TemporaryDirectory() as name, answering(supported) as model:
        folder = Path(name)
        given = commands(folder)
        traced(given.pop("score (again)"))
        for command, arguments in given.items():
            print(f"{command:20s}{traced(arguments).line()}")
        for datum, arguments in ways(folder, model).items():
            trace = traced(arguments, WORD)
            print(f"{datum:20s}{trace.line()}")
            if "forms" in sys.argv[1:]:
                print("   ", "; ".join(trace.forms))


if __name__ == "__main__":
    main()
