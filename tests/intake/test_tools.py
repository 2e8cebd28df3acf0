"""Each tool's file is known by what is in it, and gives its judges, ids and texts."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from factmark.files.problems import Problems
from factmark.intake.table_file import TableFile, open_table
from factmark.intake.tools import tool_forms

Rows = Sequence[Mapping[str, Any]]

RAGAS = [
    {"user_input": f"q {n}", "retrieved_contexts": "['c d']", "response": "r", "faithfulness": n}
    for n in range(2)
]
OLD_RAGAS = [
    {"question": "q", "answer": "a", "contexts": "['c']", "ground_truth": "g", "faithfulness": 0.5}
]
OF_CLAUDE = "claude2_response_kg"
REFCHECKER_PEOPLE = [
    {
        "id": 7,
        "response": "Mills mill.",
        OF_CLAUDE: [{"triplet": ["mills", "do", "mill"], "human_label": "Entailment"}],
    }
]
TEXT2SPARQL = {
    "one:1-en": {"set_P": 0.5, "set_recall": 1.0, "set_F": 0.67},
    "one:2-en": {"set_P": 0.0, "set_recall": 0.0, "set_F": 0.0},
}
PROMPTFOO = {
    "results": {
        "version": 3,
        "prompts": [{"id": "p"}],
        "results": [
            {
                "id": "r1",
                "success": True,
                "score": 1,
                "vars": {"q": "sky?"},
                "response": {"output": "blue"},
                "provider": {"id": "stub"},
                "testIdx": 0,
                "namedScores": {},
            }
        ],
    }
}
PROMPTFOO_CSV = [{"q": "sky?", "[stub] {{q}}": "blue", "Status": "PASS", "Score": 1}]
INSPECT = {
    "version": 2,
    "eval": {"task": "t"},
    "samples": [
        {
            "id": "s1",
            "epoch": 1,
            "input": "sky?",
            "target": "blue",
            "output": {"completion": "blue"},
            "scores": {"match": {"value": "C", "answer": "blue"}},
        }
    ],
}
LM_EVAL = [
    {
        "doc_id": 0,
        "doc": {"q": "sky?", "year": 1999},
        "target": "blue",
        "arguments": {"gen_args_0": {"arg_0": "sky?"}},
        "resps": [["blue"]],
        "filtered_resps": ["blue"],
        "exact_match": 1.0,
    }
]
HELM = [
    {
        "instance_id": "id1",
        "train_trial_index": 0,
        "stats": [
            {"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": 1.0},
            {"name": {"name": "num_prompt_tokens", "split": "test"}, "count": 1, "mean": 80.0},
        ],
    }
]
HELM_SHOWN = [
    {
        "instance_id": "id1",
        "predicted_text": "blue",
        "stats": {"exact_match": 1.0, "num_output_tokens": 1.0, "prompt_truncated": 0.0},
    }
]
TRULENS = [
    {
        "app_id": "a",
        "app_version": "base",
        "record_id": "r1",
        "input": "sky?",
        "output": "blue",
        "Groundedness": 0.9,
        "latency": 3,
        "total_cost": 0.1,
    }
]
PHOENIX = [{"context.span_id": "s1", "label": "factual", "score": 0, "explanation": "it is so"}]
LANGFUSE = [
    {"id": 1, "traceId": "t1", "name": "faith", "value": 1, "source": "EVAL"},
    {"id": 2, "traceId": "t1", "name": "faith", "value": 0, "source": "ANNOTATION"},
]
BRAINTRUST = [
    {"id": "b1", "input": "sky?", "output": "blue", "expected": "blue", "scores": '{"Fact": 0.6}'}
]
REFCHECKER = [
    {
        "id": "x",
        "response": "r",
        "reference": "p",
        "triplets": [["a", "is", "b"]],
        "ys": ["Neutral"],
    }
]
DUMPED = {
    "test_results": [{"name": "c1", "input": "q", "metrics_data": [{"name": "F", "score": 1}]}]
}
ALPACA_EVAL = [
    {
        "instruction": "sky?",
        "output_1": "red",
        "generator_1": "base",
        "output_2": "blue",
        "generator_2": "mine",
        "preference": 2.0,
        "price_per_example": 0.01,
    }
]
FASTCHAT = [
    {
        "question_id": 81,
        "model": "m",
        "judge": ["j", "single-v1"],
        "user_prompt": "sky?",
        "judgment": "Rating: [[9]]",
        "score": 9,
        "turn": 1,
    }
]
AZURE = {
    "metrics": {"groundedness": 4.0},
    "rows": [
        {
            "inputs.query": "sky?",
            "inputs.response": "blue",
            "outputs.grounded.groundedness": 4,
            "outputs.grounded.groundedness_threshold": 3,
            "outputs.grounded.total_tokens": 900,
        }
    ],
}
MLFLOW = {"columns": ["inputs", "outputs", "right/v1/score"], "data": [["sky?", "blue", 1.0]]}
RAGCHECKER = {
    "results": [
        {"query_id": "1", "query": "sky?", "response": "blue", "metrics": {"faithfulness": 0.5}}
    ],
    "metrics": {"overall": {"f1": 50.0}},
}
LANGSMITH = [
    {"inputs.q": "sky?", "outputs.a": "blue", "feedback.right": 1, "execution_time": 2, "id": "x"}
]
OPIK = [
    {
        "id": "x",
        "input": "sky?",
        "feedback_scores": [{"name": "right", "value": 1.0, "source": "sdk"}],
    }
]
LIGHTEVAL = [{"doc": {"query": "sky?"}, "metric": {"em": 1.0}, "model_response": {"text": ["b"]}}]
OPENCOMPASS = {
    "accuracy": 100.0,
    "details": {"type": "GEN", "0": {"pred": "blue", "answer": "blue", "correct": True}},
}
SAFE = {
    "per_prompt_data": [
        {
            "prompt": "sky?",
            "side2_posthoc_eval_data": {
                "checked_statements": [
                    {"self_contained_atomic_fact": "The sky is blue.", "annotation": "Supported"}
                ]
            },
        }
    ]
}
VERISCORE = [
    {
        "question": "sky?",
        "response": "Blue.",
        "model": "m",
        "claim_verification_result": [
            {"claim": "The sky is blue.", "verification_result": "supported"}
        ],
    }
]

CASES = [
    ("ragas.csv", RAGAS, "ragas", {"judge": "faithfulness", "response": "response"}),
    ("old.csv", OLD_RAGAS, "ragas", {"judge": "faithfulness", "reference": "ground_truth"}),
    ("dumped.json", DUMPED, "deepeval", {"judge": "metrics_data.F.score", "id": "name"}),
    ("promptfoo.json", PROMPTFOO, "promptfoo", {"judge": "success", "response": "response.output"}),
    (
        "promptfoo.csv",
        [{**row, "Grader Reason": "ok"} for row in PROMPTFOO_CSV],
        "promptfoo",
        {"judge": "Status", "response": "[stub] {{q}}"},
    ),
    ("inspect.json", INSPECT, "inspect_ai", {"judge": "scores.match.value", "id": "id"}),
    ("lm.jsonl", LM_EVAL, "lm_eval", {"judge": "exact_match", "id": "doc_id"}),
    ("helm.json", HELM, "helm", {"judge": "stats.exact_match.mean", "id": "instance_id"}),
    (
        "shown.json",
        HELM_SHOWN,
        "helm",
        {"judge": "stats.exact_match", "response": "predicted_text"},
    ),
    ("trulens.csv", TRULENS, "trulens", {"judge": "Groundedness", "id": "record_id"}),
    ("phoenix.csv", PHOENIX, "phoenix", {"judge": "label", "id": "context.span_id"}),
    ("langfuse.csv", LANGFUSE, "langfuse", {"judge": "EVAL faith", "people": "ANNOTATION faith"}),
    ("braintrust.csv", BRAINTRUST, "braintrust", {"judge": "scores.Fact", "id": "id"}),
    ("checked.json", REFCHECKER, "refchecker", {"judge": "ys", "claim": "triplets"}),
    (
        "people.json",
        REFCHECKER_PEOPLE,
        "refchecker",
        {"people": f"{OF_CLAUDE}.human_label", "claim": f"{OF_CLAUDE}.triplet", "cluster": "id"},
    ),
    ("prefs.json", ALPACA_EVAL, "alpaca_eval", {"judge": "preference", "response": "output_2"}),
    ("mt.jsonl", FASTCHAT, "fastchat", {"judge": "score", "cluster": "question_id"}),
    (
        "azure.json",
        AZURE,
        "azure_evaluation",
        {"judge": "outputs.grounded.groundedness", "response": "inputs.response"},
    ),
    ("table.json", MLFLOW, "mlflow", {"judge": "right/v1/score", "response": "outputs"}),
    ("checking.json", RAGCHECKER, "ragchecker", {"judge": "metrics.faithfulness"}),
    ("experiment.csv", LANGSMITH, "langsmith", {"judge": "feedback.right", "id": "id"}),
    ("items.jsonl", OPIK, "opik", {"judge": "feedback_scores.right.value", "id": "id"}),
    ("details.jsonl", LIGHTEVAL, "lighteval", {"judge": "metric.em", "question": "doc.query"}),
    ("compass.json", OPENCOMPASS, "opencompass", {"judge": "correct"}),
    (
        "safe.json",
        SAFE,
        "safe",
        {"judge": "side2_posthoc_eval_data.checked_statements.annotation", "cluster": "prompt"},
    ),
    (
        "veriscore.jsonl",
        VERISCORE,
        "veriscore",
        {"judge": "claim_verification_result.verification_result"},
    ),
    ("challenge.json", TEXT2SPARQL, "text2sparql", {"judge": "set_F", "id": "id"}),
]


def _opened(path: Path, value: Any) -> TableFile:
    """Writes a value in the form of the file's name, and opens it."""
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, value[0])
            writer.writeheader()
            writer.writerows(value)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in value), "utf-8")
    else:
        path.write_text(json.dumps(value), "utf-8")
    return open_table(path)


@pytest.mark.parametrize(("name", "value", "tool", "columns"), CASES)
def test_a_tool_is_known_by_its_file(
    tmp_path: Path, name: str, value: Any, tool: str, columns: Mapping[str, str]
) -> None:
    """The form that fits says which tool's file it is, and which column holds what."""
    table = _opened(tmp_path / name, value)
    assert table.tool == tool
    assert table.form is not None
    held = table.form.columns_in(table.sample)
    assert {role: held[role] for role in columns} == {r: (path,) for r, path in columns.items()}


def test_every_tool_with_a_judge_has_a_case() -> None:
    """Of OpenAI evals and deepeval's two other forms see test_table_file."""
    tested = {tool for _, _, tool, _ in CASES} | {"openai_evals"}
    judging = {form.tool for form in tool_forms() if "judge" in form.columns}
    assert judging == tested


def test_a_table_of_ones_own_is_no_tools(tmp_path: Path) -> None:
    """No form fits what merely has some of a tool's columns."""
    table = _opened(tmp_path / "own.csv", [{"id": 1, "response": "a", "score": 1, "input": "b"}])
    assert table.tool == ""


@pytest.mark.parametrize("form", ["eval", "json"])
def test_a_log_of_inspect_ai_has_its_long_texts_in_place(tmp_path: Path, form: str) -> None:
    """A log keeps long texts apart; people who label read them, not their names."""
    sample = INSPECT["samples"][0] | {"attachments": {"a1": "a long sky"}}
    sample = sample | {"input": "attachment://a1"}
    path = tmp_path / f"log.{form}"
    if form == "json":
        path.write_text(json.dumps({**INSPECT, "samples": [sample]}), "utf-8")
    else:
        with zipfile.ZipFile(path, "w") as log:
            log.writestr("header.json", json.dumps({"eval": {}}))
            log.writestr("samples/s1_epoch_1.json", json.dumps(sample))
    table = open_table(path)
    assert table.tool == "inspect_ai"
    assert [row["input"] for _, row in table.rows(Problems())] == ["a long sky"]
