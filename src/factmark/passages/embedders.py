"""Embedders: what turns texts into vectors, named on the command line.

lexical                         no vectors: words alone, offline; the default
openai:MODEL and its kin        any server with /v1/embeddings
sentence-transformers:NAME      a local model, by name or path
model2vec:PATH                  local static vectors
MODULE:FUNCTION                 your own
lexical+ANY                     words and vectors, their rankings fused
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from factmark.errors import EndpointError, InputError
from factmark.http.addresses import add_secrets_of_environment
from factmark.passages.vectors import Floats, faiss_module, to_unit_length
from factmark.redaction import redacted

LEXICAL = "lexical"
_BATCH = 512
_GIVE = (
    "Give lexical, openai:MODEL (or gemini:, azure:, openrouter:, ollama:, vllm:), "
    "sentence-transformers:NAME, model2vec:PATH, your own module:function, or lexical+ one of "
    "these."
)
_WEIGHTS = {".safetensors", ".bin", ".json", ".txt", ".model"}


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def identity(self) -> str:
        """A name for all that could change the vectors: never a credential or a path."""

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Returns a vector per text, shape (n, d) of float32; d is the same in every call.

        Raises:
            EndpointError: a server that is gone or does not answer as it should.
            InputError: the model cannot be used.
        """

    async def close(self) -> None:
        """Closes connections; may be called twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How an index is searched: by words, by vectors, or by both.

    Attributes:
        embedder: None where only words count.
    """

    lexical: bool = True
    embedder: Embedder | None = None

    @property
    def identity(self) -> str:
        """The way of searching as it stands in a manifest and in signatures."""
        parts = []
        if self.lexical:
            parts = [LEXICAL]
        return "+".join(parts + ([self.embedder.identity] if self.embedder else []))

    async def close(self) -> None:
        """Closes the embedder."""
        if self.embedder is not None:
            await self.embedder.close()


def open_search(
    name: str = LEXICAL, *, base_url: str | None = None, key_env: str | None = None
) -> Search:
    """Returns the way of searching that `--embedder NAME` means.

    Args:
        base_url: of `openai:` and its kin, another server.
        key_env: of these, the environment variable that holds the key.

    Raises:
        InputError: there is no such embedder, a package that it needs is missing, or the options
            do not go with it.
    """
    from factmark.ask.model_spec import names_model

    rest = name.removeprefix(f"{LEXICAL}+")
    kind, colon, model = rest.partition(":")
    served = names_model(rest)
    if rest != LEXICAL and not colon:
        raise InputError(f"--embedder {name}: there is no such embedder. {_GIVE}")
    if (base_url or key_env) and not served:
        raise InputError(
            f"--base-url and --key-env are for embedders behind a server, such as openai:MODEL; "
            f"{name} asks none."
        )
    if rest == LEXICAL:
        return Search()
    faiss_module()  # what is missing is told before a model is loaded
    if served:
        from factmark.passages.embedders_http import HttpEmbedder

        embedder: Embedder = HttpEmbedder.named(rest, base_url=base_url, key_env=key_env)
    else:
        if kind in _LOADERS:
            embedder = local_embedder(kind, model)
        else:
            embedder = _own_function(rest)
    return Search(lexical=rest != name, embedder=embedder)


class LocalEmbedder:
    """Vectors from a function in this process.

    Args:
        encode: takes a list of texts, gives a table of numbers with a row for each.
    """

    def __init__(self, identity: str, encode: Callable[[list[str]], Any]) -> None:
        self.identity = identity
        self._encode = encode
        self._turn = asyncio.Lock()

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Returns a vector per text; see `Embedder`."""
        async with self._turn:
            return await asyncio.to_thread(self.vectors, texts)

    async def close(self) -> None:
        """Does nothing: a local model holds no connection."""

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Returns a vector per text at once; InputError for whatever goes wrong in the model."""
        try:
            return np.asarray(self._encode(list(texts)), dtype=np.float32)
        except (Exception, SystemExit) as error:  # whatever a model or the user's code does
            raise InputError(
                f"--embedder {self.identity}: failed: {type(error).__name__}: {error}"
            ) from error


def local_embedder(kind: str, name: str) -> LocalEmbedder:
    """Returns the model that `model2vec:PATH` or `sentence-transformers:NAME` names, loaded;
    InputError where it cannot be."""
    if not name.strip():
        raise InputError(f"--embedder {kind}: name the model: {kind}:NAME_OR_PATH.")
    load, install = _LOADERS[kind]
    add_secrets_of_environment()
    try:
        encode = load(name)
    except ImportError as error:
        raise InputError(
            f"--embedder {kind}:{name}: {kind} is not installed: pip install {install}."
        ) from error
    except Exception as error:  # its own, its tokenizer's, torch's, the hub's
        reason = " ".join(redacted(str(error)).split())[:200]
        raise InputError(
            f"--embedder {kind}:{name}: cannot be loaded ({type(error).__name__}: {reason}). "
            "Check the name or the path."
        ) from error
    return LocalEmbedder(f"{kind}:{_shown_model(name)}", encode)


def _model2vec(name: str) -> Callable[[list[str]], Any]:
    """Returns the function from texts to vectors of a model2vec model."""
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(name)
    # Processes forked from one that has threads and an event loop can hang.
    return lambda texts: model.encode(texts, use_multiprocessing=False)


def _sentence_transformer(name: str) -> Callable[[list[str]], Any]:
    """Returns the function from texts to vectors of a sentence-transformers model."""
    package = importlib.import_module("sentence_transformers")
    model = package.SentenceTransformer(name)
    return lambda texts: model.encode(texts, show_progress_bar=False, convert_to_numpy=True)


_LOADERS = {
    "model2vec": (_model2vec, '"factmark[rag]"'),
    "sentence-transformers": (_sentence_transformer, "sentence-transformers"),
}
"""Of each package for local models, what loads one and what installs it."""


def _shown_model(name: str) -> str:
    """Returns a model's name for signatures: of a folder its own name and a hash of its files."""
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


def _own_function(name: str) -> LocalEmbedder:
    """Returns the user's own function, named `module:function`, as an embedder."""
    from factmark.ask.judges.own_function import load_function

    function = load_function("--embedder", name, _GIVE)
    return LocalEmbedder(f"{name}@{function.source[:12]}", function.call)


async def unit_vectors(
    embedder: Embedder,
    texts: Sequence[str],
    *,
    dimensions: int = 0,
    zeros: bool = False,
    step: Callable[[int], None] = lambda _done: None,
) -> Floats:
    """Returns the vectors of some texts, brought to length 1, shape (n, d).

    Args:
        dimensions: that the vectors must have; 0 for any.
        zeros: whether a zero vector may be: of a question without a known word.
        step: called with how many texts are done.

    Raises:
        EndpointError, InputError: as `Embedder.embed`; and where what came back is no such vectors.
    """
    parts: list[Floats] = []
    for start in range(0, len(texts), _BATCH):
        batch = texts[start : start + _BATCH]
        vectors = await embedder.embed(batch)
        problem = _fault_of_vectors(vectors, len(batch), dimensions, zeros)
        if problem:
            raise EndpointError(f"{embedder.identity} {problem}. Choose another embedder.")
        dimensions = int(vectors.shape[1])
        parts.append(to_unit_length(vectors))
        step(start + len(batch))
    if parts:
        return np.concatenate(parts)
    return np.zeros((0, dimensions), np.float32)


def _fault_of_vectors(vectors: object, texts: int, dimensions: int, zeros: bool) -> str:
    """Returns what is wrong with vectors; empty where nothing is."""
    if not isinstance(vectors, np.ndarray) or vectors.ndim != 2 or vectors.dtype.kind != "f":
        return "gave no table of numbers"
    if len(vectors) != texts:
        return f"gave {len(vectors)} vectors for {texts} texts"
    if not vectors.shape[1] or (dimensions and vectors.shape[1] != dimensions):
        wanted = ""
        if dimensions:
            wanted = f"; the others have {dimensions}"
        return f"gave vectors of {vectors.shape[1]} dimensions{wanted}"
    if not np.isfinite(vectors).all():
        return "gave numbers that are not finite (NaN or infinity)"
    if not zeros and not vectors.any(axis=1).all():
        return "gave a zero vector, which points nowhere"
    return ""
