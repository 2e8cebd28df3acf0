"""Which column of a table of claims is read as what, and what is refused with an option."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from factmark.claim_support.options import ClaimsOptions
from factmark.claim_support.reading import ClaimTable, read_claims
from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.ledger.ledger import Ledger
from shell import run


def _table(path: Path, rows: Sequence[Mapping[str, Any]], **options: Any) -> ClaimTable:
    """Writes rows, as CSV or JSON by the file's name, and reads them as claims."""
    if path.suffix == ".json":
        path.write_text(json.dumps(rows), "utf-8")
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    return read_claims(ClaimsOptions(claims=path, **options), Problems())


RAGAS = {
    "user_input": "When did the mill open?",
    "response": "The mill opened in 1904.",
    "reference": "In 1904, says the gold answer.",
}


@pytest.mark.parametrize("contexts", ["retrieved_contexts", "contexts", "retrieval_context"])
def test_the_gold_answer_beside_contexts_is_no_evidence(tmp_path: Path, contexts: str) -> None:
    """ragas writes contexts as a list, and the gold answer as `reference`."""
    row = {**RAGAS, contexts: "['The mill is old.', 'It opened in 1904.']"}
    (claim,) = _table(tmp_path / "r.csv", [row], split="sentences").rows
    assert claim.passage == "The mill is old. It opened in 1904."


def test_a_reference_alone_beside_a_response_is_refused_with_options_that_work(
    tmp_path: Path,
) -> None:
    """Nothing tells a gold answer from evidence: both options of the error settle it."""
    path = tmp_path / "r.csv"
    with pytest.raises(InputError, match="2 ways") as refused:
        _table(path, [RAGAS], split="sentences")
    for option, passage in (
        ("passage=reference", RAGAS["reference"]),
        ("reference=reference", None),
    ):
        assert f"--column {option}" in str(refused.value)
        (claim,) = _table(path, [RAGAS], split="sentences", column=[option]).rows
        assert claim.passage == passage


def test_a_reference_beside_claims_is_their_evidence(tmp_path: Path) -> None:
    """A table of claims without questions has nothing that a gold answer would answer."""
    row = {"claim": "The mill opened in 1904.", "reference": "The mill opened in 1904, not before."}
    (claim,) = _table(tmp_path / "c.csv", [row]).rows
    assert claim.passage == row["reference"]


def test_a_tools_file_is_read_by_its_form(tmp_path: Path) -> None:
    """deepeval nests its cases, and has the gold answer as `expectedOutput`."""
    case = {
        "name": "case 1",
        "input": "When?",
        "actualOutput": "It opened in 1904.",
        "expectedOutput": "1904",
        "retrievalContext": ["The mill opened in 1904."],
        "metricsData": [{"name": "Faithfulness", "score": 1.0}],
    }
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"testRunData": {"testCases": [case]}}), "utf-8")
    table = read_claims(ClaimsOptions(claims=path, split="sentences"), Problems())
    assert table.mapping.tool == "deepeval"
    assert [(row.text, row.passage) for row in table.rows] == [
        ("It opened in 1904.", "The mill opened in 1904.")
    ]


def test_claims_in_two_lists_are_refused_with_options_that_work(tmp_path: Path) -> None:
    """Two models' triples of one response: the option for each list reads that list."""
    row = {
        "response": "r",
        "passage": "p",
        "a_kg": [{"triplet": ["the mill", "opened in", "1904"], "human_label": "Entailment"}],
        "b_kg": [{"triplet": ["the mill", "is", "old"], "human_label": "Neutral"}],
    }
    path = tmp_path / "kg.json"
    with pytest.raises(InputError, match=r"--column claim=b_kg\.triplet"):
        _table(path, [row])
    (claim,) = _table(path, [row], column=["claim=b_kg.triplet", "label=b_kg.human_label"]).rows
    assert claim.triple == ("the mill", "is", "old")
    assert claim.label == "NOT_SUPPORTED"


def test_advice_names_a_column_that_is_read(tmp_path: Path) -> None:
    """The column that the error proposes for the claims gives claims."""
    rows = [{"n": 1, "who": "Ada", "text of it": "The mill opened in 1904."}]
    path = tmp_path / "t.csv"
    with pytest.raises(InputError, match="--column claim='text of it'"):
        _table(path, rows)
    (claim,) = _table(path, rows, column=["claim=text of it"]).rows
    assert claim.text == "The mill opened in 1904."


def test_numbers_are_no_evidence(tmp_path: Path) -> None:
    """A column that is called context and holds numbers is refused, with what to write."""
    rows = [{"claim": "The mill opened in 1904.", "context": 3}]
    path = tmp_path / "t.csv"
    with pytest.raises(InputError, match="--column passage=none"):
        _table(path, rows)
    (claim,) = _table(path, rows, column=["passage=none"]).rows
    assert claim.passage is None


def test_the_mapping_is_saved_and_signed(tmp_path: Path) -> None:
    """It stands beside the results, is in the ledger once, and reads the file again."""
    (tmp_path / "c.csv").write_text("claim,passage\nRain falls.,Rain falls.\n", "utf-8")
    for _ in range(2):
        done = run("claims", "judge", "c.csv", "--out", "out", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    with Ledger(tmp_path / "out" / "ledger.db") as ledger:
        records = [json.loads(text) for (text,) in ledger.rows("SELECT data FROM imports")]
    (noted,) = [record["mapping"] for record in records if "mapping" in record]
    assert noted["columns"]["claim"] == ["claim"]
    again = run("claims", "judge", "c.csv", "--mapping", "out/mapping.toml", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
