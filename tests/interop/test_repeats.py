"""Several answers to one question count each, whatever they say."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from factmark.answers.core.evaluate import sort_out
from factmark.answers.core.records import Question
from factmark.interop.reading import read_answers

SAID = ("30", "30", "31")
QUESTION = Question(query_id="A", category="c", text="?", ground_truth=("30",))


def kept(path: Path) -> list[str]:
    """The texts that are scored."""
    answers, _ = sort_out(read_answers(path).answers, {"A": QUESTION})
    return sorted(answer.text for answer in answers)


def sample(epoch: int, text: str, **more: Any) -> dict[str, Any]:
    return {"id": "A", "epoch": epoch, "output": {"completion": text}, "messages": []} | more


def log(path: Path, *samples: Any, **spec: Any) -> Path:
    told = {"version": 2, "status": "success", "eval": {"task": "t_mcp", "model": "m"} | spec}
    path.write_text(json.dumps(told | {"samples": samples}))
    return path


def test_epochs_of_others_count_each(tmp_path: Path) -> None:
    samples = [sample(epoch, text) for epoch, text in enumerate(SAID, 1)]
    assert kept(log(tmp_path / "a.json", *samples)) == ["30", "30", "31"]


def test_two_runs_in_a_folder_count_each_and_a_retried_sample_once(tmp_path: Path) -> None:
    def packed(name: str, eval_id: str, *samples: Any) -> None:
        spec = {"task": "t_mcp", "model": "m", "eval_id": eval_id}
        with zipfile.ZipFile(tmp_path / name, "w") as out:
            out.writestr("header.json", json.dumps({"status": "success", "eval": spec}))
            for number, one in enumerate(samples):
                out.writestr(f"samples/{number}.json", json.dumps(one))

    packed("1.eval", "one", sample(1, "30"))
    packed("2.eval", "two", sample(1, "30"))
    assert kept(tmp_path) == ["30", "30"]
    packed("3.eval", "three", sample(1, "31", uuid="u"))
    packed("4.eval", "four", sample(1, "31", uuid="u"))
    assert kept(tmp_path) == ["30", "30", "31"]


def test_repeats_of_others_samples_count_each(tmp_path: Path) -> None:
    row = {"doc_id": 0, "doc": {"id": "A"}, "resps": [SAID]}
    for run in ("a", "b"):
        path = tmp_path / run / "samples_t_2024-01-01T00-00-00.jsonl"
        path.parent.mkdir()
        path.write_text(json.dumps(row) + "\n")
    assert kept(path) == ["30", "30", "31"]
    assert len(kept(tmp_path)) == 6
