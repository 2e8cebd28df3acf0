"""Study files: what they say, what the command line says instead, and what is wrong in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factmark.errors import InputError
from factmark.runs.options import RunOptions
from factmark.runs.study_file import load_study

EXAMPLE = Path(__file__).parents[2] / "examples" / "ehds" / "study.toml"
MODEL = '[[models]]\nmodel = "openai:m"\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text, "utf-8")
    return path


def test_the_example_says_what_is_the_default() -> None:
    told = load_study(EXAMPLE, {})
    bare = load_study(None, {"conditions": list(told.conditions)}, models=["openai:m"])
    for part in ("rag", "mcp", "context", "prompts", "estimates", "judges"):
        assert getattr(told, part) == getattr(bare, part), part
    assert (told.benchmark, told.repeats, told.concurrency) == ("ehds", 1, 32)
    assert [entry.title for entry in told.models] == ["llama", "qwen"]
    first, second = (entry.spec() for entry in told.models)
    assert (first.max_tokens, first.temperature, first.seed) == (4096, 0.0, 0)
    assert second.base_url == "http://localhost:8000/v1"
    assert second.extra == {"reasoning_effort": "low"}


def test_labels_are_of_the_study_file_unless_an_option_says_otherwise(tmp_path: Path) -> None:
    path = written(tmp_path, MODEL + '[data]\nlabels = "fr"\n')
    assert RunOptions(study=str(path)).read_study().data.labels == "fr"
    assert RunOptions(study=str(path), labels="de").read_study().data.labels == "de"
    assert RunOptions(study="ehds", model=["openai:m"]).read_study().data.labels == "en"


def test_options_take_the_place_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, f'repeats = 2\n[rag]\nk = 3\nembedder = "openai:e"\n{MODEL}')
    given: dict[str, Any] = {"repeats": 4, "rag": {"k": 7, "embedder": None}, "out": None}
    told = load_study(path, given, parameters={"temperature": 0.7, "seed": None})
    assert told.repeats == 4
    assert (told.rag.k, told.rag.embedder) == (7, "openai:e")
    assert told.models[0].temperature == 0.7
    assert told.models[0].seed == 0


def test_what_a_model_does_not_take_is_not_sent(tmp_path: Path) -> None:
    path = written(tmp_path, f'{MODEL}temperature = "default"\nseed = "default"\n')
    spec = load_study(path, {}).models[0].spec()
    assert (spec.temperature, spec.seed) == (None, None)


def test_an_unknown_name_of_a_model_tells_those_of_the_file() -> None:
    with pytest.raises(InputError, match="has llama, qwen"):
        load_study(EXAMPLE, {}, models=["mistral"])


def test_a_model_is_chosen_by_its_name_or_given_anew() -> None:
    told = load_study(EXAMPLE, {}, models=["qwen", "openai:other"])
    assert [entry.model for entry in told.models] == ["openai:qwen3-32b", "openai:other"]
    assert told.models[0].key_env == "QWEN_KEY"


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    text = f'benchmark = "q.jsonl"\nout = "o"\n[data]\nstore = "s"\n[rag]\nindex = "i"\n{MODEL}'
    told = load_study(written(tmp_path, text), {})
    assert told.benchmark == str(tmp_path / "q.jsonl")
    assert (told.out, told.data.store) == (tmp_path / "o", tmp_path / "s")
    assert told.rag.index == tmp_path / "i"
    here = load_study(written(tmp_path, text), {"out": Path("there")})
    assert here.out == Path("there")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"repeats = 0\n{MODEL}", "line 1: repeats: "),
        (f'conditions = ["rags"]\n{MODEL}', "line 1: conditions.0: 'rags' is none of 'baseline'"),
        (f'conditions = "rag"\n{MODEL}', "line 1: conditions: should be a list"),
        (f"condition = 1\n{MODEL}", "Did you mean 'conditions'?"),
        (f"questions = []\n{MODEL}", "line 1: questions: should name at least one"),
        (f"{MODEL}extra = {{ tools = [] }}\n", "'tools' in extra is what factmark itself sends"),
        (f"{MODEL}extra = {{ x = nan }}\n", "no JSON"),
        (f'{MODEL}name = "a"\n{MODEL}name = "b"\n', "'a' and 'b' are the same model"),
        (f'{MODEL}name = ""\n', "line 3: models.0.name"),
        (
            f'{MODEL}[models.extra]\nx = 1\n[[models]]\nmodel = "openai:n"\nseed = "s"\n',
            "line 7: models.1.seed",
        ),
        (f"\n[rag]\nk = 'five'\n{MODEL}", "line 3: rag.k: "),
        (f"[mcp]\nround = 3\n{MODEL}", "line 2: there is no setting 'mcp.round'"),
        (f"modles = 1\n{MODEL}", "line 1: there is no setting 'modles'"),
        (f'{MODEL}[[models]]\nmodel = "openai:n"\nmax_tokens = 0\n', "line 5: models.1.max_tokens"),
        (f"{MODEL}{MODEL}", "Two models are called 'openai:m'"),
        (f'conditions = ["rag", "rag"]\n{MODEL}', "'rag' is named twice"),
        (f'[data]\nstore = "a"\nendpoint = "http://b"\n{MODEL}', "a store or an endpoint"),
        ("repeats = \n", "line 1"),
        (f"repeats = {10**20}\n{MODEL}", "line 1: repeats"),
        (f"concurrency = {10**20}\n{MODEL}", "line 1: concurrency"),
        ("repeats = 1\n", "No model is named"),
        (f"rag = 3\n{MODEL}", "line 1: rag"),
        (f"[budget]\nmax_cost = -1\n{MODEL}", "line 2: budget.max_cost"),
        ("models = []\n", "line 1: models"),
        ("models = 3\n", "line 1: models"),
        ("models = [3]\n", "models"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        load_study(written(tmp_path, text), {})
    assert said in str(error.value)
    assert "Traceback" not in str(error.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no\.toml"):
        load_study(tmp_path / "no.toml", {})


def test_a_judge_is_a_name_or_an_entry(tmp_path: Path) -> None:
    text = f'judges = ["rules", {{ name = "a:b", max_tokens = 9 }}]\n{MODEL}'
    told = load_study(written(tmp_path, text), {})
    assert [(judge.name, judge.max_tokens) for judge in told.judges] == [
        ("rules", 4096),
        ("a:b", 9),
    ]
