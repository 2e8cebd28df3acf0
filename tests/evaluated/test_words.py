"""Labels as published data sets write them."""

from __future__ import annotations

import pytest

from factmark.evaluated.words import field_label
from factmark.label_values import SUPPORT_LABELS, VALIDITY_LABELS


@pytest.mark.parametrize(
    ("cells", "label"),
    [
        # FEVER and HealthVer, RefChecker and WiCE, FactCheck and kg_accuracy, ours
        (["SUPPORTS", "Supports", "Entailment", "supported", "T", "1", 1, 1.0, True], "SUPPORTED"),
        (["1.0", "1,0", "1.00"], "SUPPORTED"),  # as programs write 1 beside empty cells
        (["REFUTES", "Refutes", "Contradiction", "contradicted"], "CONTRADICTED"),
        (
            [
                *("NOT ENOUGH INFO", "NEI", "Neutral", "not_supported", "not supported", "F"),
                *("0", 0, 0.0, False, "partially_supported"),
            ],
            "NOT_SUPPORTED",
        ),
        (["", None, "2", 0.5, "1.5", "10.0", "vrai", "supports and refutes", "abstain"], None),
    ],
)
def test_labels_of_claims(cells: list[object], label: str | None) -> None:
    assert [field_label(cell, SUPPORT_LABELS) for cell in cells] == [label] * len(cells)


@pytest.mark.parametrize(
    ("cells", "label"),
    [
        (["yes", "Yes", 1, "true", "valid"], "YES"),
        (["maybe", "weak", 0.5, "0.5", "0,5"], "MAYBE"),
        (["no", 0, "F", False], "NO"),
        (["Contradiction", "neutral", ""], None),
    ],
)
def test_labels_of_validity(cells: list[object], label: str | None) -> None:
    assert [field_label(cell, VALIDITY_LABELS) for cell in cells] == [label] * len(cells)


def test_a_label_outside_of_the_known_ones_is_only_itself() -> None:
    assert field_label("3", ["1", "2", "3"]) == "3"
    assert field_label("true", ["1", "2", "3"]) is None
