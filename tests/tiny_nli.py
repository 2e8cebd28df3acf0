"""A tiny cross-encoder for entailment as a folder, made in a few milliseconds.

Its numbers for a pair are sums over the tokens of the passage (type 0) that are not padding: of a
small random number for each word, and of a large one for `yes` (entailment) and `no`
(contradiction). So it is clear what it says of a text, and a wrong mask, type or order of labels
changes that. The ONNX file is written byte by byte, as the package `onnx` would write it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

LABELS = ("contradiction", "entailment", "neutral")
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "yes", "no", *"abcdefghijklmnopqrstuvwxyz")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_INT64, _FLOAT = 7, 1  # types of tensors in ONNX


def nli_folder(
    folder: Path,
    labels: Sequence[str] = LABELS,
    *,
    yes: float = 6.0,
    graph: str = "tiny",
    inputs: Sequence[str] = INPUTS,
    data: str = "",
    shape: Sequence[str | int] = ("rows", "tokens"),
) -> Path:
    """Writes a cross-encoder with such labels, in their order.

    Args:
        yes: the number of the word `yes` for entailment.
        graph: its name.
        inputs: that it has; those of `INPUTS` are used.
        data: the file beside it that holds the numbers of the words; empty for none.
        shape: of the inputs; names are free.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = {str(number): label for number, label in enumerate(labels)}
    settings = {"id2label": names, "max_position_embeddings": 64}
    (folder / "config.json").write_text(json.dumps(settings))
    _tokenizer().save(str(folder / "tokenizer.json"))
    weights = _weights(labels, yes)
    (folder / "model.onnx").write_bytes(_model(weights, graph, inputs, data, shape))
    if data:
        (folder / data).write_bytes(weights.tobytes())
    return folder


def _tokenizer() -> Tokenizer:
    ids = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", ids["[CLS]"]), ("[SEP]", ids["[SEP]"])],
    )
    return tokenizer


def _weights(labels: Sequence[str], yes: float) -> np.ndarray:
    """The number of each word for each label: without `yes` and `no` neither is likely."""
    weights = np.random.default_rng(0).normal(0, 0.001, (len(WORDS), len(labels)))
    for number, label in enumerate(label.lower() for label in labels):
        weights[WORDS.index("yes"), number] = yes if label.startswith("entail") else 0.0
        weights[WORDS.index("no"), number] = 6.0 * label.startswith("contra")
        weights[WORDS.index("[CLS]"), number] = 2.0 * (label in ("neutral", "not_entailment"))
    weights[WORDS.index("[PAD]")] = 9.0  # which a mask takes away
    weights[WORDS.index("[PAD]"), 0] = -9.0
    return weights.astype(np.float32)


def _model(
    weights: np.ndarray,
    name: str,
    inputs: Sequence[str],
    data: str,
    shape: Sequence[str | int],
) -> bytes:
    """logits = sum over tokens of W[input_ids] * (attention_mask * (1 - token_type_ids))."""
    nodes = [_node("Gather", ["W", "input_ids"], "rows")]
    mask = "attention_mask"
    if "token_type_ids" in inputs:
        nodes.append(_node("Sub", ["one", "token_type_ids"], "first"))
        nodes.append(_node("Mul", ["attention_mask", "first"], "mask"))
        mask = "mask"
    nodes += [
        _node("Cast", [mask], "float_mask", to=_FLOAT),
        _node("Unsqueeze", ["float_mask", "last"], "wide_mask"),
        _node("Mul", ["rows", "wide_mask"], "masked"),
        _node("ReduceSum", ["masked", "second"], "logits", keepdims=0),
    ]
    tensors = [
        _tensor("W", weights, data),
        _tensor("one", np.ones(1, np.int64)),
        _tensor("last", np.full(1, 2, np.int64)),
        _tensor("second", np.ones(1, np.int64)),
    ]
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, name.encode())
    graph += b"".join(_field(5, tensor) for tensor in tensors)
    graph += b"".join(_field(11, _value(given, _INT64, shape)) for given in inputs)
    graph += _field(12, _value("logits", _FLOAT, (shape[0], weights.shape[1])))
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, b"") + _field(2, 13))


def _node(kind: str, inputs: Sequence[str], output: str, **attributes: int) -> bytes:
    named = [
        _field(1, name.encode()) + _field(3, value) + _field(20, 2)
        for name, value in attributes.items()
    ]
    parts = [*(_field(1, name.encode()) for name in inputs), _field(2, output.encode())]
    return b"".join((*parts, _field(4, kind.encode()), *(_field(5, text) for text in named)))


def _tensor(name: str, values: np.ndarray, data: str = "") -> bytes:
    kind = _INT64 if values.dtype == np.int64 else _FLOAT
    shape = b"".join(_field(1, size) for size in values.shape)
    head = shape + _field(2, kind) + _field(8, name.encode())
    if data:
        place = _field(1, b"location") + _field(2, data.encode())
        return head + _field(13, place) + _field(14, 1)
    return head + _field(9, values.tobytes())


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    sizes = (
        _field(1, size) if isinstance(size, int) else _field(2, size.encode()) for size in shape
    )
    dimensions = b"".join(_field(1, size) for size in sizes)
    return _field(1, name.encode()) + _field(2, _field(1, _field(1, kind) + _field(2, dimensions)))


def _field(number: int, value: int | bytes) -> bytes:
    """A field of a protobuf message: a whole number, or bytes with their length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
