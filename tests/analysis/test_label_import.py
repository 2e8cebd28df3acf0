"""Labels and verdicts of other programs come in by the user's own ids."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factmark.analysis.labels.label_columns import label_mapping
from factmark.analysis.options import LabelImportOptions
from factmark.errors import InputError
from factmark.intake.table_file import open_table
from factmark.ledger.ledger import Ledger
from shell import run

TABLE = """id,head,relation,tail,passage
a1,oats,isa,cereal,Oats are a cereal.
a2,Oats,isa,cereal,Oats are a cereal.
a3,hens,treats,oats,Hens eat oats.
a4,rye,isa,cereal,Rye is a cereal.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "triples.csv").write_text(TABLE)
    done = run("graph", "factscore", "triples.csv", "--ledger", "l.db", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


def bring(folder: Path, name: str, text: str, *options: str) -> dict[str, Any]:
    (folder / name).write_text(text)
    done = run("ledger", "import", "l.db", name, "--json", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout)["details"])


def labels(folder: Path) -> dict[tuple[str, str, str], str | None]:
    """Kind and name of a judge and head -> the label in the ledger; of the rules nothing."""
    with Ledger(folder / "l.db", read_only=True) as ledger:
        rows = ledger.rows(
            "SELECT j.kind, j.name, u.item, v.label FROM newest_verdicts v "
            "JOIN judges j ON j.id = v.judge JOIN units u ON u.id = v.unit WHERE j.kind != 'rule'"
        )
        return {(kind, name, head): label for kind, name, head, label in rows}


def test_labels_by_id(folder: Path) -> None:
    brought = bring(folder, "l.csv", "id,annotator,label\na2,ana,Supports\na3,ana,0\na4,ana,\n")
    assert (brought["labels"], brought["empty"]) == (2, 1)
    assert labels(folder) == {
        ("person", "ana", "oats"): "SUPPORTED",
        ("person", "ana", "hens"): "NOT_SUPPORTED",
    }
    assert bring(folder, "l.csv", "id,annotator,label\na2,ana,Supports\n")["new"] == 0


def test_json_of_labels_by_id(folder: Path) -> None:
    assert bring(folder, "gt.json", '{"a1": 1, "a3": 0}')["annotators"] == ["gt"]
    given = bring(folder, "gpt.json", '{"a1": true, "a3": "idk"}', "--judge", "gpt-4")
    assert (given["judges"], given["verdicts"], given["unread"]) == (["gpt-4"], 2, 1)
    assert labels(folder) == {
        ("person", "gt", "oats"): "SUPPORTED",
        ("person", "gt", "hens"): "NOT_SUPPORTED",
        ("foreign", "gpt-4", "oats"): "SUPPORTED",
        ("foreign", "gpt-4", "hens"): None,
    }


def test_a_table_of_foreign_verdicts_and_labels_under_other_names(folder: Path) -> None:
    table = "key,response,verdict:gemma,human\na1,T,F,T\na3,F,T,\na4,T,,F\n"
    columns = ("id=key", "verdict:gpt=response", "label=human")
    options = [word for column in columns for word in ("--column", column)]
    brought = bring(folder, "f.csv", table, *options, "--annotator", "crowd")
    assert (brought["labels"], brought["verdicts"]) == (2, 5)
    assert brought["judges"] == ["gemma", "gpt"]
    agreement = run("agree", "l.db", "--json", cwd=folder)
    pairs = json.loads(agreement.stdout)
    assert "gpt" in json.dumps(pairs)
    assert "crowd" in json.dumps(pairs)


def test_rows_of_one_unit_with_contrary_labels_give_none(folder: Path) -> None:
    (folder / "l.csv").write_text("id,annotator,label\na1,ana,1\na2,ana,0\na3,ana,0\n")
    done = run("ledger", "import", "l.db", "l.csv", cwd=folder)
    assert (done.returncode, done.stdout[:7]) == (0, "1 label")
    assert "1 unit has rows with contrary labels" in done.stderr
    assert "line 3" in done.stderr
    assert labels(folder) == {("person", "ana", "hens"): "NOT_SUPPORTED"}
    (folder / "l.csv").write_text("id,annotator,label\na1,bea,1\na2,bea,0\n")
    done = run("ledger", "import", "l.db", "l.csv", cwd=folder)
    assert (done.returncode, "contrary" in done.stderr, "columns" in done.stderr) == (
        1,
        True,
        False,
    )


def test_two_columns_of_one_name_that_are_not_read_do_not_matter(folder: Path) -> None:
    """As forms on the web write them."""
    bring(folder, "l.csv", "id,annotator,label,why,why\na3,ana,0,x,y\n")
    assert labels(folder) == {("person", "ana", "hens"): "NOT_SUPPORTED"}


def test_an_id_is_that_of_the_row_as_the_file_has_it_now(folder: Path) -> None:
    """A row was mended, and one before it taken out."""
    mended = TABLE.replace("a2,Oats,isa,cereal,Oats are a cereal.\n", "").replace("rye", "spelt")
    (folder / "triples.csv").write_text(mended)
    assert run("graph", "factscore", "triples.csv", "--ledger", "l.db", cwd=folder).returncode == 0
    bring(folder, "l.csv", "id,annotator,label\na4,ana,0\n")
    assert labels(folder) == {("person", "ana", "spelt"): "NOT_SUPPORTED"}


def test_an_id_of_two_kinds_needs_the_kind(folder: Path) -> None:
    run("graph", "validity", "triples.csv", "--ledger", "l.db", cwd=folder)
    (folder / "l.csv").write_text("id,annotator,label\na3,ana,0\n")
    done = run("ledger", "import", "l.db", "l.csv", cwd=folder)
    assert (done.returncode, "--kind" in done.stderr) == (2, True)
    bring(folder, "l.csv", "id,annotator,label\na3,ana,0\n", "--kind", "triple")
    assert labels(folder) == {("person", "ana", "hens"): "NO"}


def test_an_id_of_two_files_needs_the_file(folder: Path) -> None:
    other = TABLE.replace("oats,isa", "barley,isa").replace("Oats,isa", "wheat,isa")
    (folder / "other.csv").write_text(other)
    run("graph", "factscore", "other.csv", "--ledger", "l.db", cwd=folder)
    (folder / "l.csv").write_text("id,annotator,label\na1,ana,1\n")
    done = run("ledger", "import", "l.db", "l.csv", cwd=folder)
    assert (done.returncode, "--source" in done.stderr) == (2, True)
    name = f"{folder.name}/other.csv"
    bring(folder, "l.csv", "id,annotator,label\na1,ana,1\n", "--source", name)
    assert labels(folder) == {("person", "ana", "barley"): "SUPPORTED"}


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("l.csv", "key,label\na1,1\n", "It holds: key, label.*--column id="),
        ("l.csv", "id,human\na1,1\n", "It holds: id, human.*--column label="),
        ("l.csv", "id,label\na1,1\n", "--annotator NAME"),
        ("l.csv", "id,verdict:x\na1,so so\n", "x: none of 1 verdicts is a label, such as 'so so'"),
        ("l.json", '{"a1": [1]}', "holds lists"),
        ("l.json", '{"zz": 1}', "here they are 'zz', in the ledger 'a1', 'a2'"),
    ],
)
def test_a_file_that_cannot_be_used_changes_nothing(
    folder: Path, name: str, text: str, problem: str
) -> None:
    import re

    (folder / name).write_text(text)
    done = run("ledger", "import", "l.db", name, cwd=folder)
    assert done.returncode == 2
    assert re.search(problem, " ".join(done.stderr.split())), done.stderr
    assert labels(folder) == {}


def test_a_ledger_from_before_rows_were_kept_knows_the_ids_of_its_units(folder: Path) -> None:
    with Ledger(folder / "l.db") as ledger, ledger.writing() as db:
        db.execute("DELETE FROM kept_rows")
    bring(folder, "l.csv", "id,annotator,label\na3,ana,0\n")
    assert labels(folder) == {("person", "ana", "hens"): "NOT_SUPPORTED"}


def test_exports_carry_the_ids_of_all_rows(folder: Path) -> None:
    run("ledger", "export", "l.db", "e.jsonl", cwd=folder)
    rows = [json.loads(line) for line in (folder / "e.jsonl").read_text("utf-8").splitlines()]
    assert [(row["id"], row["head"]) for row in rows] == [
        ("a1", "oats"),
        ("a2", "oats"),
        ("a3", "hens"),
        ("a4", "rye"),
    ]
    assert rows[1]["file"] == f"{folder.name}/triples.csv"


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("name of it,annotator,label\nu1,Ada,yes\nu2,Ada,no\n", "--column id='name of it'"),
        ("id,annotator,what she says\nu1,Ada,yes\nu2,Ada,no\n", "--column label='what she says'"),
    ],
)
def test_advice_names_a_column_that_holds_it(tmp_path: Path, text: str, advice: str) -> None:
    """The column that the error proposes has ids, or labels: the error goes when it is named."""
    path = tmp_path / "labels.csv"
    path.write_text(text, "utf-8")
    table = open_table(path)
    options = LabelImportOptions(ledger=tmp_path / "l.db", labels=path)
    with pytest.raises(InputError, match=advice):
        label_mapping(table, options)
    role, _, column = advice.removeprefix("--column ").replace("'", "").partition("=")
    mapping = label_mapping(table, replace(options, column=[f"{role}={column}"]))
    assert mapping.column(role) == column
