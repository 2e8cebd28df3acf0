"""A cross-encoder's numbers for rows of tokens: by ONNX Runtime, or by transformers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factmark.ask.weights.nli_folder import NliFolder
from factmark.ask.weights.nli_windows import Window
from factmark.ask.weights.weight_files import usable_cores
from factmark.errors import InputError

_TOKENS = 4_096  # in a batch, the padding among them
_DYNAMIC = b"DynamicQuantizeLinear"  # with it, a row's numbers depend on the others in its batch
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossEncoder:
    """A loaded model.

    Attributes:
        numbers: given ids, mask and types, of shape (rows, tokens), returns (rows, labels).
        alone: whether each row is to be given by itself.
        length: the tokens that each row must have, shorter ones padded; None where any will do.
    """

    numbers: Callable[[Integers, Integers, Integers], NDArray[Any]]
    alone: bool = False
    length: int | None = None

    def batches(self, windows: Iterable[Window]) -> Iterator[list[Window]]:
        """Yields windows of like length together, so many that a batch is of bounded size."""
        batch: list[Window] = []
        for window in sorted(windows, key=lambda window: len(window.ids)):
            if batch and (self.alone or (len(batch) + 1) * len(window.ids) > _TOKENS):
                yield batch
                batch = []
            batch.append(window)
        if batch:
            yield batch

    def shares(self, windows: Sequence[Window]) -> Numbers:
        """The probability of each label for each window, rounded; shape (windows, labels)."""
        longest = self.length or max(len(window.ids) for window in windows)
        ids, mask, types = (np.zeros((len(windows), longest), np.int64) for _ in _INPUTS)
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            types[row, : len(window.ids)] = window.types
            mask[row, : len(window.ids)] = 1
        numbers = np.asarray(self.numbers(ids, mask, types), np.float64)
        powers = np.exp(numbers - numbers.max(axis=1, keepdims=True))
        shares: Numbers = powers / powers.sum(axis=1, keepdims=True)
        return shares.round(4)


def open_cross_encoder(folder: NliFolder) -> CrossEncoder:
    """Returns the model, loaded.

    Raises:
        InputError: it cannot be loaded, is no such model, or a package is not installed.
    """
    if folder.model is None:
        return _by_transformers(folder)
    return _by_onnx(folder)


def try_cross_encoder(folder: NliFolder, model: CrossEncoder, trial: Window) -> None:
    """Tries a model on a window.

    Raises:
        InputError: it cannot be run, or gives other numbers than its labels need.
    """
    try:
        shape = model.shares([trial]).shape
    except Exception as error:  # whatever the package and the model do
        raise InputError(f"{folder.option}: cannot be run: {_first_line(error)}") from error
    if shape != (1, len(folder.labels)):
        raise InputError(
            f"{folder.option}: the model gives numbers of shape {shape} for one pair, where "
            f"config.json names {len(folder.labels)} labels: these files do not go together."
        )


def _by_onnx(folder: NliFolder) -> CrossEncoder:
    """Returns a model that ONNX Runtime runs, on all cores."""
    try:
        import onnxruntime
    except ImportError as error:
        raise InputError(
            f"{folder.option}: needs the package onnxruntime: pip install 'factmark[nli]'."
        ) from error
    path = folder.model or folder.config
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = usable_cores()
    options.log_severity_level = 4  # what goes wrong is raised
    try:
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # of kinds that the package does not list
        raise InputError(
            f"{folder.option}: {path} is no model that ONNX Runtime can load: {_first_line(error)}"
        ) from error
    inputs = {entry.name: entry for entry in session.get_inputs()}
    outputs = [entry.name for entry in session.get_outputs()]
    if "input_ids" not in inputs or not set(inputs) <= set(_INPUTS):
        raise InputError(
            f"{folder.option}: {path} takes {', '.join(inputs)}: a cross-encoder takes input_ids, "
            "attention_mask and token_type_ids, or some of them."
        )
    output = "logits"
    if "logits" not in outputs:
        output = outputs[0]
    kinds = {}
    for name, entry in inputs.items():
        kinds[name] = np.int32 if "int32" in entry.type else np.int64

    def numbers(*given: Integers) -> NDArray[Any]:
        fed = {}
        for name, values in zip(_INPUTS, given, strict=True):
            if name in kinds:
                fed[name] = values.astype(kinds[name])
        result: NDArray[Any] = session.run([output], fed)[0]
        return result

    rows, length = _fixed_shape(folder, path, inputs["input_ids"].shape)
    return CrossEncoder(numbers=numbers, alone=rows == 1 or _is_dynamic(path), length=length)


def _fixed_shape(
    folder: NliFolder, path: Path, shape: Sequence[object]
) -> tuple[int | None, int | None]:
    """Returns the numbers of rows and of tokens that a graph takes; None where any will do.

    Raises:
        InputError: no pair can be given to it so.
    """
    fixed = [size if isinstance(size, int) else None for size in shape]
    if len(fixed) == 2 and fixed[0] in (None, 1):
        return fixed[0], fixed[1]
    raise InputError(
        f"{folder.option}: {path} takes input_ids of the fixed shape {list(shape)}: some rows of "
        "tokens, one or any number at once. Export it with free axes (dynamic_axes) for rows and "
        "tokens."
    )


def _by_transformers(folder: NliFolder) -> CrossEncoder:
    """Returns a model that transformers runs, on a GPU where torch has one."""
    try:
        import torch
        from transformers import AutoModelForSequenceClassification
    except ImportError as error:
        raise InputError(
            f"{folder.option}: the folder has no model.onnx, and transformers with torch is not "
            "installed. Export the model as ONNX into the folder, or pip install transformers "
            "torch."
        ) from error
    where = "cpu"
    if torch.cuda.is_available():
        where = "cuda"
    torch.set_num_threads(usable_cores())
    try:
        model = AutoModelForSequenceClassification.from_pretrained(
            str(folder.config.parent), local_files_only=True
        )
        model = model.eval().to(where)
    except Exception as error:  # its own, torch's, those of the formats
        raise InputError(
            f"{folder.option}: is no model that transformers can load: {_first_line(error)}"
        ) from error
    takes_types = getattr(model.config, "type_vocab_size", 0) > 0

    def numbers(ids: Integers, mask: Integers, types: Integers) -> NDArray[Any]:
        fed = {"input_ids": ids, "attention_mask": mask}
        if takes_types:
            fed["token_type_ids"] = types
        with torch.inference_mode():
            given = {}
            for name, values in fed.items():
                given[name] = torch.from_numpy(values).to(where)
            result: NDArray[Any] = model(**given).logits.float().cpu().numpy()
        return result

    return CrossEncoder(numbers=numbers)


def _is_dynamic(path: Path) -> bool:
    """Whether a model is quantised by what stands in its batch."""
    last = b""
    with path.open("rb") as file:
        while block := file.read(2**20):
            if _DYNAMIC in last + block:
                return True
            last = block[-len(_DYNAMIC) :]
    return False


def _first_line(error: Exception) -> str:
    """Returns what an error says, on one short line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
