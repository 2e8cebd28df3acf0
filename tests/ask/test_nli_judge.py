"""`nli:FOLDER`: a cross-encoder for entailment as a judge, and folders that hold none."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from factmark.ask.judges.own_judge import open_own_judge, own_judge
from factmark.ask.runner import JudgingProgress, run
from factmark.ask.weights.nli_scores import CrossEncoder, Numbers, open_cross_encoder
from factmark.ask.weights.nli_windows import Window, open_tokenizer
from factmark.ask.weights.pairs import Pair
from factmark.errors import InputError
from factmark.label_values import SUPPORT_VALUES
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Unit, content_hash
from tiny_nli import INPUTS, LABELS, nli_folder

UNSURE = " ".join(["a", "b"] * 8)


async def judged(
    folder: Path,
    ledger: Path,
    pairs: Sequence[tuple[str, str]],
    values: Mapping[str, float] = SUPPORT_VALUES,
) -> JudgingProgress:
    """Has pairs of passage and claim judged."""
    own = own_judge("--judge", f"nli:{folder}")
    assert own is not None
    units = [
        Unit(id=content_hash(pair), item="i", kind="pair", text=pair[1], data={"passage": pair[0]})
        for pair in pairs
    ]
    judge = open_own_judge(
        own, lambda unit: {"claim": unit.text, "evidence": unit.data["passage"]}, values
    )
    return await run([(Item(id="i", cluster="i"), unit) for unit in units], judge, ledger)


def verdicts(
    done: JudgingProgress, ledger: Path, pairs: Sequence[tuple[str, str]]
) -> list[tuple[str, str | None, str]]:
    """Status, label and reason of each pair, by the judge that went through them."""
    with Ledger(ledger) as opened:
        newest = opened.newest(done.judge.id, [content_hash(pair) for pair in pairs])
    rows = [newest[content_hash(pair)] for pair in pairs]
    return [(row.status, row.label, row.reason) for row in rows]


@pytest.mark.parametrize(
    "labels",
    [
        LABELS,
        ("ENTAILMENT", "NEUTRAL", "CONTRADICTION"),
        ("Neutral", "Contradiction", "Entailment"),
        ("refutes", "entails", "neutral"),
    ],
)
async def test_labels_in_any_order_and_case(
    labels: tuple[str, ...], tmp_path: Path, ledger: Path
) -> None:
    words = [label.lower().replace("refutes", "contradiction") for label in labels]
    folder = nli_folder(tmp_path / "m", words)
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {str(number): label for number, label in enumerate(labels)}
    (folder / "config.json").write_text(json.dumps(config))
    pairs = [("a yes", "c"), ("a no", "c"), ("a b", "c"), (" ", "c")]
    found = verdicts(await judged(folder, ledger, pairs), ledger, pairs)
    assert [row[:2] for row in found] == [
        ("ok", "SUPPORTED"),
        ("ok", "CONTRADICTED"),
        ("ok", "NOT_SUPPORTED"),
        ("undecided", None),
    ]
    assert [row[2] for row in found] == [
        *("entailment 0.98", "contradiction 0.98", "no entailment 0.79"),
        "no evidence",
    ]


@pytest.mark.parametrize(
    "labels", [("not_entailment", "entailment"), ("entailment", "contradiction")]
)
async def test_two_labels_say_whether_it_follows(
    labels: tuple[str, str], tmp_path: Path, ledger: Path
) -> None:
    """What is called contradiction, where there is no third label, says that nothing follows."""
    folder = nli_folder(tmp_path / "m", labels)
    pairs = [("a yes", "c"), ("a no no", "c")]
    found = verdicts(await judged(folder, ledger, pairs), ledger, pairs)
    assert [label for _, label, _ in found] == ["SUPPORTED", "NOT_SUPPORTED"]


async def test_label2id_tells_as_well(tmp_path: Path, ledger: Path) -> None:
    folder = nli_folder(tmp_path / "m")
    names = {label: number for number, label in enumerate(LABELS)}
    (folder / "config.json").write_text(json.dumps({"label2id": names}))
    pairs = [("a yes", "c")]
    assert verdicts(await judged(folder, ledger, pairs), ledger, pairs)[0][1] == "SUPPORTED"


async def test_of_a_long_passage_the_surest_window_decides_and_is_shown(
    tmp_path: Path, ledger: Path
) -> None:
    folder = nli_folder(tmp_path / "m")
    far = " ".join([UNSURE] * 20)
    pairs = [
        (f"{far} e yes f {far}", "c"),
        (f"{far} no {far} g yes yes h {far}", "c"),
        (f"{far} g no no h {far} yes {far}", "c"),
        (far, "c"),
        (far, " ".join(["c"] * 60)),
    ]
    found = verdicts(await judged(folder, ledger, pairs), ledger, pairs)
    assert [row[1] for row in found] == [
        *("SUPPORTED", "SUPPORTED", "CONTRADICTED", "NOT_SUPPORTED", None),
    ]
    assert "e yes f" in found[0][2]
    assert "g yes yes h" in found[1][2]
    assert "g no no h" in found[2][2]
    assert found[4][0] == "undecided"
    assert "no room" in found[4][2]


def test_windows_cover_the_passage_and_overlap(tmp_path: Path) -> None:
    """Whatever stands together in a quarter of a window stands together in one of them."""
    own = own_judge("--judge", f"nli:{nli_folder(tmp_path / 'm')}")
    encoder = open_tokenizer(own)  # type: ignore[arg-type]
    words = [f"w{number}" for number in range(500)]
    for n in (0, 1, 40, 59, 60, 61, 104, 105, 106, 500):
        pair = Pair(unit="u", passage=" ".join(words[:n]), claim="a b")
        windows = [window.text.split() for window in encoder.windows([pair])]
        assert all(len(window) <= 59 for window in windows)
        assert len(windows) == 1 or n > 59
        assert [word for window in windows for word in window][-1:] == words[:n][-1:]
        for start in range(n - 14):
            assert any(set(words[start : start + 14]) <= set(window) for window in windows)


async def test_what_else_is_in_the_batch_changes_nothing(tmp_path: Path, ledger: Path) -> None:
    """Longer texts beside it pad a row; the padding has large numbers that the mask takes away."""
    folder = nli_folder(tmp_path / "m")
    short = ("a yes b no c", "d e")
    alone = verdicts(await judged(folder, ledger, [short]), ledger, [short])
    others = [(" ".join(["a"] * n + ["no"]), "c") for n in range(1, 300, 7)]
    together = await judged(folder, ledger.with_name("l2"), [*others, short])
    assert verdicts(together, ledger.with_name("l2"), [short]) == alone
    assert together.verdicts == {"ok": len(others) + 1}


async def test_who_it_is_follows_from_what_is_in_the_folder(tmp_path: Path, ledger: Path) -> None:
    """A folder of another name is the same judge and judges nothing again; other weights, labels
    or tokens are another judge."""
    pairs = [("a yes", "c")]
    first = await judged(nli_folder(tmp_path / "m"), ledger, pairs)
    again = await judged(nli_folder(tmp_path / "n" / "other"), ledger, pairs)
    assert (first.judge.name, again.judge.name) == ("nli:m", "nli:other")
    assert first.judge.id == again.judge.id
    assert again.spend.judged_before == 1
    assert str(tmp_path) not in json.dumps(dict(first.judge.parameters))
    other = nli_folder(tmp_path / "m", LABELS[::-1])
    assert (await judged(other, ledger, pairs)).judge.id != first.judge.id
    changed = nli_folder(tmp_path / "m")
    (changed / "tokenizer.json").write_text((changed / "tokenizer.json").read_text() + "\n")
    assert (await judged(changed, ledger, pairs)).judge.id != first.judge.id


@pytest.mark.parametrize(
    ("values", "label"),
    [
        ({"SUPPORTED": 1.0, "NOT_SUPPORTED": 0.0}, "NOT_SUPPORTED"),
        ({"CORRECT": 1.0, "INCORRECT": 0.0}, "INCORRECT"),
        ({"YES": 1.0, "NO": 0.0}, "NO"),
    ],
)
async def test_a_contradiction_by_the_labels_that_are_offered(
    values: dict[str, float], label: str, tmp_path: Path, ledger: Path
) -> None:
    pairs = [("a no", "c")]
    done = await judged(nli_folder(tmp_path / "m"), ledger, pairs, values)
    assert verdicts(done, ledger, pairs)[0][1] == label


@pytest.mark.parametrize("labels", [("0", "1", "2"), ("YES", "MAYBE", "NO")])
async def test_other_labels_it_cannot_give(
    labels: tuple[str, ...], tmp_path: Path, ledger: Path
) -> None:
    values = {label: float(place) for place, label in enumerate(labels)}
    with pytest.raises(InputError, match="it cannot give"):
        await judged(nli_folder(tmp_path / "m"), ledger, [("a", "c")], values)


async def test_what_gives_no_number_is_that_units_failure(tmp_path: Path, ledger: Path) -> None:
    folder = nli_folder(tmp_path / "m", yes=np.nan)
    pairs = [("a yes", "c"), ("a no", "c")]
    done = await judged(folder, ledger, pairs)
    assert [row[0] for row in verdicts(done, ledger, pairs)] == ["failed", "ok"]
    assert done.spend.failures == {"the model gave no numbers": 1}


async def test_a_text_that_the_model_fails_on_does_not_end_the_run(
    tmp_path: Path, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = CrossEncoder.shares

    def failing(self: CrossEncoder, windows: Sequence[Window]) -> Numbers:
        if windows[0].unit:  # not when it is tried
            raise RuntimeError("index out of range")
        return shares(self, windows)

    monkeypatch.setattr(CrossEncoder, "shares", failing)
    pairs = [("a yes", "c")]
    done = await judged(nli_folder(tmp_path / "m"), ledger, pairs)
    assert verdicts(done, ledger, pairs) == [("failed", None, "the model gave no numbers")]


def test_a_model_that_looks_at_its_batch_is_given_each_row_alone(tmp_path: Path) -> None:
    """Weights that are quantised as they run take their scale from all that stands in a batch."""
    windows = [Window(unit=str(n), ids=[1] * n, types=[0] * n, text="") for n in (5, 3, 9, 3)]
    batches = {}
    for name in ("tiny", "DynamicQuantizeLinear"):
        own = own_judge("--judge", f"nli:{nli_folder(tmp_path / name, graph=name)}")
        model = open_cross_encoder(own)  # type: ignore[arg-type]
        batches[name] = [[w.unit for w in batch] for batch in model.batches(windows)]
    assert batches == {
        "tiny": [["3", "3", "5", "9"]],
        "DynamicQuantizeLinear": [["3"], ["3"], ["5"], ["9"]],
    }


@pytest.mark.parametrize("shape", [(1, 48), ("rows", 48)])
async def test_a_graph_of_a_fixed_length_is_given_that_length(
    shape: tuple[str | int, int], tmp_path: Path, ledger: Path
) -> None:
    """Short texts are padded, long ones read in windows that fit; the labels are those of the same
    model with free axes, and the user hears of it."""
    pairs = [
        ("a yes b", "c d"),
        ("a no", "c"),
        (f"{UNSURE} {UNSURE} {UNSURE} yes", "c"),
        ("a", "c"),
    ]
    free = await judged(nli_folder(tmp_path / "free"), ledger, pairs)
    fixed = await judged(nli_folder(tmp_path / "fixed", shape=shape), ledger, pairs)
    labels = [label for _, label, _ in verdicts(free, ledger, pairs)]
    assert [label for _, label, _ in verdicts(fixed, ledger, pairs)] == labels
    assert labels == ["SUPPORTED", "CONTRADICTED", "SUPPORTED", "NOT_SUPPORTED"]
    assert not free.spend.notes
    assert "exported for 48 tokens alone" in fixed.spend.notes[0]


@pytest.mark.parametrize(
    ("shape", "message"),
    [((4, 48), "the fixed shape [4, 48]"), ((1, 12), "reads only 12 tokens at once")],
)
async def test_a_graph_of_a_shape_that_no_pair_fits_is_refused(
    shape: tuple[int, int], message: str, tmp_path: Path, ledger: Path
) -> None:
    with pytest.raises(InputError) as caught:
        await judged(nli_folder(tmp_path / "m", shape=shape), ledger, [("a yes", "c")])
    assert message in str(caught.value)


def without(*names: str) -> Callable[[Path], None]:
    """Takes files away from a folder."""

    def take(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return take


def with_file(name: str, content: str | bytes) -> Callable[[Path], None]:
    """Writes another file into a folder."""

    def write(folder: Path) -> None:
        data = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(data)

    return write


def with_labels(*labels: str) -> Callable[[Path], None]:
    """Writes a configuration with such labels."""
    names = {str(number): label for number, label in enumerate(labels)}
    return with_file("config.json", json.dumps({"id2label": names}))


def cut_off(folder: Path) -> None:
    """Leaves half of the weights."""
    content = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(content[: len(content) // 2])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (without("tokenizer.json"), "no tokenizer.json. A cross-encoder has"),
        (without("config.json", "tokenizer.json"), "no config.json and no tokenizer.json"),
        (without("model.onnx"), "no weights: no model.onnx and no *.safetensors"),
        (with_file("config.json", "{"), "config.json, column 2: "),
        (with_file("config.json", "[" * 99_999), "config.json: nested too deeply"),
        (with_file("config.json", "[]"), "config.json is no JSON object"),
        (with_file("config.json", "{}"), "config.json has no id2label"),
        (with_labels("LABEL_0", "LABEL_1", "LABEL_2"), "names LABEL_0, LABEL_1, LABEL_2: which"),
        (with_labels("entailment", "entailed", "neutral"), "which of the model's numbers"),
        (with_labels("neutral", "contradiction"), "which of the model's numbers"),
        (with_labels("entailment"), "which of the model's numbers"),
        (with_labels("entailment", "not_entailment"), "numbers of shape (1, 3) for one pair"),
        (with_file("tokenizer.json", "{}"), "tokenizer.json is no tokenizer"),
        (with_file("model.onnx", b"no model"), "no model that ONNX Runtime can load"),
        (with_file("model.onnx", b""), "no model that ONNX Runtime can load"),
        (cut_off, "no model that ONNX Runtime can load"),
    ],
)
async def test_a_folder_that_cannot_be_used_says_why(
    spoil: Callable[[Path], None], message: str, tmp_path: Path, ledger: Path
) -> None:
    folder = nli_folder(tmp_path / "m")
    spoil(folder)
    with pytest.raises(InputError) as caught:
        await judged(folder, ledger, [("a yes", "c")])
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"--judge nli:{folder}: ")


@pytest.mark.parametrize("data", ["numbers.bin", f"{'n' * 200}.data"])
async def test_numbers_in_a_file_of_any_name_are_part_of_the_judge(
    data: str, tmp_path: Path, ledger: Path
) -> None:
    pairs = [("a yes", "c")]
    folder = nli_folder(tmp_path / "m", data=data)
    done = await judged(folder, ledger, pairs)
    assert verdicts(done, ledger, pairs)[0][1] == "SUPPORTED"
    graph = (folder / "model.onnx").read_bytes()
    nli_folder(folder, data=data, yes=-9.0)
    assert (folder / "model.onnx").read_bytes() == graph
    other = await judged(folder, ledger, pairs)
    assert other.judge.id != done.judge.id
    assert verdicts(other, ledger, pairs)[0][1] != "SUPPORTED"


async def test_a_graph_with_other_inputs_is_refused(tmp_path: Path, ledger: Path) -> None:
    folder = nli_folder(tmp_path / "m", inputs=(*INPUTS, "pixel_values"))
    with pytest.raises(InputError, match=r"takes input_ids, .*pixel_values"):
        await judged(folder, ledger, [("a yes", "c")])


async def test_types_and_the_place_of_the_graph_may_differ(tmp_path: Path, ledger: Path) -> None:
    """Models without types are fed none; the graph may lie in `onnx/`, or be named among several.

    Without types the claim counts too, so that `no` in it is read.
    """
    folder = nli_folder(tmp_path / "m", inputs=INPUTS[:2])
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model_a.onnx")
    pairs = [("a yes", "no no")]
    done = await judged(folder, ledger, pairs)
    assert verdicts(done, ledger, pairs)[0][1] == "CONTRADICTED"
    typed = nli_folder(tmp_path / "n") / "model.onnx"
    typed.rename(folder / "onnx" / "model_b.onnx")
    with pytest.raises(InputError, match=r"has onnx/model_a\.onnx, onnx/model_b\.onnx\. Name one"):
        await judged(folder, ledger, pairs)
    done = await judged(folder / "onnx" / "model_b.onnx", ledger, pairs)
    assert verdicts(done, ledger, pairs)[0][1] == "SUPPORTED"


def test_what_is_no_folder_is_told() -> None:
    with pytest.raises(InputError, match=r"there is no such folder.*nothing is downloaded"):
        own_judge("--judge", "nli:cross-encoder/nli-deberta-v3-base")


async def test_weights_of_transformers_need_transformers(
    tmp_path: Path, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    folder = nli_folder(tmp_path / "m")
    (folder / "model.onnx").rename(folder / "model.safetensors")
    with pytest.raises(InputError, match=r"no model\.onnx, and transformers with torch is not"):
        await judged(folder, ledger, [("a yes", "c")])


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
async def test_a_missing_package_names_the_extra(
    package: str, tmp_path: Path, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = nli_folder(tmp_path / "m")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"needs the package {package}: .*factmark\[nli\]"):
        await judged(folder, ledger, [("a yes", "c")])
