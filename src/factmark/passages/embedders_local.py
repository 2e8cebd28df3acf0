"""Embedders on this machine: static vectors, sentence transformers, a function of the user's own.

Each runs in a thread, one call at a time. A package that is missing names its installation.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from factmark.errors import InputError
from factmark.model import content_hash
from factmark.passages.vectors import Floats

_WEIGHTS = {".safetensors", ".bin", ".json", ".txt", ".model"}


class LocalEmbedder:
    """Vectors from a function in this process.

    Args:
        encode: takes a list of texts, gives a table of numbers with a row for each.
    """

    def __init__(self, identity: str, encode: Callable[[list[str]], Any]) -> None:
        self._identity, self._encode = identity, encode
        self._turn = asyncio.Lock()

    @property
    def identity(self) -> str:
        """What could change the vectors."""
        return self._identity

    async def embed(self, texts: Sequence[str]) -> Floats:
        """A vector per text; see `Embedder`."""
        async with self._turn:
            return await asyncio.to_thread(self._run, list(texts))

    async def close(self) -> None:
        """Nothing to give back."""

    def _run(self, texts: list[str]) -> Floats:
        try:
            return np.asarray(self._encode(texts), dtype=np.float32)
        except (Exception, SystemExit) as error:  # whatever a model or the user's code does
            raise InputError(
                f"--embedder {self._identity}: failed: {type(error).__name__}: {error}"
            ) from error


def local_model(kind: str, name: str) -> LocalEmbedder:
    """The model that `model2vec:PATH` or `sentence-transformers:NAME` names, loaded.

    Raises:
        InputError: its package is missing, or it cannot be loaded.
    """
    if not name.strip():
        raise InputError(f"--embedder {kind}: name the model: {kind}:NAME_OR_PATH.")
    load = {"model2vec": _model2vec, "sentence-transformers": _sentence_transformer}[kind]
    identity = f"{kind}:{_shown(name)}"
    encode = load(name)
    return LocalEmbedder(identity, encode)


def _model2vec(name: str) -> Callable[[list[str]], Any]:
    try:
        from model2vec import StaticModel
    except ImportError as error:
        raise InputError(
            f'--embedder model2vec:{name}: model2vec is not installed: pip install "factmark[rag]".'
        ) from error
    try:
        model = StaticModel.from_pretrained(name)
    except Exception as error:  # its own, its tokenizer's, the hub's
        raise InputError(f"--embedder model2vec:{name}: {_cannot_load(error)}") from error
    return lambda texts: model.encode(texts, use_multiprocessing=False)


def _sentence_transformer(name: str) -> Callable[[list[str]], Any]:
    try:
        package = importlib.import_module("sentence_transformers")
    except ImportError as error:
        raise InputError(
            f"--embedder sentence-transformers:{name}: sentence-transformers is not installed: "
            "pip install sentence-transformers."
        ) from error
    try:
        model = package.SentenceTransformer(name)
    except Exception as error:  # its own, torch's, the hub's
        raise InputError(
            f"--embedder sentence-transformers:{name}: {_cannot_load(error)}"
        ) from error
    return lambda texts: model.encode(texts, show_progress_bar=False, convert_to_numpy=True)


def _cannot_load(error: Exception) -> str:
    told = " ".join(str(error).split())[:200]
    return f"cannot be loaded ({type(error).__name__}: {told}). Check the name or the path."


def _shown(name: str) -> str:
    """A model as it may stand in signatures: of a folder its own name and what its files hold."""
    path = Path(name)
    if not path.is_dir():
        return name
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.is_file() and file.suffix in _WEIGHTS:
            digest.update(f"{file.relative_to(path)}\n".encode())
            with file.open("rb") as opened:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
    return f"{path.resolve().name}@{digest.hexdigest()[:12]}"


def own_function(name: str) -> LocalEmbedder:
    """The user's own function, named `module:function`: a list of texts to a table of numbers.

    Raises:
        InputError: there is no such function; and later, by `embed`, if it fails.
    """
    module_name, _, function_name = name.partition(":")
    here = os.getcwd()  # noqa: PTH109  # a text for sys.path
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
        function = getattr(module, function_name)
        source = inspect.getsource(module)
    except (Exception, SystemExit) as error:  # whatever the user's module does when it is loaded
        raise InputError(
            f"--embedder {name}: {type(error).__name__}: {error}. Give lexical, openai:MODEL, "
            "sentence-transformers:NAME, model2vec:PATH, or your own module:function."
        ) from error
    if not callable(function):
        raise InputError(f"--embedder {name}: is no function.")
    return LocalEmbedder(f"{name}@{content_hash(source)[:12]}", function)
