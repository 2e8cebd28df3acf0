"""The folder of a cross-encoder for entailment: which files it has, and what its numbers mean.

It holds what models are published with: `config.json`, whose `id2label` says what each number of
the model means, `tokenizer.json`, and the weights as ONNX or as transformers reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from os.path import isfile
from pathlib import Path

from factmark.ask.weights.weight_files import file_hash
from factmark.errors import InputError
from factmark.evaluated.words import field_label
from factmark.files.text_files import json_value, read_text
from factmark.label_values import NOT_SUPPORTED, SUPPORT_LABELS, SUPPORTED
from factmark.model import content_hash

PREFIX = "nli:"
_LONGEST = 512  # tokens; longer windows cost more and are what few such models were trained on
_ONNX = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
_EXTERNAL = re.compile(rb"\x0a\x08location\x12([\x01-\x7f]|[\x80-\xff][\x01-\x7f])")
"""How ONNX begins to name a file of a tensor's numbers: the key, and the length of the name."""
_OTHER_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")


@dataclass(frozen=True, slots=True, kw_only=True)
class NliFolder:
    """A cross-encoder for entailment that can be loaded.

    Attributes:
        option: by which it was named, for messages: `--judge nli:FOLDER`.
        name: of the folder.
        config, tokenizer: the files.
        model: the file with the ONNX graph; None where transformers reads the folder.
        labels: what each of the model's numbers says, of `SUPPORT_LABELS`.
        longest: the most tokens that it reads at once.
        weights: the hash of what is in the files; their names and places are not in it.
    """

    option: str
    name: str
    config: Path
    tokenizer: Path
    model: Path | None
    labels: tuple[str, ...]
    longest: int
    weights: str


def names_nli_folder(text: str) -> bool:
    """Returns whether a text is meant as `nli:FOLDER`."""
    return text.startswith(PREFIX)


def read_nli_folder(option: str, text: str) -> NliFolder:
    """Returns the cross-encoder that `nli:FOLDER`, or `nli:FOLDER/FILE.onnx`, names. The weights
    are hashed, and not loaded yet.

    Raises:
        InputError: there is no such folder, a file is missing, or `config.json` does not say what
            the model's numbers mean.
    """
    option = f"{option} {text}"
    path = Path(text.removeprefix(PREFIX)).expanduser()
    named = None
    if path.suffix == ".onnx" and path.is_file():
        named = path
    if named is None:
        folder = path
    else:
        folder = _folder_of(path)
    if not folder.is_dir():
        raise InputError(
            f"{option}: there is no such folder. Give the folder with the model's files; nothing "
            "is downloaded."
        )
    config = folder / "config.json"
    tokenizer = folder / "tokenizer.json"
    missing = []
    for file in (config, tokenizer):
        if not file.is_file():
            missing.append(file.name)
    if missing:
        raise InputError(
            f"{option}: the folder has no {' and no '.join(missing)}. A cross-encoder has "
            "config.json, tokenizer.json and its weights (model.onnx, or *.safetensors)."
        )
    settings = _settings(option, config)
    model = named or _onnx_file(option, folder)
    files = list(_weight_files(folder, model))
    if not files:
        raise InputError(
            f"{option}: the folder has no weights: no model.onnx and no *.safetensors."
        )
    hashes = [file_hash(file) for file in (config, tokenizer, *files)]
    return NliFolder(
        option=option,
        name=folder.resolve().name,
        config=config,
        tokenizer=tokenizer,
        model=model,
        labels=_labels_in(option, settings),
        longest=_longest(settings),
        weights=content_hash(hashes),
    )


def _folder_of(model: Path) -> Path:
    """Returns the folder that an ONNX file belongs to: its own, or the one above it."""
    if (model.parent / "config.json").is_file():
        return model.parent
    return model.parent.parent


def _onnx_file(option: str, folder: Path) -> Path | None:
    """Returns the ONNX file of a folder, None if it has none; InputError where it has several and
    none is the usual one."""
    usual = next((folder / name for name in _ONNX if (folder / name).is_file()), None)
    others = sorted((*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")))
    if usual is None and len(others) > 1:
        names = ", ".join(str(file.relative_to(folder)) for file in others)
        raise InputError(f"{option}: the folder has {names}. Name one: {option}/{others[0].name}")
    return usual or (others[0] if others else None)


def _weight_files(folder: Path, model: Path | None) -> Iterator[Path]:
    """Yields the files that hold the weights, in one order whatever the folder is called."""
    if model is None:
        kinds = ([*sorted(folder.glob(pattern))] for pattern in _OTHER_WEIGHTS)
        yield from next((files for files in kinds if files), ())
    else:
        yield model
        yield from sorted(_external_files(model))


def _external_files(model: Path) -> set[Path]:
    """Returns the files beside an ONNX file that hold its numbers, whatever they are called."""
    files: set[Path] = set()
    with model.open("rb") as file:
        if not file.read(1):
            return files
        with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            for match in _EXTERNAL.finditer(data):
                size = match[1]  # seven bits a byte, the low ones first
                if len(size) == 1:
                    length = size[0]
                else:
                    length = size[0] - 128 + size[1] * 128
                name = data[match.end() : match.end() + length].decode(errors="replace")
                place = model.parent / name
                if isfile(place):  # noqa: PTH113  # False also for what can be no name
                    files.add(place)
    return files


def _settings(option: str, config: Path) -> Mapping[str, object]:
    """Returns what `config.json` holds; InputError where it is no JSON object."""
    settings = json_value(f"{option}: config.json", read_text(config))
    if not isinstance(settings, dict):
        raise InputError(f"{option}: config.json is no JSON object.")
    return settings


def _labels_in(option: str, settings: Mapping[str, object]) -> tuple[str, ...]:
    """Returns what each of the model's numbers says, by `id2label`, or `label2id`."""
    names = _label_names(settings)
    labels = [field_label(name, SUPPORT_LABELS) for name in names]
    if len(names) == 2:  # the other one says that nothing follows, whatever it is called
        labels = [SUPPORTED if label == SUPPORTED else label and NOT_SUPPORTED for label in labels]
    if not 2 <= len(names) <= 3 or None in labels or len(set(labels)) < len(labels):
        named = "has no id2label"
        if names:
            named = f"names {', '.join(map(str, names))}"
        raise InputError(
            f"{option}: config.json {named:.200}: which of the model's numbers is entailment? "
            'Write "id2label" there with entailment, neutral and contradiction, or entailment and '
            "not_entailment, in the order of the numbers."
        )
    return tuple(str(label) for label in labels)


def _label_names(settings: Mapping[str, object]) -> Sequence[object]:
    """Returns the names of the model's numbers, in their order; none where they are not told."""
    by_id = settings.get("id2label")
    by_label = settings.get("label2id")
    if not isinstance(by_id, dict) and isinstance(by_label, dict):
        by_id = {str(number): label for label, number in by_label.items()}
    if not isinstance(by_id, dict):
        return ()
    numbered = {str(number): label for number, label in by_id.items()}
    in_order = [str(number) for number in range(len(numbered))]
    if set(in_order) == set(numbered):
        return [numbered[number] for number in in_order]
    return ()


def _longest(settings: Mapping[str, object]) -> int:
    """Returns the most tokens that are read at once."""
    positions = settings.get("max_position_embeddings")
    known = isinstance(positions, int) and positions > 0
    if known:
        return min(_LONGEST, int(str(positions)))
    return _LONGEST
