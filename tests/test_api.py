"""`import factmark as fm`, as a notebook uses it."""

from __future__ import annotations

import ast
import asyncio
import json
import math
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import factmark as fm
from factmark.errors import InputError
from later import later
from servers.model_server import model_server
from shell import kept_ledger

pandas = later("pandas")
polars = later("polars")


BENCHMARK = [
    {"id": "q1", "category": "a", "question": "Which dataset?", "ground_truth": ["Asthma"]},
    {"id": "q2", "category": "a", "question": "How many patients?", "ground_truth": ["30"]},
]
ANSWERS = [
    {"query_id": "q1", "model": "m", "answer": "The dataset is **Asthma**."},
    {"query_id": "q2", "model": "m", "answer": "There are 31 patients."},
]
TRIPLES = [
    {"head": "aspirin", "relation": "treats", "tail": "headache"},
    {"head": "headache", "relation": "treats", "tail": "aspirin"},
]


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("given") / "benchmark.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in BENCHMARK))
    return path


@pytest.fixture(scope="module")
def scored(benchmark: Path) -> fm.Measured:
    return fm.score(ANSWERS, benchmark=benchmark)


def test_averages_are_estimates(scored: fm.Measured) -> None:
    assert scored.averages["C"].value == 0.5  # Asthma of one, none of the other
    assert scored.averages["H"].value == 0.5
    assert scored.averages["S"].value == 0.5
    assert scored.averages["S"].n_items == 2


@pytest.mark.parametrize("library", [pandas, polars], ids=["pandas", "polars"])
def test_rows_may_be_frames(library: Any, scored: fm.Measured, benchmark: Path) -> None:
    again = fm.score(library.DataFrame(ANSWERS), benchmark=benchmark)
    assert again.averages["C"].value == scored.averages["C"].value


def test_results_are_frames(scored: fm.Measured) -> None:
    rows = scored.to_pandas()
    assert list(rows["query_id"]) == ["q1", "q2"]
    assert list(scored.to_polars()["completeness"]) == [1.0, 0.0]
    table = scored.to_pandas("scores")
    assert table["completeness_low"].iloc[-1] < 0.5 < table["completeness_high"].iloc[-1]
    with pytest.raises(KeyError, match="scores"):
        scored.to_polars("none")


def test_a_notebook_shows_the_table_with_its_text_escaped(benchmark: Path) -> None:
    hostile = fm.score(
        [{"query_id": "q1", "model": "<script>x</script>", "answer": "Asthma."}, ANSWERS[1]],
        benchmark=benchmark,
    )
    page = hostile._repr_html_()
    assert "<table" in page
    assert "&lt;script&gt;" in page
    assert "<script>" not in page


def test_a_notebook_shows_what_the_command_notes(benchmark: Path) -> None:
    scored = fm.score([*ANSWERS, {"query_id": "<b>", "answer": "x"}], benchmark=benchmark)
    (note,) = [problem for problem in scored.problems if problem.endswith("(<b>)")]
    assert scored._repr_html_().count(note.replace("<b>", "&lt;b&gt;").replace("'", "&#39;")) == 1
    assert repr(scored).count("the benchmark does not have") == 1


def test_the_report_is_the_command_s(scored: fm.Measured, tmp_path: Path) -> None:
    folder = scored.report(tmp_path / "out")
    assert (folder / "report.html").is_file()
    assert json.loads((folder / "results.json").read_text())["averages"]


def test_within_a_running_event_loop(benchmark: Path) -> None:
    async def cell() -> fm.Measured:
        return fm.score(ANSWERS, benchmark=benchmark)

    assert asyncio.run(cell()).averages["C"].value == 0.5


def test_graphs(tmp_path: Path) -> None:
    valid = fm.validity(TRIPLES)
    assert [row.label for row in valid.rows] == ["YES", "NO"]
    assert valid.averages["ValidityScore"].value == 0.5
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, row in zip(paths, TRIPLES, strict=True):
        path.write_text(
            "head,relation,tail\n" + ",".join(row[key] for key in ("head", "relation", "tail"))
        )
    assert [row.label for row in fm.validity(paths).rows] == ["YES", "NO"]
    with pytest.raises(InputError, match="colour"):
        fm.validity(TRIPLES, colour="red")
    with pytest.raises(InputError, match=r"'jugde'\. Did you mean 'judge'"):
        fm.validity(TRIPLES, jugde="rules")
    judged = fm.validity(TRIPLES, judge=lambda unit: ("NO", "so I say"))
    assert [(row.label, row.reason) for row in judged.rows] == [("NO", "so I say")] * 2


def test_all_that_is_a_file_may_be_a_frame() -> None:
    """Benchmark, passages and names of columns: nothing has to be written to disk first."""
    scored = fm.score(ANSWERS, benchmark=pandas.DataFrame(BENCHMARK))
    assert scored.averages["C"].value == 0.5
    assert repr(scored.tables["scores"]).startswith("<table 'benchmark: ")
    triple = {"subject": "aspirin", "relation": "treats", "object": "pain", "passage_id": "p"}
    texts = pandas.DataFrame([{"id": "p", "text": "Aspirin treats pain."}])
    column = {"head": "subject", "tail": "object"}
    judged = fm.factscore([triple], texts, column=column)
    assert [row.label for row in judged.rows] == ["SUPPORTED"]
    claims = fm.claims([{"claim": "Rain falls", "passage_id": "p"}], passages=texts)
    assert claims.to_pandas()["evidence"][0] == "Aspirin treats pain."
    with pytest.raises(InputError, match=r"^rows\.jsonl: no column 'claim'"):
        fm.claims(texts.drop(columns="text"))


def test_systems_are_compared(
    benchmark: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = [ANSWERS[0], {**ANSWERS[1], "answer": "There are 30 patients."}]
    first, second = (
        fm.score(answers, benchmark=benchmark, ledger=tmp_path / f"{at}.db")
        for at, answers in enumerate((ANSWERS, other))
    )
    by_result = fm.compare(first, second)
    assert by_result.averages["C: results 1 - results 2"].value == -0.5
    assert "C: ours - theirs" in fm.compare({"ours": first, "theirs": second}).averages
    by_ledger = fm.compare(tmp_path / "0.db", tmp_path / "1.db")
    of_ledger, of_result = (each.to_pandas() for each in (by_ledger, by_result))
    assert of_ledger["difference"].equals(of_result["difference"])
    assert (by_ledger.report(tmp_path / "c") / "report.html").is_file()
    graphs = fm.validity(TRIPLES), fm.validity(TRIPLES[:1])
    assert fm.compare(*graphs).averages["V: results 1 - results 2"].value == 0
    assert "wrote" not in capsys.readouterr().err
    with pytest.raises(InputError, match="cannot be compared"):
        fm.compare(by_result, by_ledger)
    with pytest.raises(InputError, match=r"There is nothing to compare\. Give results"):
        fm.compare()
    with pytest.raises(InputError, match="level=95: has to be at"):
        fm.compare(first, second, level=95)
    with pytest.raises(InputError, match="Did you mean 'metric'"):
        fm.compare(first, second, metrik="S")


def test_judges_agree_and_a_plan_is_made(tmp_path: Path) -> None:
    ledger = kept_ledger("campaign", tmp_path / "study.db")
    agreement = fm.agree(ledger)
    assert agreement.averages
    assert all(-1 <= alpha.value <= 1 for alpha in agreement.averages.values() if alpha.value)
    needed = {need.design: need.labels for need in fm.plan(0.05, share=0.5).rows}
    # 1.96² · 0.25 / 0.05² = 384.1, and one or two more for the interval's own form
    assert 380 <= needed["people only"] <= 390
    with pytest.raises(InputError, match="--share"):
        fm.plan(0.05)
    with pytest.raises(InputError, match="half_width=nan"):
        fm.plan(math.nan, share=0.5)
    with pytest.raises(InputError, match="no option 'sheet'"):
        fm.plan(0.05, ledger=ledger, sheet="s.csv")
    with pytest.raises(InputError, match="Did you mean 'kind'"):
        fm.agree(ledger, knd="pair")
    assert "alpha" in repr(agreement)
    assert "<table" in agreement._repr_html_()


def test_a_judge_is_corrected_by_people() -> None:
    judge = {str(number): "YES" if number < 60 else "NO" for number in range(100)}
    people: dict[str, str] = {str(number): "YES" if number % 2 else "NO" for number in range(10)}
    people |= {str(number): "NO" for number in range(60, 70)}
    # half of 60 units and none of 40
    assert fm.correct(judge, people).value == pytest.approx(0.3)
    frame = pandas.DataFrame({"judge": judge, "people": people}, index=list(judge))
    assert fm.correct(frame.judge, frame.people) == fm.correct(judge, people)
    assert fm.corrected_share(frame.judge, frame.people).value == pytest.approx(0.3)
    with pytest.raises(InputError, match="twice"):
        fm.correct(pandas.concat([frame.judge, frame.judge]), people)
    with pytest.raises(ValueError, match="'perhaps' has no value"):
        fm.corrected_share(["YES"], {0: "perhaps"})
    with pytest.raises(InputError, match="'999'"):
        fm.correct(judge, {"999": "YES"})
    with pytest.raises(InputError, match="'perhaps'"):
        fm.correct(judge, {"1": "perhaps"})
    with pytest.raises(InputError, match="label 'YES' has no value"):  # 1 of 5 stars, or 5?
        fm.correct(judge, {"1": "YES"}, scale=(1, 5))
    for value in (math.inf, -math.inf, 2, -1):
        with pytest.raises(InputError, match="is not from 0 to 1"):
            fm.correct(judge, {"1": value})
    for nobody in ({}, {"1": math.nan}, {"1": None}):
        with pytest.raises(InputError, match="people labelled none of the units"):
            fm.correct(judge, nobody)
    with pytest.raises(InputError, match="level=95"):
        fm.correct(judge, people, level=95)
    with pytest.raises(InputError, match="Did you mean 'target'"):
        fm.correct(judge, people, targett="units")
    with pytest.raises(InputError, match="correct"):
        fm.correct(5, people)


def test_a_judge_of_numbers_is_corrected_by_a_line() -> None:
    """A judge that gives 0.1 more than people: they would have said 0.5 of all, on any scale."""
    said = {f"u{number}": (number % 9 + 1) / 10 for number in range(900)}
    judge = {unit: value + 0.1 for unit, value in said.items()}
    people = {unit: said[unit] for unit in list(said)[:90]}
    estimate = fm.correct(judge, people)
    assert estimate.value == pytest.approx(0.5, abs=0.005)
    assert estimate.n_effective > 200
    stars = {unit: 1 + 4 * value for unit, value in people.items()}
    of_stars = fm.correct(judge, stars, scale=(1, 5))
    assert of_stars.scale == (1, 5)
    assert of_stars.value == pytest.approx(1 + 4 * estimate.value)
    assert of_stars.low == pytest.approx(1 + 4 * estimate.low)
    texts = {unit: str(value) for unit, value in judge.items()}
    assert fm.correct(texts, people) == estimate
    clusters = {unit: unit[:2] for unit in judge}
    items = fm.correct(judge, people, clusters=clusters)
    assert items.n_items == len({unit[:2] for unit in people})
    frame = pandas.DataFrame({"judge": judge, "people": people}, index=list(judge))
    frame["stratum"] = ["early" if place < 300 else "late" for place in range(900)]
    with pytest.raises(InputError, match="no unit of stratum 'late'"):
        fm.correct(frame.judge, frame.people, strata=frame.stratum)
    with pytest.raises(InputError, match="scale=\\(LEAST, GREATEST\\)"):
        fm.correct(judge, {"u1": 4})
    with pytest.raises(InputError, match="least and the greatest"):
        fm.correct(judge, people, scale=(5, 1))
    with pytest.raises(InputError, match="clusters name none"):
        fm.correct(judge, people, clusters={"x": "a"})
    with pytest.raises(InputError, match="above 0"):
        fm.correct(judge, people, weights={"u1": 0.5})


def test_words_are_corrected_verdict_by_verdict_within_strata_and_items() -> None:
    """YES is right for nine in ten of the early units and never for late ones, of which as many
    are labelled: 0.81 of 900 and 0 of 100."""
    units = [f"u{number}" for number in range(1000)]
    judge = dict.fromkeys(units, "YES") | dict.fromkeys(units[9::10], "NO")
    strata = {unit: "early" if place < 900 else "late" for place, unit in enumerate(units)}
    people = {unit: "NO" if place % 10 == 9 else "YES" for place, unit in enumerate(units[:50])}
    people |= dict.fromkeys(units[900:950], "NO")
    assert fm.correct(judge, people, strata=strata).value == pytest.approx(0.81)
    weights = {unit: 18 if stratum == "early" else 2 for unit, stratum in strata.items()}
    assert fm.correct(judge, people, weights=weights).value == pytest.approx(0.81, abs=0.01)
    assert fm.correct(judge, people).value == pytest.approx(0.45)
    nobody = dict.fromkeys(units)
    assert fm.correct(judge, people, clusters=nobody | {"u0": "a"}).n_items == 100


def test_questions_to_a_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        json.dumps({"id": "q", "question": "What treats headache?", "answer": "aspirin"}) + "\n"
    )
    for _ in range(2):  # the folder of that name is loaded by then
        answered = fm.graphrag(TRIPLES[:1], questions, control="off", top_k=3)
        assert answered.averages["accuracy of rows"].value == 1.0
    assert answered.rows[0].status == "ok"
    assert (answered.score, answered.num_queries) == (1.0, 1)
    named = {"new": tmp_path / "new.csv", "old": tmp_path / "old.csv"}
    for name, path in named.items():
        path.write_text(f"head,relation,tail\naspirin,treats,{name} headache\n")
    several = fm.graphrag(named, questions, control="off")
    assert {"accuracy of new", "accuracy of old"} == set(several.averages)
    assert not capsys.readouterr().err
    with pytest.raises(InputError, match="paper"):
        fm.graphrag(preset="colour")


def test_models_are_run(tmp_path: Path, benchmark: Path) -> None:
    with model_server() as server:
        results = fm.run(
            benchmark,
            model="openai:m",
            base_url=server.url,
            condition="baseline",
            out=tmp_path / "run",
        )
    assert results.averages["C"].n_items == 2
    assert {row.answer.condition for row in results.rows} == {"baseline"}
    assert (tmp_path / "run" / "report.html").is_file()


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl"):
        fm.score(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match=r"no column 'head'.*Found: a"):
        fm.validity([{"a": "b"}])


def test_only_what_is_used_is_loaded() -> None:
    code = "import sys, factmark as fm; fm.parse_reply; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert {"factmark.replies", "numpy", "factmark.api"} & set(loaded) == {"factmark.replies"}
    assert not hasattr(fm, "nothing")


def blocks() -> list[str]:
    """The examples of docs/python.md."""
    text = (Path(__file__).parents[1] / "docs" / "python.md").read_text("utf-8")
    return [part.split("```")[0] for part in text.split("```python\n")[1:]]


def test_the_notebook_runs(tmp_path: Path) -> None:
    """As a reader runs it: each cell in a kernel, without a fault, most show a table."""
    path = Path(__file__).parents[1] / "examples" / "factmark.ipynb"
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [
        output.data
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output.output_type == "execute_result"
    ]
    assert sum("<table" in str(data.get("text/html")) for data in shown) >= 4


def test_the_documented_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sample = (files("factmark.data") / "ehds" / "sample_answers.jsonl").read_text("utf-8")
    Path("answers.jsonl").write_text("".join(sample.splitlines(keepends=True)[:2]))
    first, asking, own, pure = blocks()
    exec(first, {})
    assert (tmp_path / "out" / "report.html").is_file()
    compile(asking, "python.md", "exec")  # needs a model; its call is tested with the command
    triple = {"head": "Aspirin", "relation": "treats", "tail": "headache", "passage_id": "seq1"}
    judged: dict[str, Any] = {"fm": fm, "triples": [triple]}
    exec(own, judged)
    assert (judged["results"].score, judged["results"].total_facts) == (1.0, 1)
    names: dict[str, object] = {"fm": fm}
    *before, one, two, three = (ast.unparse(line) for line in ast.parse(pure).body)
    exec("\n".join(before), names)
    assert (eval(one, names), eval(two, names)) == (0.5, "SUPPORTED")
    assert eval(three, names).n_labels == 4
