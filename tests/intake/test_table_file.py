"""Files of any form as rows: where the rows stand, what a tool's file is known by, heads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.intake.table_file import TableFile, open_table


def _written(folder: Path, name: str, text: str) -> TableFile:
    """Returns a file of a text, opened."""
    path = folder / name
    path.write_text(text, "utf-8")
    return open_table(path)


def _rows(table: TableFile) -> list[dict[str, Any]]:
    """Returns the rows of a file."""
    return [dict(row) for _, row in table.rows(Problems())]


def test_rows_stand_at_any_path_of_json(tmp_path: Path) -> None:
    """The only list of objects is the rows, however deep it stands."""
    value = {"run": {"made": "today", "cases": [{"a": 1}, {"a": 2}], "tags": ["x"]}}
    table = _written(tmp_path, "run.json", json.dumps(value))
    assert _rows(table) == [{"a": 1}, {"a": 2}]


def test_two_lists_of_rows_are_refused_with_an_option_that_works(tmp_path: Path) -> None:
    """Of two lists nothing tells which is meant; the error has the option for each."""
    value = {"train": [{"a": 1}], "test": [{"a": 2}]}
    path = tmp_path / "splits.json"
    path.write_text(json.dumps(value), "utf-8")
    with pytest.raises(InputError, match=r"--rows train; --rows test"):
        open_table(path)
    assert _rows(open_table(path, rows="test")) == [{"a": 2}]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "a,b\n1,x\n2,y\n"),
        ("t.csv", "a;b\n1;x\n2;y\n"),
        ("t.tsv", "a\tb\n1\tx\n2\ty\n"),
        ("t.txt", "a\tb\n1\tx\n2\ty\n"),
        ("t.jsonl", '{"a": "1", "b": "x"}\n{"a": "2", "b": "y"}\n'),
        ("t.json", '[{"a": "1", "b": "x"}, {"a": "2", "b": "y"}]'),
        ("t.json", '{"a": {"0": "1", "1": "2"}, "b": {"0": "x", "1": "y"}}'),
        ("t.json", '{"columns": ["a", "b"], "index": [0, 1], "data": [["1", "x"], ["2", "y"]]}'),
        (
            "t.json",
            '{"schema": {"fields": [{"name": "a"}, {"name": "b"}], "primaryKey": ["index"]},'
            ' "data": [{"a": "1", "b": "x"}, {"a": "2", "b": "y"}]}',
        ),
    ],
)
def test_the_same_rows_in_any_form(tmp_path: Path, name: str, text: str) -> None:
    """A table has the same rows in each form of file."""
    assert _rows(_written(tmp_path, name, text)) == [{"a": "1", "b": "x"}, {"a": "2", "b": "y"}]


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.json"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
def test_a_byte_order_mark_names_the_encoding(tmp_path: Path, name: str, encoding: str) -> None:
    """Spreadsheets and PowerShell write UTF-16 with a mark, of which nothing has to be guessed."""
    text = {"t.csv": "a,b\n1,é\n", "t.tsv": "a\tb\n1\té\n", "t.jsonl": '{"a": "1", "b": "é"}\n'}
    (tmp_path / name).write_bytes(text.get(name, '[{"a": "1", "b": "é"}]').encode(encoding))
    assert _rows(open_table(tmp_path / name)) == [{"a": "1", "b": "é"}]


@pytest.mark.parametrize(
    "value",
    [
        {"1": {"a": 1, "b": 2}, "2": {"a": 3, "b": 4}},
        {"x": {"0": 1, "1": 2}, "y": {"0": 1}},
    ],
)
def test_rows_by_id_are_no_columns(tmp_path: Path, value: dict[str, Any]) -> None:
    """An object of rows by their ids is not taken for a frame by its columns."""
    rows = _rows(_written(tmp_path, "t.json", json.dumps(value)))
    assert rows == [{"id": name, **row} for name, row in value.items()]


def test_a_first_line_whose_cells_stand_below_is_a_row(tmp_path: Path) -> None:
    """A table of triples without a head keeps its first triple."""
    table = _written(tmp_path, "t.tsv", "Oslo\tcapital of\tNorway\nBern\tcapital of\tSwitzerland\n")
    assert not table.has_head
    assert _rows(table)[0] == {"column 1": "Oslo", "column 2": "capital of", "column 3": "Norway"}


def test_a_head_that_is_repeated_on_the_way_stays_a_head(tmp_path: Path) -> None:
    """Files that were joined repeat their head."""
    table = _written(tmp_path, "t.csv", "x,y\n1,2\nx,y\n3,4\n")
    assert table.has_head


def test_names_that_stand_twice_are_two_columns(tmp_path: Path) -> None:
    """The second column of a name takes no cell away from the first."""
    table = _written(tmp_path, "t.csv", "q,Status,Status\na,PASS,FAIL\n")
    assert _rows(table) == [{"q": "a", "Status": "PASS", "Status (2)": "FAIL"}]


def test_tabs_that_lack_at_the_end_of_a_line_are_empty_cells(tmp_path: Path) -> None:
    """Programs cut tabs at the end of a line; the row is whole all the same."""
    problems = Problems()
    path = tmp_path / "t.tsv"
    path.write_text("a\tb\tc\n1\t2\n3\t4\t5\n", "utf-8")
    rows = [dict(row) for _, row in open_table(path).rows(problems)]
    assert rows == [{"a": "1", "b": "2", "c": ""}, {"a": "3", "b": "4", "c": "5"}]
    assert problems.n_dropped == 0


def test_lists_written_into_cells_are_lists(tmp_path: Path) -> None:
    """What Python, numpy and JSON print of lists comes back as lists; other brackets stay text."""
    text = 'a,b,c,d\n"[\'x\', \'y\']","[\'x\'\n \'y\']","[""x"", ""y""]",[1] and [2]\n'
    (row,) = _rows(_written(tmp_path, "t.csv", text))
    assert row == {"a": ["x", "y"], "b": ["x", "y"], "c": ["x", "y"], "d": "[1] and [2]"}


DEEPEVAL = {
    "testRunData": {
        "testCases": [
            {
                "name": "case 1",
                "input": "Where?",
                "actualOutput": "In Bern.",
                "retrievalContext": ["Bern is where."],
                "metricsData": [
                    {"name": "Faithfulness", "score": 0.5},
                    {"name": "Style v1.2", "score": 1},
                ],
            }
        ],
        "metricsScores": [{"metric": "Faithfulness"}],
    }
}
EVENTS = """
{"spec": {"eval_name": "e"}}
{"run_id": "r", "sample_id": "e.1", "type": "sampling", "data": {"prompt": "2+2", "sampled": ["4"]}}
{"run_id": "r", "sample_id": "e.1", "type": "match", "data": {"correct": true}}
{"run_id": "r", "sample_id": "e.2", "type": "match", "data": {"correct": false}}
{"final_report": {"accuracy": 0.5}}
"""


def test_a_tools_list_of_named_things_is_columns(tmp_path: Path) -> None:
    """deepeval's metrics become columns by their names, a point in a name included."""
    table = _written(tmp_path, "run.json", json.dumps(DEEPEVAL))
    assert table.form is not None
    assert table.tool == "deepeval"
    columns = table.form.columns_in(table.sample)
    assert columns["judge"] == (
        "metricsData.Faithfulness.score",
        "metricsData.Style v1_2.score",
    )
    assert columns["passage"] == ("retrievalContext",)
    assert table.sample.columns["metricsData.Style v1_2.score"].cells == (1,)


def test_a_tools_events_are_a_row_for_each_case(tmp_path: Path) -> None:
    """OpenAI evals writes a line for each event; lines of one sample become one row."""
    table = _written(tmp_path, "log.jsonl", EVENTS)
    assert table.tool == "openai_evals"
    assert [row["sample_id"] for row in _rows(table)] == ["e.1", "e.2"]
    assert table.sample.columns["match.correct"].cells == (True, False)


def test_lists_side_by_side_are_a_row_for_each_place(tmp_path: Path) -> None:
    """RefChecker's verdicts stand beside its claims, in a list of their own."""
    rows = [
        {
            "response": "r",
            "reference": "p",
            "triplets": [["a", "is", "b"], ["c", "is", "d"]],
            "ys": ["Entailment", "Neutral"],
            "Y": "Neutral",
        }
    ]
    table = _written(tmp_path, "checked.json", json.dumps(rows))
    assert table.tool == "refchecker"
    assert [row["ys"] for row in _rows(table)] == ["Entailment", "Neutral"]
