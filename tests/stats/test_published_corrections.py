"""The published corrections: by hand, against ppi-python, and where they are known to fail."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from published_corrections import ppi_plus_plus, rogan_gladen

from factmark.stats import corrected_share
from factmark.stats.cells import cell_interval, tabulate, worth_of
from factmark.stats.corrections import Method

DATA = Path(__file__).parents[1] / "data" / "correction"
GIVEN = json.loads((DATA / "data.json").read_text("utf-8"))
BY_PPI_PYTHON = json.loads((DATA / "ppi_python.json").read_text("utf-8"))
Z = 1.959963984540054
TEN: list[str | None] = ["yes"] * 6 + ["no"] * 4
OF_TEN = {0: True, 1: True, 2: True, 3: False, 6: True, 7: False}


WORTH = [float(verdict == "yes") for verdict in TEN]


@pytest.mark.parametrize("name", GIVEN)
def test_ppi_is_that_of_ppi_python(name: str) -> None:
    sample, theirs = GIVEN[name], BY_PPI_PYTHON[name]
    found = ppi_plus_plus(sample["judge"], dict(enumerate(sample["people"])))
    assert found.value == pytest.approx(theirs["value"], abs=1e-12)
    assert found.low == pytest.approx(max(0, theirs["low"]), abs=1e-9)  # theirs leaves [0, 1]
    assert found.high == pytest.approx(min(1, theirs["high"]), abs=1e-9)


def test_ppi_by_hand() -> None:
    # Y = 1 1 1 0 1 0 and f = 1 1 1 1 0 0: means 2/3; f of the other four has mean 1/2, of all 3/5.
    # Cov = 3/6 - 4/9 = 1/18, Var = 10 * 0.24 / 9 = 4/15, λ = 1/18 / ((1 + 6/4) 4/15) = 1/12;
    # 2/3 + 1/12 (1/2 - 2/3) = 47/72.
    found = ppi_plus_plus(WORTH, OF_TEN)
    assert found.value == pytest.approx(47 / 72, abs=1e-14)
    assert found.method == "ppi++, lambda 0.0833, 6 labels"
    # Y - λ f over the labelled: variance 2/9 - 2/12/18 + 2/9/144; f/12 over the others: 1/4/144.
    variance = (2 / 9 - 2 / 12 / 18 + 2 / 9 / 144) / 6 + 1 / 4 / 144 / 4
    assert found.low == pytest.approx(47 / 72 - Z * math.sqrt(variance), abs=1e-12)


def test_rogan_gladen_by_hand() -> None:
    # Sensitivity 3/4, specificity 1/2, 6 of 10 yes: (0.6 + 0.5 - 1) / (0.75 + 0.5 - 1) = 0.4
    found = rogan_gladen(WORTH, OF_TEN)
    assert found.value == pytest.approx(0.4, abs=1e-12)
    # With one of each added: 7/12, (3 + 1) / (4 + 2) and (1 + 1) / (2 + 2).
    variance = 7 / 12 * 5 / 12 / 12 + 0.4**2 * (2 / 9) / 6 + 0.6**2 * (1 / 4) / 4
    half = Z * math.sqrt(variance) / 0.25
    assert found.low == max(0, 0.4 - half)
    assert found.high == min(1, 0.4 + half)
    many = rogan_gladen(
        WORTH * 100, {place + 10 * k: said for k in range(50) for place, said in OF_TEN.items()}
    )
    variance = (
        601 / 1002 * 401 / 1002 / 1002
        + 0.4**2 * (151 / 202 * 51 / 202) / 202
        + 0.6**2 * (1 / 4) / 102
    )
    assert many.high == pytest.approx(0.4 + Z * math.sqrt(variance) / 0.25, abs=1e-12)


def test_either_side_alone_by_hand() -> None:
    people = corrected_share(TEN, OF_TEN, method="human-only")
    judge = corrected_share(TEN, OF_TEN, method="judge-only")
    assert people.value == pytest.approx(4 / 6)
    assert (people.low, people.high) == pytest.approx(cell_interval(4.0, 6.0, 0.95))
    assert people.n_items == 6
    assert judge.value == pytest.approx(0.6)
    assert (judge.low, judge.high) == pytest.approx(cell_interval(6.0, 10.0, 0.95))
    assert judge.n_items == 10


@pytest.mark.parametrize("method", ["human-only", "judge-only"])
def test_clusters_widen_the_interval_and_leave_the_value(method: Method) -> None:
    verdicts = ["yes" if (place // 8) % 3 else "no" for place in range(800)]
    labels = {place: (place // 8) % 3 > 0 or (place // 8) % 5 == 0 for place in range(240)}
    clusters = [str(place // 8) for place in range(800)]
    alone = corrected_share(verdicts, labels, method=method)
    items = corrected_share(verdicts, labels, method=method, clusters=clusters)
    assert items.value == alone.value
    assert items.high - items.low > 1.5 * (alone.high - alone.low)  # type: ignore[operator]


# What a verdict is worth.


@pytest.mark.parametrize(
    ("label", "worth"),
    [
        ("Supported", 1),
        ("not supported", 0),
        ("NOT-SUPPORTED", 0),
        (" yes ", 1),
        ("No", 0),
        ("maybe", 0.5),
        ("unparsed", 0),
        (None, 0),
        ("0.25", 0.25),
        ("1.0", 1),
    ],
)
def test_a_verdict_of_a_usual_word_has_its_value(label: str | None, worth: float) -> None:
    assert worth_of(tabulate([label], {})) == ({label: worth}, ())


def test_other_names_are_read_by_what_people_said_and_named() -> None:
    verdicts = ["A"] * 4 + ["B"] * 4
    labels = {0: True, 1: True, 4: False, 5: False}
    found = corrected_share(verdicts, labels, method="judge-only")
    assert found.value == 0.5
    assert found.method.endswith("(A read as 1, B read as 0)")
    told = corrected_share(verdicts, {}, method="judge-only", judge_values={"A": 0.0, "B": 0.5})
    assert told.value == 0.25
    assert "read as" not in told.method
