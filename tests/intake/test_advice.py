"""What a refusal advises is accepted as it stands: each option is typed, and read without another
refusal."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from shell import run

Rows = Sequence[Mapping[str, Any]]

WORD = r"(?:'[^']*'|[^\s;,']+)"
OPTION = rf"--(?:judge|rows) {WORD}|--column [a-z]+={WORD}|--scale [\d.-]+,[\d.]+"
ADVICE = re.compile(rf"(?:{OPTION})(?: (?:{OPTION}))*")

TWO_SCORES = [{"id": n, "faithfulness": n % 3 / 2, "relevance": 0.5} for n in range(12)]
RATINGS = [{"q": f"q{n}", "coherence": 2 + n % 3, "fluency": 3 + n % 2} for n in range(12)]
BLANKS = [{"q": f"q{n}", "Answer Relevancy": n / 9, "Bias [GEval] score": 0.1} for n in range(9)]
LONE = [{"q": f"q{n}", "outcome": "yes" if n % 2 else "no", "seen": n % 2} for n in range(9)]
REPEATED = [{"id": n // 2, "score": n % 2} for n in range(12)]
NO_NAME = [{"q": f"q{n}", "colour": n % 2, "weight_kg": n % 3} for n in range(12)]
NAMES = [{"q": f"q{n}", "judge": "gpt", "points": n % 4, "stars": 1 + n % 5} for n in range(12)]
COPIES = [{"id": n, "judge": n % 2, "label": n % 2} for n in range(12)]
PEOPLE = [{"id": n, "judge": n % 2, "human": n % 2, "gold": n % 3 % 2} for n in range(12)]
LONG = [
    {"q": f"q{n // 2}", "metric": ["Bias", "Truth"][n % 2], "score": n % 5 / 4, "reason": f"r{n}"}
    for n in range(20)
]
UNTOLD = [
    {"q": f"q{n % 2}", "metric": ["Bias", "Truth"][n % 4 // 2], "score": n % 5 / 4}
    for n in range(20)
]
NESTED = {"name": "mine", "summary": [{"metric": "all", "score": 0.5}], "cases": TWO_SCORES}
MODELS = [
    {"q": f"q{n}", "a": {"model": "x", "score": n % 2}, "b": {"model": "y", "score": n % 3 / 2}}
    for n in range(12)
]
AZURE = {
    "rows": [
        {"inputs.query": "q", "outputs.a.a": 2 + n, "outputs.a.a_result": "pass"} for n in range(3)
    ]
}

REFUSED = {
    "two scores": TWO_SCORES,
    "ratings whose scale the rows do not show": RATINGS,
    "names with blanks": BLANKS,
    "a lone column of words": LONE,
    "repeated ids": REPEATED,
    "numbers that no name calls verdicts": NO_NAME,
    "a judge's column with the names of judges": NAMES,
    "people who say the same as the judge": COPIES,
    "people in two columns": PEOPLE,
    "a row for each metric": LONG,
    "a row for each metric of cases that nothing tells apart": UNTOLD,
    "two lists of rows": NESTED,
    "two models in a row": MODELS,
    "scores and what they come to": AZURE,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_refusal_advises_is_accepted(tmp_path: Path, name: str) -> None:
    """Each option of the message, with the others that stand beside it, is all that it takes."""
    (tmp_path / "t.json").write_text(json.dumps(REFUSED[name]), "utf-8")
    refused = run("analyse", "t.json", cwd=tmp_path, COLUMNS="2000")
    assert refused.returncode == 2, refused.stdout
    advised = [match[0].rstrip(".") for match in ADVICE.finditer(refused.stderr)]
    assert advised, refused.stderr
    assert "NAME" not in refused.stderr
    for advice in advised:
        done = run("analyse", "t.json", *shlex.split(advice), cwd=tmp_path)
        assert done.returncode == 0, f"{advice}: {done.stderr}"


def test_a_table_without_verdicts_is_refused_without_advice(tmp_path: Path) -> None:
    """No option would read a judge into texts, ids and what an answer cost."""
    rows = [{"id": n, "answer": f"a{n}", "tokens": n, "cost": n / 9} for n in range(5)]
    (tmp_path / "t.json").write_text(json.dumps(rows), "utf-8")
    refused = run("analyse", "t.json", cwd=tmp_path, COLUMNS="2000")
    assert refused.returncode == 2
    assert "no column can be a judge's" in refused.stderr
    assert "--" not in refused.stderr
