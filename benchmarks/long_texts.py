"""How long each reader of a text takes as it grows: `python benchmarks/long_texts.py [READER...]`.

Each reader reads each piece of text, repeated to 100 kB and to 1 MB; a linear one takes about ten
times as long for the second. Printed are the slowest of each reader, and every text that takes over
twenty times as long or over 4 s; exits with 1 where there is one. Seconds are of the processor, so
that a busy machine says the same.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from factmark.answers.core.answer_facts import parse_quotes
from factmark.answers.core.scores import score_answer
from factmark.graph_answers.core.answer_from_text import extract_from_text
from factmark.graph_answers.core.answer_reply import read_answer
from factmark.graph_answers.core.records import GraphQuestion, QuestionKind
from factmark.graph_answers.core.verifying import verify
from factmark.graph_answers.questions.question_options import split_options
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.evidence import judge_support
from factmark.people.core.clauses import clauses
from factmark.people.core.linking import index_source, likely_by_words
from factmark.people.core.tells import HABITS
from factmark.replies import (
    abstains,
    parse_batch,
    parse_choice,
    parse_rating,
    parse_ratings,
    parse_reply,
    refuses,
)
from factmark.replies.rubric import fence
from factmark.text.blinding import blind
from factmark.text.shown_text import visible

SMALL, LARGE = 100_000, 1_000_000
RATIO, LIMIT = 20.0, 4.0  # of a linear reader: 10, and some 15 patterns of 0.2 s on a slow core
LABELS = ("SUPPORTED", "NOT_SUPPORTED")
OPTIONS = ("aspirin", "vitamin A", "iron 2+", "Cannot be determined")
PROSE = (
    "Metformin lowers blood glucose in adults (n = 40, p < 0.05). It is not used with kidney "
    "failure, although some clinics do; the passage says so.\n"
)
PIECES = (
    PROSE,
    "a",
    "a ",
    "A ",
    "1 ",
    "9",
    "1.",
    "1, ",
    "4/5 ",
    "\n",
    " ",
    " \n",
    "\t",
    "{",
    "[",
    "(",
    '"',
    "'",
    "`",
    "```\n",
    "~~~\n",
    "**",
    "*a",
    "_",
    "<",
    "<a",
    "<a ",
    "</think>",
    "<think>",
    "</think><think>",
    "`<think>` ",
    "[THINK]",
    "[INST]",
    "<|channel|>final<|message|>",
    "\\boxed{",
    "$",
    "|",
    "|a|\n",
    "> ",
    "- a\n",
    "1. a\n",
    "# ",
    '{"a":',
    '{"verdict": "SUPPORTED"}\n',
    '[{"id": 1, "label": "SUPPORTED"}, ',
    "{'a",
    "//",
    "//\n",
    "SUPPORTED ",
    "SUPPORTED\n",
    "NOT_SUPPORTED or SUPPORTED ",
    "not ",
    "Not_",
    "the passage says ",
    "verdict: ",
    "A. ",
    "(A) ",
    "option ",
    "i ",
    "I do not know ",
    "I don't know. ",
    "no information ",
    "of the ",
    "aspirin ",
    "Aspirin (ASA) ",
    "aspirin causes headache. ",
    "headache ",
    "e.g. ",
    "Dr. A. ",
    "and ",
    "is, ",
    "; ",
    ", ",
    ": ",
    "-",
    "–",
    "...",
    "!",
    "? ",
    "wait, ",
    "claim 1: ",
    "&lt;",
    "\\",
    "\\u",
    "研究",
    "é",
    "\u0301",
    "\u202e",
    "\x00",
    "\r",
    "1 to 5 ",
    "from ",
    "scale of ",
    "http://a.",
    "a.b",
    "10 mg/dL ",
    "(EU) ",
    "A" * 50 + " ",
    "if ",
    "based on the context ",
)


def _question(kind: QuestionKind) -> GraphQuestion:
    options = OPTIONS if kind == "choice" else ()
    reference = {"choice": "aspirin", "yes-no": "yes", "text": "aspirin and iron"}[kind]
    text = "Which drug is known to treat a headache?"
    return GraphQuestion(id="1", text=text, kind=kind, references=(reference,), options=options)


TRIPLE = Triple(head="aspirin", relation="causes", tail="headache")
LONG = Triple(head="a a a", relation="treats", tail="aspirin acid (A)")
CLAIMS = ("Aspirin causes headache.", "Aspirin treats headache.", "A is A.")
READERS: dict[str, Callable[[str], object]] = {
    "reply": lambda text: parse_reply(text, LABELS),
    "reply, given": lambda text: parse_reply(text[: len(text) // 2], LABELS, given=(text,)),
    "batch": lambda text: parse_batch(text, LABELS, 3, claims=CLAIMS),
    "batch of 50": lambda text: parse_batch(text, LABELS, 50),
    "rating": lambda text: parse_rating(text, tuple("12345")),
    "ratings": lambda text: parse_ratings(text, tuple("12345"), 3, claims=CLAIMS),
    "choice": lambda text: parse_choice(text, 5),
    "abstains": abstains,
    "refuses": refuses,
    "facts of a judge": lambda text: parse_quotes(text, text),
    "fence": lambda text: fence("PASSAGE", text, text),
    "choice by text": lambda text: read_answer(_question("choice"), text),
    "yes or no": lambda text: read_answer(_question("yes-no"), text),
    "free text": lambda text: read_answer(_question("text"), text),
    "options": split_options,
    "support": lambda text: judge_support(TRIPLE, text),
    "support, long": lambda text: judge_support(LONG, text),
    "verify": lambda text: verify(_question("text"), text),
    "extract": lambda text: extract_from_text(_question("text"), [text]),
    "extract, choice": lambda text: extract_from_text(_question("choice"), [text]),
    "clauses": clauses,
    "blind": blind,
    "habits": lambda text: [habit.of(text) for habit in HABITS],
    "source": lambda text: likely_by_words([text[:2000]], index_source(text)),
    "visible": visible,
    "answer": lambda text: score_answer("Which drugs are there?", ["Aspirin", "Iron 2+"], text),
    "answer, boolean": lambda text: score_answer("Is aspirin a drug?", ["true"], text),
    "answer, count": lambda text: score_answer("How many drugs are there?", ["40"], text),
}


class _OutOfTimeError(Exception):
    """A reader took over a few seconds."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def stop(_number: int, _frame: object) -> None:
        raise _OutOfTimeError

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def seconds(reader: Callable[[str], object], text: str) -> float:
    """Processor seconds that a reader takes, at most five times the limit."""
    begun = time.process_time()
    try:
        with _limited(5 * LIMIT):
            reader(text)
    except _OutOfTimeError:
        pass
    return time.process_time() - begun


def main(names: list[str]) -> int:
    """Prints a line per reader and one per text that is read too slowly."""
    slow = 0
    for name in names or READERS:
        reader = READERS[name]
        reader(PROSE)  # what is built once is built
        worst = (0.0, "")
        for piece in PIECES:
            times = [
                seconds(reader, (piece * (size // len(piece) + 1))[:size] + name)  # in no cache
                for size in (SMALL, LARGE)
            ]
            worst = max(worst, (times[1], piece))
            if times[1] > LIMIT or (times[1] > 0.5 and times[1] > RATIO * times[0]):
                slow += 1
                print(f"  {name}, {piece[:40]!r}: {times[0]:.2f} s, {times[1]:.2f} s", flush=True)
        print(f"{name:18} worst {worst[0]:.2f} s with {worst[1][:40]!r}", flush=True)
    return int(slow > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
