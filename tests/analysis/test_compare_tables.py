"""The tables of a comparison: what stands in them, in every format, with hostile names."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import factmark
from factmark.analysis.report import compare_report
from factmark.graphs.core.scores import MEASURES
from factmark.report.comparisons import compare_tables, comparison_sentence
from factmark.report.latex import latex_table
from factmark.report.layouts import csv_table, markdown_table
from factmark.stats.comparison import Options
from factmark.stats.contest import Contest, Outcome, compare_systems
from factmark.stats.intervals import no_estimate
from hostile import HOSTILE

SCORE = MEASURES["factscore"]


def outcome(*names: str, missing: int = 0) -> Outcome:
    """Systems on 8 heads of 2 triples; the n-th is right in n + 1 of 4; A lacks so many."""
    systems = {
        name: {
            "score": {
                f"h{head}": {
                    f"h{head}t{unit}": (None,)
                    if at == 0 and 2 * head + unit < missing
                    else (float((2 * head + unit) % 4 <= at),)
                    for unit in range(2)
                }
                for head in range(8)
            }
        }
        for at, name in enumerate(names)
    }
    made = Contest(
        measure="factscore",
        item="heads",
        unit="triples",
        scores=(SCORE,),
        systems=systems,
        stratum="relation",
        per={SCORE.key: "unit"},
        strata={f"h{h}t{u}": f"relation {u}" for h in range(8) for u in range(2)},
        problems=("Something is odd.",),
    )
    return compare_systems(made, SCORE, Options(resamples=200, draws=500))


def text(made: Outcome) -> str:
    return "".join(map(markdown_table, compare_tables(made)))


def test_two_systems() -> None:
    table, strata = compare_tables(outcome("first", "second", missing=3))
    shown = markdown_table(table) + markdown_table(strata)
    # 13 common triples; in 3 a value is missing in A; the second wins where the first is wrong.
    assert [cell.text for cell in table.lines[0].cells[-6:]] == ["13", "7", "0", "10", "3", "3"]
    assert any("F* 3 in A" in note for note in table.notes)
    for said in (
        "A is first, B is second",
        "relation 0",
        "Holm's over the 2 strata",
        "whatever the missing would have said: F\\* -",
        "of the same head for independent",
    ):
        assert said in shown
    tables = compare_tables(outcome("first", "second"))
    assert all(cell.interval for t in tables for line in t.lines for cell in line.cells[:3])
    assert "whatever the missing" not in " ".join(tables[0].notes)


def test_a_board_and_its_pairs() -> None:
    board, pairs = compare_tables(outcome("first", "second", "third"))
    assert [line.labels for line in board.lines] == [
        ("1", "third"),
        ("2", "second"),
        ("3", "first"),
    ]
    assert [line.labels for line in pairs.lines] == [
        ("third", "second"),
        ("third", "first"),
        ("second", "first"),
    ]
    assert any("Holm over 3 pairs" in note for note in board.notes)
    assert board.records[0][0] == 1


def said_of(made: Outcome, **changed: object) -> str:
    """The opening sentence, with something else said of the two over all units."""
    row, *rows = made.rows
    pair = replace(row.comparison, **changed)  # type: ignore[arg-type]
    return comparison_sentence(replace(made, rows=(replace(row, comparison=pair), *rows))).sentence


def test_the_sentence_gives_both_figures_and_whether_they_can_be_told_apart() -> None:
    made = outcome("first", "second")
    value_a, value_b, *_ = (cell.text for cell in compare_tables(made)[0].lines[0].cells)
    figures = f"{value_b} against {value_a} (second − first is 0.25 [0.03, 0.47], p "
    better = said_of(made, p_permutation=0.001, p_least=0.001)
    assert "By FActScore*, second is better than first on 16 triples: " in better
    assert f"{figures}0.001; in brackets 95 % intervals)" in better
    turned = {"lower_is_better": True}  # as hallucination rates are
    lower = said_of(made, p_permutation=0.001, p_least=0.001, **turned)
    assert "first is better than second on 16 triples: " in lower
    assert "(first − second is -0.25 [-0.47, -0.03], p" in lower, "named in the order of the names"


def test_the_sentence_says_where_interval_and_test_disagree() -> None:
    """The interval leaves out 0, and p is above 0.05: what decides is said."""
    made = outcome("first", "second")
    sentence = said_of(made, p_permutation=0.07, p_least=0.001)
    assert "second and first cannot be told apart on 16 triples" in sentence
    assert "p 0.070; the interval, made in another way than p, leaves 0 out; p is what" in sentence
    gap = replace(made.rows[0].comparison.difference, high=0.01)
    assert "holds 0; p is" in said_of(made, p_permutation=0.03, p_least=0.001, difference=gap)
    assert "decides" not in said_of(made, p_permutation=0.3, p_least=0.001, difference=gap)


def test_too_few_that_differ_are_told_and_not_called_alike() -> None:
    """4 of 8 heads differ: 2 of the 16 patterns of signs are as far from 0, so p is 0.125 at
    least."""
    made = outcome("first", "second")
    assert (made.rows[0].comparison.n_differ, made.rows[0].comparison.p_least) == (4, 0.125)
    sentence = comparison_sentence(made).sentence
    assert "too few heads differ for this test to tell whether second is better than" in sentence
    assert "p 0.125; 4 of 8 heads differ, and with so few p is never below 0.125" in sentence
    assert "cannot be told apart" not in sentence


def test_two_systems_that_look_the_same_when_shown_keep_their_own_figures() -> None:
    """Names may differ in blanks alone. The first is right in 4 triples of 16, the second in 8."""
    sentence = comparison_sentence(outcome("a model", "a  model")).sentence
    assert "on 16 triples: 0.50 [" in sentence
    assert " against 0.25 [" in sentence


def test_the_sentence_names_the_first_of_several_and_who_may_be_as_good() -> None:
    """Of 16 triples third has 12, second 8 and first 4 right; letters say who may be as good."""
    made = outcome("first", "second", "third")
    sentence = comparison_sentence(made).sentence
    assert sentence.startswith("By FActScore*, third is first of 3 systems with 0.75 [")
    assert "and too few heads differ for this test to tell it from second (" in sentence
    board = made.boards["score"]
    more = tuple(replace(pair, p_least=0.001) for pair in board.comparisons)
    enough = comparison_sentence(replace(made, boards={"score": replace(board, comparisons=more)}))
    assert "on 16 triples, and cannot be told apart from second (" in enough.sentence
    third, *others = board.places
    alone = replace(board, places=(replace(third, letters=("z",)), *others))
    assert (
        "and is better than each of the others ("
        in comparison_sentence(replace(made, boards={"score": alone})).sentence
    )


def test_nothing_in_common_is_said() -> None:
    apart = outcome("first", "second", missing=16)
    table, _ = compare_tables(apart)
    assert table.lines[0].cells[0].text == "–"
    few = "first and second have 16 triples in common and cannot be compared: first has a value for"
    assert f"{few} 0 of 16." in comparison_sentence(apart).sentence
    some = outcome("first", "second", missing=6)
    rows = tuple(
        replace(row, comparison=replace(row.comparison, difference=no_estimate(0.95)))
        for row in some.rows
    )
    some = replace(some, contest=replace(some.contest, least={"first": 0.8}), rows=rows)
    assert f"{few} 10 of 16, fewer than 80%." in comparison_sentence(some).sentence
    units = {"h9": {"elsewhere": (1.0,)}}
    systems = {**apart.contest.systems, "first": {"score": units}}
    elsewhere = replace(apart, contest=replace(apart.contest, systems=systems))
    assert "first and second have no triples in common." in comparison_sentence(elsewhere).sentence


def test_systems_without_a_common_unit_have_no_ranks() -> None:
    """The first lacks all 16 triples: the two others are a pair, and nobody has a rank."""
    made = outcome("first", "second", "third", missing=16)
    (pairs,) = compare_tables(made)
    assert [line.labels for line in pairs.lines] == [("second", "third")]
    note = (
        "No triples with a value of both, and so not compared: first and second; first and third."
    )
    assert note in pairs.notes
    sentence = comparison_sentence(made).sentence
    few = "cannot be compared: first has a value for 0 of 16, so there is no ranking"
    assert few in sentence
    assert not any(board.places for board in made.boards.values())
    board = made.boards["score"]
    alone = tuple(replace(pair, n_both=0) for pair in board.comparisons)
    none = replace(made, boards={"score": replace(board, comparisons=alone)})
    assert compare_tables(none) == ()
    assert "nor do any two of them" in comparison_sentence(none).sentence
    assert compare_report(none).problems == ("Something is odd.",)


@pytest.mark.parametrize("more", [(), ("third",)])
def test_every_format_survives_hostile_names(more: tuple[str, ...]) -> None:
    bad = "".join(HOSTILE.values())
    shown = "".join(
        form(table)
        for table in compare_tables(outcome(bad, f"{bad}2", *more))
        for form in (markdown_table, latex_table, csv_table)
    )
    for unsafe in ("\x1b", "\x00", "\r", "\u202e", "\u2028", "\ud800"):
        assert unsafe not in shown
    shown.encode()


def conditions_with_marks(folder: Path, marked: int) -> Any:
    """Sixty questions in two conditions that people find as good. The rules read every third answer
    of `new` as right that people mark as wrong: it names the right year among others."""
    questions, rows, marks = [], [], []
    for n in range(60):
        query_id = f"Q{n}"
        questions.append(
            {"query_id": query_id, "question": "Which year?", "ground_truth": ["1902"]}
        )
        for condition in ("old", "new"):
            right = n % 3 > 0
            text = "1902" if right or condition == "new" else "1890"
            rows.append({"query_id": query_id, "answer": text, "condition": condition})
            quotes = [{"quote": text}] if right or condition == "old" else []
            if n < marked:
                answer = {"query_id": query_id, "answer": text}
                marks.append(answer | {"ada": {"facts": quotes, "verdict": None, "absence": False}})
    for name, lines in (("b", questions), ("a", rows), ("m", marks)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return factmark.score(
        folder / "a.jsonl",
        benchmark=str(folder / "b.jsonl"),
        people=folder / "m.jsonl",
        ledger=folder / "out.db",
        resamples=200,
    )


def test_people_s_marks_decide_between_conditions(tmp_path: Path) -> None:
    """By rule `new` is better by a third; people mark 40 answers of each and find no difference."""
    result = conditions_with_marks(tmp_path, 40)
    for given in (result, tmp_path / "out.db"):
        compared = factmark.compare(given, metric="C", resamples=200)
        (row,) = (row for row in compared.details.rows if row.score.key == "completeness")
        pair = row.comparison
        assert abs(pair.difference.value or 0) == pytest.approx(1 / 3)
        assert pair.corrected is not None
        assert pair.corrected.value == pytest.approx(0, abs=0.05)
        assert pair.n_labelled == 40
        assert not pair.told_apart
        assert "corrected by 80 of people's labels on 40 questions" in str(compared)
        assert "judge alone" in markdown_table(compared.tables["scores"])
        rows = compared.as_json()["rows"]
        assert [r["n_labelled"] for r in rows if r["stratum"] == "overall"] == [40, 40, 40]


def test_too_few_marks_change_no_comparison_and_are_told(tmp_path: Path) -> None:
    compared = factmark.compare(conditions_with_marks(tmp_path, 19), metric="C", resamples=200)
    assert all(row.comparison.people is None for row in compared.details.rows)
    assert any("People labelled fewer than 20 questions of" in note for note in compared.problems)
