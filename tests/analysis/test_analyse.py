"""`factmark analyse` as a user runs it: one's own tables, other tools' files, sheets."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import factmark as fm
from factmark.errors import InputError
from factmark.intake.mapping import read_mapping
from factmark.stats.judge_line.corrected import corrected_by_line
from factmark.stats.judge_line.sample import Drawing
from shell import run


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Writes rows as CSV; returns the path."""
    listed = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, listed[0])
        writer.writeheader()
        writer.writerows(listed)
    return path


def _judged(n: int = 400, *, labelled: int = 100, seed: int = 1) -> list[dict[str, Any]]:
    """Returns units of which half are true, a judge that is right of 8 in 10, and labels of the
    first ones, which are in no order."""
    draw = random.Random(seed)
    rows = []
    for place in range(n):
        is_true = draw.random() < 0.5
        verdict = is_true == (draw.random() < 0.8)
        label = ("T" if is_true else "F") if place < labelled else ""
        row = {"id": f"u{place}", "gpt": "T" if verdict else "F", "human": label}
        rows.append({**row, "topic": f"topic {place % 3}"})
    return rows


def test_a_judge_is_corrected_by_the_labels_in_the_table(tmp_path: Path) -> None:
    """The corrected mean is that of people's labels within each verdict, by hand."""
    rows = _judged()
    result = fm.analyse(_write(tmp_path / "t.csv", rows))
    by_hand = 0.0
    for verdict in ("T", "F"):
        units = [row for row in rows if row["gpt"] == verdict]
        labels = [row["human"] == "T" for row in units if row["human"]]
        by_hand += len(units) / len(rows) * sum(labels) / len(labels)
    assert result.averages["corrected"].value == pytest.approx(by_hand)
    judge = sum(row["gpt"] == "T" for row in rows) / len(rows)
    assert result.averages["judge alone"].value == pytest.approx(judge)
    labels = [row["human"] == "T" for row in rows if row["human"]]
    assert result.averages["people alone"].value == pytest.approx(sum(labels) / len(labels))


def test_the_first_screen_says_what_was_read_and_what_to_quote(tmp_path: Path) -> None:
    """Columns, three figures, the judge's errors and the labels' worth, in 25 lines."""
    _write(tmp_path / "t.csv", _judged())
    done = run("analyse", "t.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for text in ("judge 'gpt'", "people 'human'", "stratum 'topic'", "corrected (quote this)"):
        assert text in done.stdout
    for text in ("judge alone", "people alone", "finds what is true", "alpha", "are worth"):
        assert text in done.stdout
    assert len(done.stdout.splitlines()) <= 25


@pytest.mark.parametrize("words", [("T", "F"), ("1", "0"), ("1.0", "-0.0"), ("yes", "no")])
def test_words_that_say_the_same_give_the_same(tmp_path: Path, words: tuple[str, str]) -> None:
    """How a judge writes yes and no changes nothing."""
    rows = _judged()
    other = [{**row, "gpt": words[row["gpt"] == "F"]} for row in rows]
    here = fm.analyse(_write(tmp_path / "a.csv", rows)).averages["corrected"]
    there = fm.analyse(_write(tmp_path / "b.csv", other)).averages["corrected"]
    assert (there.value, there.low, there.high) == (here.value, here.low, here.high)


def test_a_frame_is_a_table(tmp_path: Path) -> None:
    """Rows, a file and a DataFrame give the same."""
    pandas = pytest.importorskip("pandas")
    rows = _judged()
    by_file = fm.analyse(_write(tmp_path / "t.csv", rows)).averages["corrected"]
    assert fm.analyse(rows).averages["corrected"].value == by_file.value
    assert fm.analyse(pandas.DataFrame(rows)).averages["corrected"].value == by_file.value


def test_two_columns_that_may_be_the_judge_are_refused_with_options_that_work(
    tmp_path: Path,
) -> None:
    """Each option of the error, typed as it stands, gives a result."""
    rows = [{**row, "claude": "F" if n % 2 else "T"} for n, row in enumerate(_judged())]
    _write(tmp_path / "t.csv", rows)
    done = run("analyse", "t.csv", cwd=tmp_path)
    assert done.returncode == 2
    for option in ("--judge gpt", "--judge claude"):
        assert option in done.stderr
        chosen = run("analyse", "t.csv", *option.split(), cwd=tmp_path)
        assert chosen.returncode == 0, chosen.stderr
        assert f"judge '{option.split()[1]}'" in chosen.stdout


def test_labels_that_are_a_copy_of_the_judge_are_refused(tmp_path: Path) -> None:
    """People who say the same of every unit, all labelled, are a copy, unless the user says no."""
    rows = [{**row, "human": row["gpt"]} for row in _judged()]
    _write(tmp_path / "t.csv", rows)
    done = run("analyse", "t.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "--column people=human" in done.stderr
    assert run("analyse", "t.csv", "--column", "people=human", cwd=tmp_path).returncode == 0
    without = run("analyse", "t.csv", "--column", "people=none", cwd=tmp_path)
    assert "no label" in without.stdout


def test_ids_that_are_repeated_need_a_cluster(tmp_path: Path) -> None:
    """Rows of one id may be one item's or not: the user says, by an option of the error."""
    rows = [{**row, "id": f"u{place // 2}"} for place, row in enumerate(_judged())]
    _write(tmp_path / "t.csv", rows)
    done = run("analyse", "t.csv", cwd=tmp_path)
    assert done.returncode == 2
    for option in ("cluster=id", "id=none"):
        assert f"--column {option}" in done.stderr
        chosen = run("analyse", "t.csv", "--column", option, cwd=tmp_path)
        assert chosen.returncode == 0, chosen.stderr


def test_a_sheet_comes_back_and_joins_what_is_there(tmp_path: Path) -> None:
    """File to sheet, people fill it in, file and sheet: the units are those of the file."""
    rows = _judged(labelled=0)
    truth = {row["id"]: row["human"] for row in _judged(labelled=400)}
    _write(tmp_path / "t.csv", rows)
    drawn = run("analyse", "t.csv", "--sheet", "next.csv", "--labels", 60, cwd=tmp_path)
    assert drawn.returncode == 0, drawn.stderr
    sheet = list(csv.DictReader((tmp_path / "next.csv").open(encoding="utf-8")))
    assert len(sheet) == 60
    assert "gpt" not in sheet[0]
    for row in sheet:
        row["label"] = truth[row["id"]]
    _write(tmp_path / "next.csv", sheet)
    result = fm.analyse(tmp_path / "t.csv", tmp_path / "next.csv")
    assert result.averages["corrected"].n_labels == 60
    share = sum(label == "T" for label in truth.values()) / len(truth)
    assert result.averages["corrected"].low < share < result.averages["corrected"].high


def test_a_sheet_says_with_which_probability_a_unit_was_drawn(tmp_path: Path) -> None:
    """Drawn units of a verdict, those labelled before included, over all of it."""
    rows = _judged()
    _write(tmp_path / "t.csv", rows)
    done = run("analyse", "t.csv", "--sheet", "next.csv", "--labels", 50, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    verdicts = {row["id"]: row["gpt"] for row in rows}
    sheet = list(csv.DictReader((tmp_path / "next.csv").open(encoding="utf-8")))
    for verdict in ("T", "F"):
        units = [row for row in rows if row["gpt"] == verdict]
        drawn = [row for row in sheet if verdicts[row["id"]] == verdict]
        done_before = sum(bool(row["human"]) for row in units)
        expected = (done_before + len(drawn)) / len(units)
        assert all(float(row["probability"]) == pytest.approx(expected) for row in drawn)


def test_scores_are_drawn_where_people_lie_off_and_weighted_after(tmp_path: Path) -> None:
    """People say of a score near 0 or 1 what it says, in the middle anything: of the middle sixths
    more are drawn. The sheet ends with the labels that are there; the next run weights each label
    by the units of its sixth over their labels, of a sheet that is half done by the share that came
    back."""
    draw = random.Random(5)
    rows, truth = [], {}
    for place in range(1_200):
        score = round(draw.random(), 4)
        truth[f"u{place}"] = int(draw.random() < min(1, max(0, 2 * score - 0.5)))
        human = truth[f"u{place}"] if place < 60 else ""
        rows.append({"id": f"u{place}", "score": score, "human": human})
    _write(tmp_path / "t.csv", rows)
    given = ("analyse", "t.csv", "--judge", "score", "--sheet", "next.csv", "--labels", 200)
    assert run(*given, cwd=tmp_path).returncode == 0
    sheet = list(csv.DictReader((tmp_path / "next.csv").open(encoding="utf-8")))
    assert [row["comment"] for row in sheet] == [""] * 200 + ["labelled before"] * 60
    assert all(int(row["label"]) == truth[row["id"]] for row in sheet[200:])
    scores = {row["id"]: row["score"] for row in rows}
    cuts = np.quantile(list(scores.values()), np.linspace(0, 1, 7)[1:-1])
    sixth = {
        name: int(np.searchsorted(cuts, score, side="right")) for name, score in scores.items()
    }
    sizes = Counter(sixth.values())
    rows_of = Counter(sixth[row["id"]] for row in sheet)
    for row in sheet:
        at = sixth[row["id"]]
        assert float(row["probability"]) == pytest.approx(rows_of[at] / sizes[at])
    assert rows_of[2] + rows_of[3] > 1.6 * (rows_of[0] + rows_of[5])

    for done in (200, 100):
        for place, row in enumerate(sheet[:200]):
            row["label"] = truth[row["id"]] if place < done else ""
        _write(tmp_path / "next.csv", sheet)
        result = fm.analyse(tmp_path / "t.csv", tmp_path / "next.csv", judge="score")
        labelled = [row["id"] for row in sheet if row["label"] != ""]
        came_back = Counter(row["probability"] for row in sheet if row["label"] != "")
        drawn = Counter(row["probability"] for row in sheet)
        weights = [1.0] * len(rows)
        for row in sheet:
            share = came_back[row["probability"]] / drawn[row["probability"]]
            weights[int(row["id"][1:])] = 1 / (float(row["probability"]) * share)
        people = {int(name[1:]): float(truth[name]) for name in labelled}
        expected = corrected_by_line(
            [list(scores.values())],
            people,
            drawing=Drawing(weights=weights, strata=list(sixth.values())),
        )
        corrected = result.averages["corrected"]
        assert corrected.n_labels == done + 60
        assert corrected.value == pytest.approx(expected.value)
        assert corrected.high - corrected.low == pytest.approx(expected.high - expected.low)
        assert corrected.low < sum(truth.values()) / len(truth) < corrected.high


def test_a_sample_of_several_epochs_joins_by_id_and_epoch(tmp_path: Path) -> None:
    """Forty samples run five times each: labels of id and epoch join, rows of an id are a cluster;
    labels of an id alone are refused, since each would be of five rows, and the sheet joins."""
    draw = random.Random(4)
    rows, labels = [], []
    for sample in range(40):
        for epoch in range(1, 6):
            rows.append({"id": f"s{sample}", "epoch": epoch, "judge": draw.choice("CI")})
            if epoch in (1, 3):
                labels.append({"id": f"s{sample}", "epoch": epoch, "label": draw.choice("CI")})
    _write(tmp_path / "t.csv", rows)
    _write(tmp_path / "labels.csv", labels)
    clusters = {"column": ["cluster=id"]}
    result = fm.analyse(tmp_path / "t.csv", tmp_path / "labels.csv", **clusters)
    corrected = result.averages["corrected"]
    assert (corrected.n_labels, corrected.n_items, corrected.n_units) == (80, 40, 200)
    assert "joined by 'id' and 'epoch'" in str(result)
    _write(tmp_path / "ids.csv", [{"id": f"s{n}", "label": "CI"[n % 2]} for n in range(30)])
    with pytest.raises(InputError, match=r"'id' names several rows .* row's 'epoch', too; or draw"):
        fm.analyse(tmp_path / "t.csv", tmp_path / "ids.csv", **clusters)
    given = ("analyse", "t.csv", "--column", "cluster=id", "--sheet", "next.csv", "--labels", 30)
    assert run(*given, cwd=tmp_path).returncode == 0
    sheet = list(csv.DictReader((tmp_path / "next.csv").open(encoding="utf-8")))
    _write(tmp_path / "next.csv", [row | {"label": "CI"[n % 2]} for n, row in enumerate(sheet)])
    result = fm.analyse(tmp_path / "t.csv", tmp_path / "next.csv", **clusters)
    assert result.averages["corrected"].n_labels == 30


def test_labels_join_by_another_column_that_tells_all_units_apart(tmp_path: Path) -> None:
    """A tool's file without ids joins by its questions."""
    rows = [
        {"user_input": f"question {n}", "response": "a b", "faithfulness": n % 2} for n in range(40)
    ]
    _write(tmp_path / "ragas.csv", rows)
    labels = [{"question": f"question {n}", "label": "yes"} for n in range(0, 40, 3)]
    _write(tmp_path / "labels.csv", labels)
    result = fm.analyse(tmp_path / "ragas.csv", tmp_path / "labels.csv")
    assert result.averages["corrected"].n_labels == len(labels)


@pytest.mark.parametrize("form", ["json", "mapping", "rows"])
def test_labels_may_be_a_mapping_of_ids(tmp_path: Path, form: str) -> None:
    """`{id: label}`, in a file or in Python, is as good as a table."""
    labels = {f"u{n}": "yes" if n % 2 else "no" for n in range(30)}
    given: Any = labels
    if form == "json":
        given = tmp_path / "labels.json"
        given.write_text(json.dumps(labels), "utf-8")
    elif form == "rows":
        given = [{"id": name, "label": label} for name, label in labels.items()]
    table = [{"id": row["id"], "gpt": row["gpt"]} for row in _judged()]
    assert fm.analyse(table, given).averages["corrected"].n_labels == 30


def test_a_sheet_that_nobody_filled_in_says_which_column_to_fill_in(tmp_path: Path) -> None:
    """Its other column of words is not taken for people's labels."""
    table = _write(tmp_path / "a.csv", _judged(labelled=0))
    rows = [{"id": "u0", "label": "", "verdict": "yes"}, {"id": "u1", "label": "", "verdict": "no"}]
    sheet = _write(tmp_path / "sheet.csv", rows)
    with pytest.raises(InputError, match=r"sheet\.csv: holds no label yet\. Fill in 'label'\."):
        fm.analyse(table, sheet)


def test_labels_beside_cells_of_all_kinds_are_refused_and_never_crash(tmp_path: Path) -> None:
    """A column may hold numbers in some rows and objects in others."""
    rows = [{"id": "u1", "a": 1, "b": [{"c": 1}]}, {"id": "u2", "a": {"x": 1}, "b": "yes"}]
    (tmp_path / "l.json").write_text(json.dumps(rows), "utf-8")
    with pytest.raises(fm.FactmarkError, match="labels"):
        fm.analyse(_write(tmp_path / "t.csv", _judged()), tmp_path / "l.json")


def test_over_a_twentieth_of_labels_that_join_nothing_is_refused(tmp_path: Path) -> None:
    """Up to 5 % are counted and left out; more is another table's labels."""
    _write(tmp_path / "t.csv", _judged(labelled=0))
    labels = [{"id": f"u{n}", "label": "T" if n % 2 else "F"} for n in range(96)]
    strange = [{"id": f"x{n}", "label": "T"} for n in range(12)]
    _write(tmp_path / "few.csv", [*labels, *strange[:4]])
    result = fm.analyse(tmp_path / "t.csv", tmp_path / "few.csv")
    assert result.averages["corrected"].n_labels == 96
    assert any("4 labels" in problem for problem in result.problems)
    _write(tmp_path / "many.csv", [*labels, *strange])
    with pytest.raises(fm.FactmarkError, match=r"12 of 108 labels are of no unit"):
        fm.analyse(tmp_path / "t.csv", tmp_path / "many.csv")


def test_labels_of_which_more_were_drawn_in_a_slice_are_weighted(tmp_path: Path) -> None:
    """A slice that people labelled ten times as often does not count ten times: the corrected mean
    is near the truth, and the plain mean of labels is not shown."""
    rows = []
    for place in range(3000):
        easy = place % 2 == 0
        is_true = place % 10 != 0 if easy else place % 10 == 1
        labelled = place % 30 == 5 or (easy and place % 6 == 0)
        label = str(int(is_true)) if labelled else ""
        rows.append(
            {
                "id": place,
                "judge": 1 if place % 7 else 0,
                "human": label,
                "category": "easy" if easy else "hard",
            }
        )
    result = fm.analyse(_write(tmp_path / "t.csv", rows))
    assert "people alone" not in result.averages
    assert any("weighted by slice" in caution for caution in result.sentence.cautions)


def test_the_mapping_stands_beside_the_results_and_is_read_again(tmp_path: Path) -> None:
    """What --out leaves, --mapping reads, with the same figures."""
    _write(tmp_path / "t.csv", _judged())
    done = run("analyse", "t.csv", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert read_mapping(tmp_path / "out" / "mapping.toml", "analyse").column("judge") == "gpt"
    again = run("analyse", "t.csv", "--mapping", "out/mapping.toml", "--json", cwd=tmp_path)
    first = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
    assert json.loads(again.stdout)["averages"] == first["averages"]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([{"id": "a", "text": "long ago and far away it was so"}], "no column can be"),
        ([{"id": "a", "judge": 3, "human": 2}, {"id": "b", "judge": 4, "human": 3}], "--scale"),
        ([{"id": "a", "judge": "T"}, {"id": "b", "judge": "purple"}], "purple"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_to_write(
    tmp_path: Path, rows: list[dict[str, Any]], why: str
) -> None:
    """No judge, a scale that the rows do not show, a word that nobody knows."""
    with pytest.raises(fm.FactmarkError, match=why):
        fm.analyse(_write(tmp_path / "t.csv", rows))


def test_ratings_are_corrected_on_their_scale(tmp_path: Path) -> None:
    """Stars from 1 to 5 stay stars."""
    draw = random.Random(3)
    rows = []
    for place in range(300):
        stars = draw.randint(1, 5)
        rated = min(5, stars + 1)
        rows.append({"id": place, "judge": rated, "human": stars if place % 3 == 0 else ""})
    result = fm.analyse(_write(tmp_path / "t.csv", rows))
    corrected = result.averages["corrected"]
    assert corrected.scale == (1, 5)
    assert 2.6 < corrected.value < 3.4
    assert result.averages["judge alone"].value > corrected.high


def test_a_row_that_is_not_as_the_head_is_left_out_and_counted(tmp_path: Path) -> None:
    """It changes no figure of the others."""
    rows = _judged()
    path = _write(tmp_path / "t.csv", rows)
    before = fm.analyse(path).averages["corrected"].value
    path.write_text(path.read_text("utf-8") + "broken,row\n", "utf-8")
    result = fm.analyse(path)
    assert result.averages["corrected"].value == before
    assert any("wrong number of cells" in problem for problem in result.problems)


@pytest.mark.parametrize("form", ["parquet", "jsonl", "pandas", "polars"])
def test_every_form_of_a_table_gives_the_same(tmp_path: Path, form: str) -> None:
    """A file of any form, or a frame, has the same figures as the CSV."""
    rows = _judged()
    path = _write(tmp_path / "t.csv", rows)
    other: Any = tmp_path / f"t.{form}"
    if form == "parquet":
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        pandas.DataFrame(rows).to_parquet(other)
    elif form == "jsonl":
        other.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    else:
        other = pytest.importorskip(form).DataFrame(rows)
    here, there = fm.analyse(path), fm.analyse(other)
    assert there.averages == here.averages


@pytest.mark.parametrize("apart", [False, True], ids=["in the table", "in a file of their own"])
def test_columns_with_numbers_are_a_person_each(tmp_path: Path, apart: bool) -> None:
    """Two people's labels of a unit count as their mean, wherever they stand."""
    rows = _judged(labelled=0)
    labels = [
        {"id": f"u{n}", "rater_1": "yes", "rater_2": "no" if n < 10 else ""} for n in range(40)
    ]
    if apart:
        for row in rows:
            del row["human"]
        people = _write(tmp_path / "labels.csv", labels)
        result = fm.analyse(_write(tmp_path / "t.csv", rows), people)
    else:
        given = {label["id"]: label for label in labels}
        empty = {"rater_1": "", "rater_2": ""}
        rows = [{**row, **given.get(row["id"], empty)} for row in rows]
        for row in rows:
            del row["human"]
        result = fm.analyse(_write(tmp_path / "t.csv", rows))
    assert result.averages["corrected"].n_labels == 40
    assert result.averages["people alone"].value == pytest.approx((30 + 10 / 2) / 40)


def test_people_in_two_columns_of_other_names_are_refused_with_options_that_work(
    tmp_path: Path,
) -> None:
    """A gold label and a person's are not taken for two people."""
    rows = [{**row, "gold": "T" if row["human"] else ""} for row in _judged()]
    _write(tmp_path / "t.csv", rows)
    done = run("analyse", "t.csv", cwd=tmp_path)
    assert done.returncode == 2
    for option in ("people=human", "people=gold"):
        assert f"--column {option}" in done.stderr
        assert run("analyse", "t.csv", "--column", option, cwd=tmp_path).returncode == 0


def test_ids_that_a_spreadsheet_would_run_join_again(tmp_path: Path) -> None:
    """The sheet guards them by an apostrophe, which is no part of the id; a comma is a point."""
    rows = [{**row, "id": f"=u{n}", "human": ""} for n, row in enumerate(_judged(40))]
    _write(tmp_path / "t.csv", rows)
    done = run("analyse", "t.csv", "--sheet", "next.csv", "--labels", 10, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    sheet = list(csv.DictReader((tmp_path / "next.csv").open(encoding="utf-8")))
    assert sheet[0]["id"].startswith("'=u")
    filled = [
        {**row, "label": "yes", "probability": row["probability"].replace(".", ",")}
        for row in sheet
    ]
    _write(tmp_path / "next.csv", filled)
    result = fm.analyse(tmp_path / "t.csv", tmp_path / "next.csv")
    assert result.averages["corrected"].n_labels == 10


def test_a_judge_that_says_the_contrary_is_called_so(tmp_path: Path) -> None:
    """Where one column says what is wrong and the other what is right, a caution says it."""
    rows = [{**row, "gpt": "F" if row["gpt"] == "T" else "T"} for row in _judged()]
    result = fm.analyse(_write(tmp_path / "t.csv", rows))
    assert any("reversed" in caution for caution in result.sentence.cautions)
    right = fm.analyse(_write(tmp_path / "r.csv", _judged()))
    assert not any("reversed" in caution for caution in right.sentence.cautions)


def test_a_column_of_words_that_no_name_calls_a_judge_is_tested_or_asked(tmp_path: Path) -> None:
    """It goes with people's labels, or the error names both readings; each option works."""
    rows = [{"id": row["id"], "so": row["gpt"], "human": row["human"]} for row in _judged()]
    assert "corrected" in fm.analyse(_write(tmp_path / "goes.csv", rows)).averages
    draw = random.Random(3)
    chance = [{**row, "so": draw.choice("TF")} for row in rows]
    path = _write(tmp_path / "chance.csv", chance)
    with pytest.raises(InputError, match=r"does not go with 'human'.*--judge so"):
        fm.analyse(path)
    assert "corrected" in fm.analyse(path, judge="so").averages
    alone = [{"id": row["id"], "so": row["so"]} for row in rows]
    path = _write(tmp_path / "alone.csv", alone)
    with pytest.raises(InputError, match=r"no labels by people .*--judge so.*no other column"):
        fm.analyse(path)
    assert fm.analyse(path, judge="so").averages["judge alone"].n_units == len(rows)


def test_where_no_column_is_called_a_judge_those_are_named_that_could_be(tmp_path: Path) -> None:
    rows = [{"id": n, "wit": n % 3 / 2, "tokens": 90 + n, "place": n % 4} for n in range(20)]
    path = _write(tmp_path / "t.csv", rows)
    with pytest.raises(InputError, match="Name it: --judge wit"):
        fm.analyse(path)
    assert fm.analyse(path, judge="wit").averages["judge alone"].n_units == len(rows)


@pytest.mark.parametrize("labelled", [0, 100])
def test_an_empty_cell_of_a_judge_is_no_verdict(tmp_path: Path, labelled: int) -> None:
    """The judge alone is the mean of what it said, and the screen says how many it left open."""
    rows = _judged(labelled=labelled)
    for row in rows[::4]:
        row["gpt"] = ""
    given = [row["gpt"] == "T" for row in rows if row["gpt"]]
    result = fm.analyse(_write(tmp_path / "t.csv", rows), judge="gpt")
    assert result.averages["judge alone"].value == pytest.approx(sum(given) / len(given))
    assert "says nothing of 100 of 400 units" in str(result)


@pytest.mark.parametrize("empty", ["#N/A", "-", "n/a"])
def test_what_spreadsheets_and_people_write_for_nothing_is_no_label(
    tmp_path: Path, empty: str
) -> None:
    """The labels beside such cells count as they do beside empty ones."""
    rows = _judged()
    result = fm.analyse(
        _write(tmp_path / "t.csv", [{**row, "human": row["human"] or empty} for row in rows])
    )
    labels = [row["human"] == "T" for row in rows if row["human"]]
    assert result.averages["people alone"].value == pytest.approx(sum(labels) / len(labels))
    assert result.figures["labels"] == len(labels)


def test_labels_beside_a_word_that_nobody_knows_are_not_passed_over(tmp_path: Path) -> None:
    rows = [{**row, "human": row["human"] or "tbd"} for row in _judged()]
    path = _write(tmp_path / "t.csv", rows)
    with pytest.raises(InputError, match=r"'human' holds 'tbd'.*--column people=none"):
        fm.analyse(path)
    assert "people alone" not in fm.analyse(path, column=["people=none"]).averages


def test_row_numbers_and_settings_are_no_judge_of_a_tools_file(tmp_path: Path) -> None:
    """An index that pandas wrote and the temperature of a run stand beside ragas' one metric."""
    rows = []
    for n in range(12):
        texts = {"user_input": f"Who wrote book {n}?", "response": f"Writer {n} wrote it."}
        rows.append({"Unnamed: 0": n, **texts, "faithfulness": n % 3 / 2, "temperature_used": 0.7})
    result = fm.analyse(_write(tmp_path / "t.csv", rows))
    assert result.averages["judge alone"].value == pytest.approx(0.5)


def test_a_row_for_each_metric_becomes_a_row_for_each_case(tmp_path: Path) -> None:
    """Two metrics of forty answers are not eighty units, and each has a mean of its own."""
    rows = []
    for answer in range(40):
        for metric, score in (("Truth", answer % 5), ("Form", 5)):
            rows.append(
                {
                    "answer": f"a{answer}",
                    "metric": metric,
                    "score": score,
                    "why": f"{metric}{answer}",
                }
            )
    path = _write(tmp_path / "t.csv", rows)
    with pytest.raises(InputError, match=r"--judge Truth\.score.*--judge Form\.score"):
        fm.analyse(path)
    alone = fm.analyse(path, judge="Truth.score", scale="0,5").averages["judge alone"]
    assert alone.value == pytest.approx(2)
    assert alone.n_units == 40
    pooled = fm.analyse(path, column=["stratum=metric"], scale="0,5").averages["judge alone"]
    assert pooled.value == pytest.approx(3.5)


@pytest.mark.parametrize("form", ["split", "index", "lists"])
def test_json_may_hold_a_table_by_its_columns(tmp_path: Path, form: str) -> None:
    """As pandas writes it with `orient`, and a data set its `to_dict`."""
    questions, scores = ["q1", "q2", "q3"], [0.5, 1.0, 0.0]
    held: Any = {"question": questions, "faithfulness": scores}
    if form == "split":
        pairs = [list(pair) for pair in zip(questions, scores, strict=True)]
        held = {"columns": ["question", "faithfulness"], "data": pairs}
    if form == "index":
        held = {name: {str(n): cell for n, cell in enumerate(c)} for name, c in held.items()}
    (tmp_path / "t.json").write_text(json.dumps(held), "utf-8")
    assert fm.analyse(tmp_path / "t.json").averages["judge alone"].value == pytest.approx(0.5)


def test_a_share_that_rounding_puts_beyond_one_is_one(tmp_path: Path) -> None:
    """A cosine of 1.0000000000000002 needs no scale."""
    scores = [1.0000000000000002, 0.5, -1e-17, 0.25]
    path = _write(tmp_path / "t.csv", [{"id": n, "score": s} for n, s in enumerate(scores)])
    assert fm.analyse(path).averages["judge alone"].value == pytest.approx(1.75 / 4)


def test_a_tool_says_what_its_marks_stand_for(tmp_path: Path) -> None:
    """MT-bench's -1 is no score; alpaca_eval's 0 is a draw, between 1 and 2."""
    turn = {"judge": ["j", "v1"], "user_prompt": "q", "judgment": "r", "turn": 1, "model": "m"}
    scores = [1, 10, -1, 7]
    rows = [{"question_id": n, "score": score, **turn} for n, score in enumerate(scores)]
    (tmp_path / "mt.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    alone = fm.analyse(tmp_path / "mt.jsonl").averages["judge alone"]
    assert alone.value == pytest.approx(6)
    pair = {"instruction": "q", "output_1": "a", "output_2": "b", "generator_2": "m"}
    (tmp_path / "p.json").write_text(
        json.dumps([{**pair, "preference": value} for value in (2.0, 2.0, 1.0, 0.0)]), "utf-8"
    )
    alone = fm.analyse(tmp_path / "p.json").averages["judge alone"]
    assert alone.value == pytest.approx(6.5 / 4)


def test_a_last_row_that_sums_up_the_others_is_no_unit(tmp_path: Path) -> None:
    """It is called so and holds their mean; a row that is merely called so stays."""
    rows = [{"id": f"u{n}", "score": n / 4} for n in range(5)]
    path = _write(tmp_path / "t.csv", [*rows, {"id": "AVERAGE", "score": 0.5}])
    result = fm.analyse(path)
    assert result.averages["judge alone"].n_units == 5
    assert "sums up the others: 1 left out" in str(result.problems)
    path = _write(tmp_path / "t.csv", [*rows, {"id": "Overall", "score": 0.9}])
    assert fm.analyse(path).averages["judge alone"].n_units == 6


def test_rows_without_an_id_are_units_of_their_own(tmp_path: Path) -> None:
    """An empty id is not an id that two rows share."""
    rows = [{"id": f"u{n}" if n % 2 else "", "score": n % 2} for n in range(8)]
    assert fm.analyse(_write(tmp_path / "t.csv", rows)).averages["judge alone"].n_units == 8


def test_people_may_fill_in_the_form_that_the_judge_filled_in(tmp_path: Path) -> None:
    """The labels are in the column that is called as the judge's, beside others like it."""
    marks = [{"id": f"u{n}", "failed": n % 2, "unsafe": n % 3 % 2} for n in range(40)]
    by_people = [{**row, "failed": int(place < 10)} for place, row in enumerate(marks)]
    table, labels = _write(tmp_path / "t.csv", marks), _write(tmp_path / "people.csv", by_people)
    people = fm.analyse(table, labels, judge="failed").averages["people alone"]
    assert people.value == pytest.approx(10 / 40)


def test_of_two_systems_in_a_row_the_judge_s_own_answer_is_shown(tmp_path: Path) -> None:
    """People who label for the second system's judge read the second system's answer."""
    rows = []
    for n in range(12):
        parts = {name: {"response": f"by {name} {n}", "score": n % 2} for name in ("one", "two")}
        rows.append({"question": f"q{n}", **parts})
    (tmp_path / "t.json").write_text(json.dumps(rows), "utf-8")
    given = ("analyse", "t.json", "--judge", "two.score", "--sheet", "s.csv", "--labels", 6)
    assert run(*given, cwd=tmp_path).returncode == 0
    sheet = (tmp_path / "s.csv").read_text("utf-8")
    assert "by two" in sheet
    assert "by one" not in sheet


def test_people_beside_a_judge_are_those_of_the_same_thing(tmp_path: Path) -> None:
    """`style_human_score` is no judge, and is beside `style_model_score` alone."""
    head = "id,style_model_score,style_human_score,tone_model_score,tone_human_score\n"
    rows = [
        f"u{n},{n % 5 / 4},{n % 5 / 4},{n % 3 / 2},{n % 3 // 2 or n % 7 // 6}\n" for n in range(40)
    ]
    (tmp_path / "t.csv").write_text(head + "".join(rows), "utf-8")
    with pytest.raises(InputError) as refused:
        fm.analyse(tmp_path / "t.csv")
    assert "--judge style_model_score" in str(refused.value)
    assert "human" not in str(refused.value)
    result = fm.analyse(tmp_path / "t.csv", judge="tone_model_score")
    assert result.details.given.mapping.columns["people"] == ("tone_human_score",)


def test_a_sheet_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    """Two rounds by the commands that factmark writes: no label is lost, no unit drawn twice."""
    rows = [f"u{n},{'yes' if n % 3 else 'no'}\n" for n in range(400)]
    (tmp_path / "t.csv").write_text("id,verdict\n" + "".join(rows), "utf-8")
    sheet = tmp_path / "next.csv"
    fm.analyse(tmp_path / "t.csv", judge="verdict", sheet=sheet, labels=40)
    with pytest.raises(InputError, match="holds no label yet"):
        fm.analyse(tmp_path / "t.csv", sheet, judge="verdict")
    _fill_in(sheet)
    result = fm.analyse(tmp_path / "t.csv", sheet, judge="verdict")
    command = result.next_step
    assert f"{sheet} --judge verdict --sheet next-2.csv" in command
    second = tmp_path / "next-2.csv"
    fm.analyse(tmp_path / "t.csv", sheet, judge="verdict", sheet=second, labels=30)
    _fill_in(second)
    drawn = [row["id"] for row in _rows(second)]
    assert len(drawn) == len(set(drawn)) == 70
    assert fm.analyse(tmp_path / "t.csv", second, judge="verdict").figures["labels"] == 70


def _rows(path: Path) -> list[dict[str, str]]:
    """The rows of a sheet."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _fill_in(path: Path) -> None:
    """Labels every unit of a sheet that has no label."""
    rows = _rows(path)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow({**row, "label": row["label"] or "yes"})


def test_a_model_s_score_and_a_human_s_may_be_of_two_answers(tmp_path: Path) -> None:
    """`model_score` is what a model gave, or what its answer got; the rows say which it is."""
    head = "id,tone_model_score,tone_human_score\n"
    rows = [f"u{n},{n % 3 / 2},{n % 2}\n" for n in range(40)]
    (tmp_path / "t.csv").write_text(head + "".join(rows), "utf-8")
    with pytest.raises(InputError, match="answers that people wrote") as refused:
        fm.analyse(tmp_path / "t.csv")
    assert "--column people=tone_human_score" in str(refused.value)
    alone = fm.analyse(tmp_path / "t.csv", column=["people=none"])
    assert alone.figures["labels"] == 0


UNTOLD = {
    "numbers of those who labelled": {"rater": lambda n: 1 + n % 3},
    "a label that a threshold makes": {"label": lambda n: "pass" if n % 5 > 2 else "fail"},
    "how sure a classifier is": {
        "label": lambda n: "yes" if n % 7 > 2 else "no",
        "probability": lambda n: 0.5 + n % 9 / 20,
    },
    "how much a criterion counts": {
        "human": lambda n: "yes" if n % 7 > 2 else "no",
        "weight": lambda n: 1 + n % 3,
    },
}


@pytest.mark.parametrize("name", UNTOLD)
def test_a_name_that_the_rows_do_not_bear_out_is_asked_for(tmp_path: Path, name: str) -> None:
    """Each was read as people's labels, or as how units were drawn for labels, by its name."""
    rows = [
        {"id": n, "score": n % 5 / 4, **{column: of(n) for column, of in UNTOLD[name].items()}}
        for n in range(60)
    ]
    column = list(rows[0])[-1]
    role = column if column in ("probability", "weight") else "people"
    path = _write(tmp_path / "t.csv", rows)
    with pytest.raises(InputError, match=f"{column}") as refused:
        fm.analyse(path)
    for way in (column, "none"):
        assert f"--column {role}={way}" in str(refused.value)
        fm.analyse(path, column=[f"{role}={way}"])


def test_weights_of_some_units_that_were_drawn_need_no_option(tmp_path: Path) -> None:
    """As many units have labels as the probabilities say."""
    rows = _judged(300, labelled=0)
    for place, row in enumerate(rows):
        row["probability"] = (0.25, 0.5)[place % 2]
        row["human"] = "T" if place % 8 in (0, 1, 3, 4) and place % 3 else ""
    analysed = fm.analyse(_write(tmp_path / "t.csv", rows))
    assert analysed.details.given.mapping.column("probability") == "probability"


def test_who_labelled_stands_beside_the_labels(tmp_path: Path) -> None:
    """Of a column with the labels and one with who gave them the first is people's."""
    rows = [{**row, "rater": n % 4} for n, row in enumerate(_judged(60, labelled=60))]
    analysed = fm.analyse(_write(tmp_path / "t.csv", rows))
    assert analysed.details.given.mapping.columns["people"] == ("human",)


def test_a_number_that_stands_for_no_verdict_is_asked_for(tmp_path: Path) -> None:
    """-1 beside shares is what programs write where they could not judge."""
    rows = [{"id": n, "faithfulness": -1 if n % 8 == 0 else n % 5 / 4} for n in range(40)]
    path = _write(tmp_path / "t.csv", rows)
    with pytest.raises(InputError, match="no verdict"):
        fm.analyse(path)
    taken = fm.analyse(path, scale="-1,1").averages["judge alone"].value
    assert taken == pytest.approx(sum(row["faithfulness"] for row in rows) / 40)
    rows = [{"id": n, "score": n % 9 / 4 - 1} for n in range(40)]
    fm.analyse(_write(tmp_path / "t.csv", rows))  # values between show that it is one


def test_a_judge_that_always_says_nought_is_a_judge(tmp_path: Path) -> None:
    """A 0 is a verdict; beside it a word that nobody knows is asked about."""
    rows = [{"id": n, "judge": "purple" if n == 7 else 0, "score": n % 2} for n in range(12)]
    with pytest.raises(InputError, match="'judge' holds 'purple'"):
        fm.analyse(_write(tmp_path / "t.csv", rows))


@pytest.mark.parametrize("first", [True, False])
def test_rows_that_sum_up_may_be_several_at_either_end(tmp_path: Path, first: bool) -> None:
    """A mean and what stands beside it are no units; a kind of question is."""
    rows = [{"n": n, "question": f"q {n}", "score": n % 4 / 3} for n in range(12)]
    ends = [{"n": 12, "question": name, "score": v} for name, v in (("Average", 0.5), ("std", 0.4))]
    path = _write(tmp_path / "t.csv", [*ends, *rows] if first else [*rows, *ends])
    assert fm.analyse(path).averages["judge alone"].n_units == 12
    kinds = [{"kind": ("sum", "mean", "list")[n // 4], "score": 1} for n in range(12)]
    assert fm.analyse(_write(tmp_path / "k.csv", kinds)).averages["judge alone"].n_units == 12


def test_a_list_of_judges_becomes_columns_by_their_names(tmp_path: Path) -> None:
    """In a file of no known tool, too."""
    rows = []
    for n in range(20):
        said = [{"name": "truth", "passed": n % 2}, {"name": "tone", "passed": n % 3 > 0}]
        rows.append({"case": f"c{n}", "checks": said})
    path = tmp_path / "t.json"
    path.write_text(json.dumps(rows), "utf-8")
    with pytest.raises(InputError, match=r"--judge checks\.truth\.passed"):
        fm.analyse(path)
    alone = fm.analyse(path, judge="checks.tone.passed").averages["judge alone"].value
    assert alone == pytest.approx(sum(n % 3 > 0 for n in range(20)) / 20)


def test_people_read_a_chat_as_text(tmp_path: Path) -> None:
    """A sheet says who said what, and shows no JSON."""
    asked = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Hm."}]
    parts = [{"type": "reasoning", "text": "x"}, {"type": "text", "text": "So."}]
    said = [{"role": "assistant", "content": parts}]
    rows = [{"id": n, "question": asked, "answer": said, "verdict": n % 2} for n in range(4)]
    (tmp_path / "t.json").write_text(json.dumps(rows), "utf-8")
    fm.analyse(tmp_path / "t.json", sheet=tmp_path / "s.csv", labels=4)
    sheet = _rows(tmp_path / "s.csv")
    assert {row["question"] for row in sheet} == {"user: Why?\nassistant: Hm."}
    assert {row["answer"] for row in sheet} == {"So."}


def test_people_stand_beside_a_tools_judge_by_a_word_of_their_column(tmp_path: Path) -> None:
    """`human_faithful` beside `faithfulness`; beside another judge it is of something else."""
    rows = []
    for n in range(40):
        texts = {"user_input": f"q {n}", "response": "r", "retrieved_contexts": ["c"]}
        marks = {"faithfulness": n % 2, "answer_relevancy": n % 5 / 4}
        rows.append({**texts, **marks, "human_faithful": (n % 2 or n % 3 == 0) if n < 20 else None})
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    beside = fm.analyse(path, judge="faithfulness")
    assert beside.details.given.mapping.columns["people"] == ("human_faithful",)
    assert beside.figures["labels"] == 20
    assert fm.analyse(path, judge="answer_relevancy").figures["labels"] == 0


def test_a_word_for_people_that_the_rows_do_not_bear_out_is_asked_for(tmp_path: Path) -> None:
    """One such column needs to go with the judge; of two the user names one."""
    rows = [
        {"id": n, "score": n % 2, "human_seen": n % 4 // 2, "expert_x": n % 2} for n in range(40)
    ]
    one = [{name: cell for name, cell in row.items() if name != "expert_x"} for row in rows]
    with pytest.raises(InputError, match="by a word of its name alone"):
        fm.analyse(_write(tmp_path / "one.csv", one))
    with pytest.raises(InputError) as refused:
        fm.analyse(_write(tmp_path / "two.csv", rows))
    for way in ("human_seen", "expert_x", "none"):
        assert f"--column people={way}" in str(refused.value)


def test_one_verdict_written_several_times_is_one_judge(tmp_path: Path) -> None:
    """As a status, a flag and a score; the screen names the others. Other things that happen to be
    alike are judges of their own."""
    rows = []
    for n in range(20):
        checks = [{"name": "g", "passed": n % 3 > 0, "score": float(n % 3 > 0)}]
        rows.append({"id": n, "status": "pass" if n % 3 else "fail", "checks": checks})
    path = tmp_path / "t.json"
    path.write_text(json.dumps(rows), "utf-8")
    read = fm.analyse(path).details.given.mapping
    assert read.column("judge") == "checks.g.passed"  # which a name calls a score
    assert "'status', 'checks.g.score'" in read.in_words()
    alike = [{"id": n, "faithfulness": n % 2, "relevance": n % 2} for n in range(20)]
    with pytest.raises(InputError, match="--judge relevance"):
        fm.analyse(_write(tmp_path / "t.csv", alike))


def test_a_label_in_the_judges_own_object_is_no_label_by_people(tmp_path: Path) -> None:
    """`verdict.label` beside `verdict.score` is the judge's, with labels by people or without."""
    rows = [{"id": n, "verdict": {"score": n % 5 / 4, "label": "ok"[: n % 3]}} for n in range(20)]
    for row in rows:
        row["verdict"]["label"] = "good" if row["verdict"]["score"] > 0.3 else "bad"
    path = tmp_path / "t.json"
    path.write_text(json.dumps(rows), "utf-8")
    assert fm.analyse(path, judge="verdict.score").figures["labels"] == 0


def test_where_labels_stand_apart_a_copy_in_the_table_needs_no_question(tmp_path: Path) -> None:
    rows = [{"id": n, "score": n % 2, "label": ("no", "yes")[n % 2]} for n in range(20)]
    labels = [{"id": n, "human": n % 2 or n % 3 == 0} for n in range(0, 20, 2)]
    table, apart = _write(tmp_path / "t.csv", rows), _write(tmp_path / "l.csv", labels)
    with pytest.raises(InputError, match="as a copy does"):
        fm.analyse(table)
    assert fm.analyse(table, apart).figures["labels"] == 10


def test_an_id_of_nought_joins(tmp_path: Path) -> None:
    """An id that is a cluster, too, as lm-eval's doc_id."""
    rows = [{"doc_id": n, "key": n, "judge": n % 2} for n in range(10)]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    labels = _write(tmp_path / "l.csv", [{"doc_id": n, "label": 1} for n in range(10)])
    given = ["id=doc_id", "cluster=doc_id"]
    assert fm.analyse(path, labels, column=given).figures["labels"] == 10


def test_several_filters_of_a_reply_are_judges_of_one_document(tmp_path: Path) -> None:
    """lm-eval writes all documents under one filter, then all under the next."""
    rows = []
    for name in ("strict", "loose"):
        for n in range(60):
            score = n % 3 > 0 if name == "loose" else n % 2
            doc = {"doc_id": n, "doc": {"q": f"q{n}"}, "target": "x", "filter": name}
            said = {"arguments": {"gen_args_0": {"arg_0": f"q{n}", "arg_1": {"max": 9}}}}
            rows.append(
                {**doc, **said, "resps": [["r"]], "filtered_resps": ["r"], "em": int(score)}
            )
    path = tmp_path / "samples_t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with pytest.raises(InputError, match=r"--judge loose\.em"):
        fm.analyse(path)
    with pytest.raises(InputError, match="'em' stands in 2 columns"):
        fm.analyse(path, judge="em")
    loose = fm.analyse(path, judge="loose.em").averages["judge alone"]
    assert (loose.n_units, loose.value) == (60, pytest.approx(40 / 60))


def test_each_part_of_a_case_that_has_a_verdict_is_a_unit(tmp_path: Path) -> None:
    """The claims of an answer; those of one answer are a cluster."""
    rows = []
    for n in range(20):
        claims = [{"text": f"c {n} {k}", "verdict": ("yes", "no")[(n + k) % 2]} for k in range(3)]
        rows.append({"id": n, "answer": "some words of an answer", "claims": claims})
    path = tmp_path / "t.json"
    path.write_text(json.dumps(rows), "utf-8")
    analysed = fm.analyse(path)
    assert analysed.details.given.mapping.column("cluster") == "id"
    alone = analysed.averages["judge alone"]
    assert (alone.n_units, alone.value) == (60, pytest.approx(0.5))
