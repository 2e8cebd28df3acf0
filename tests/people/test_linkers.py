"""`annotate create --linker`: what finds the sentences that FINE marks and COARSE goes to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.ledger.campaigns import campaign_named, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.core.linking import index_source
from factmark.people.desk.shown_sources import ShownSources
from factmark.people.linkers import open_linker
from shell import run
from tiny_nli import nli_folder
from tiny_vectors import static_model

SOURCE = "The joint hurt. He ate. No gout yes was seen. It rained. The lung was clear. She read."


def test_a_function_of_ones_own_marks_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def last(clauses, sentences):\n    return [list(range(len(sentences)))] * len(clauses)\n"
    )
    row = {"article": SOURCE, "human": "He had gout, and his lung was clear.", "id": "d"}
    (tmp_path / "s.jsonl").write_text(json.dumps(row | {"model": "It rained on him."}) + "\n")
    given = ("s.jsonl", "--annotators", "Ada", "--form", "fine", "--ledger", "c.db")
    done = run("annotate", "create", *given, "--linker", "mine:last", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with Ledger(tmp_path / "c.db", read_only=True) as ledger:
        campaign = campaign_named(ledger, None)
        tasks = tasks_of(ledger, campaign)
    assert campaign.settings["linker"] == "mine:last"
    for task in tasks:
        marked = [task.shown.evidence[start:end] for start, end in task.shown.likely]
        assert marked == ["It rained.", "The lung was clear.", "She read."]
    rated = (*given[:3], "--form", "coarse", "--ledger", "coarse.db", "--linker", "mine:last")
    done = run("annotate", "create", *rated, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with Ledger(tmp_path / "coarse.db", read_only=True) as ledger:
        tasks = tasks_of(ledger, campaign_named(ledger, None))
    assert [ShownSources().sentences(task.shown)[0][2] for task in tasks] == [[3, 4, 5]] * 2
    for form in ("support", "facts"):
        refused = run("annotate", "create", *rated[:3], "--form", form, *rated[5:], cwd=tmp_path)
        assert refused.returncode == 2
        assert "--linker is for `--form coarse` and `fine`" in refused.stderr


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("guess", "there is no such linker. Write words, model2vec:FOLDER"),
        ("model2vec:nowhere", "--linker model2vec:nowhere: there is no such folder"),
        ("nli:nowhere", "--linker nli:nowhere: there is no such folder"),
        ("no.such:thing", "--linker no.such:thing: ModuleNotFoundError"),
    ],
)
def test_what_is_no_linker_is_told(name: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        open_linker(name)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("1 / 0", "failed: ZeroDivisionError"),
        ("[[1.0]]", "1 rows of 6 numbers are wanted"),
        ("[[float('nan')] * 6]", "1 rows of 6 numbers are wanted"),
        ("'text'", "failed: ValueError"),
    ],
)
def test_what_a_function_gives_wrongly_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, told: str
) -> None:
    module = f"wrong_{abs(hash(body))}"
    (tmp_path / f"{module}.py").write_text(f"def score(clauses, sentences):\n    return {body}\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match="--linker wrong_") as error:
        open_linker(f"{module}:score")(["a clause"], index_source(SOURCE))
    assert told in str(error.value)


def marked_by(name: str, clause: str) -> list[str]:
    (row,) = open_linker(name)([clause], index_source(SOURCE))
    return [sentence.of(SOURCE) for sentence in row]


def test_static_vectors_know_words_that_are_alike(tmp_path: Path) -> None:
    """In the model *asthma* is like *lung*, and *gout* like *joint*."""
    folder = static_model(tmp_path / "tiny")
    assert marked_by("words", "asthma") == []
    assert "The lung was clear." in marked_by(f"model2vec:{folder}", "asthma")


def test_an_entailment_model_orders_what_words_find(tmp_path: Path) -> None:
    """The model says entailment where a sentence has `yes`; the others share as many words."""
    source = " ".join(f"Gout was seen in case {word}." for word in "a b c d yes e f".split())
    linker = open_linker(f"nli:{nli_folder(tmp_path / 'tiny')}")
    (row,) = linker(["gout was seen"], index_source(source))
    assert "Gout was seen in case yes." in [sentence.of(source) for sentence in row]
    assert len(row) == 3
