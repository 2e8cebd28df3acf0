"""`factmark graph graphrag` writes over nothing that it reads."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from factmark.cli.main import app
from factmark.errors import InputError

FILES = {
    "a.csv": "head,relation,tail\nmetformin,treats,diabetes\n",
    "q.csv": "question,answer\nWhat treats diabetes?,metformin\n",
    "p.jsonl": '{"id": "1", "text": "Metformin treats diabetes."}\n',
    "n.csv": "name,alias\nmetformin,Glucophage\n",
}
INPUTS = ("a.csv", "--questions", "q.csv", "--passages", "p.jsonl", "--aliases", "n.csv")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link.csv").symlink_to("q.csv")
    os.link(tmp_path / "n.csv", tmp_path / "hard.csv")
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("outputs", "told"),
    [
        (("--contexts", "a.csv"), "--contexts a.csv: would be written over the triples"),
        (("--contexts", "./out/../q.csv"), "over --questions q.csv"),
        (("--contexts", "hard.csv"), "over --aliases n.csv"),
        (("--ledger", "a.csv"), "--ledger a.csv: would be written over the triples"),
        (("--contexts", "new.csv", "--ledger", "new.csv"), "over --ledger"),
        (
            ("--contexts", "out/graphrag.csv", "--out", "out"),
            "over a result of --out out/graphrag.csv",
        ),
    ],
)
def test_no_output_takes_the_place_of_an_input(
    folder: Path, outputs: tuple[str, ...], told: str
) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        app(["graph", "graphrag", *INPUTS, *outputs], standalone_mode=False)
    assert {name: (folder / name).read_text() for name in FILES} == FILES


def test_results_of_an_earlier_run_are_no_place_for_inputs(folder: Path) -> None:
    (folder / "out" / "graphrag.csv").write_text(FILES["a.csv"])
    given = ("out/graphrag.csv", "--questions", "q.csv", "--out", "out")
    with pytest.raises(InputError, match="the triples"):
        app(["graph", "graphrag", *given], standalone_mode=False)


def test_texts_beside_a_graph_of_graphrag_are_inputs(folder: Path) -> None:
    for name in ("relationships.parquet", "text_units.parquet"):
        (folder / "out" / name).write_bytes(b"PAR1")
    given = ("out", "--questions", "q.csv", "--contexts", "out/text_units.parquet")
    with pytest.raises(InputError, match="over a file beside the triples"):
        app(["graph", "graphrag", *given], standalone_mode=False)


def test_what_was_written_before_is_written_anew(folder: Path) -> None:
    for _ in range(2):
        outputs = ("--contexts", "c.csv", "--out", "out")
        app(["graph", "graphrag", *INPUTS, *outputs], standalone_mode=False)
    assert (folder / "c.csv").read_text().startswith("question_id,")
