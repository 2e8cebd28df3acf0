"""Embedders: what turns texts into vectors, named on the command line.

lexical                         no vectors: words alone, offline; the default
openai:MODEL  ollama:MODEL      any server with /v1/embeddings
sentence-transformers:NAME      a local model, by name or path
model2vec:PATH                  local static vectors
MODULE:FUNCTION                 your own
lexical+ANY                     words and vectors, their rankings fused
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from factmark.errors import EndpointError, InputError
from factmark.passages.vectors import Floats, faiss_module, unit

LEXICAL = "lexical"
_BATCH = 512
_LOCAL = ("sentence-transformers", "model2vec")


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def identity(self) -> str:
        """What could change the vectors: never a credential or a path."""

    async def embed(self, texts: Sequence[str]) -> Floats:
        """A vector per text, shape (n, d) of float32; d is the same in every call.

        Raises:
            EndpointError: a server that is gone or does not answer as it should.
            InputError: the model cannot be used.
        """

    async def close(self) -> None:
        """Gives back connections; may be called twice."""


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
        """As it stands in a manifest and in signatures."""
        parts = [LEXICAL] if self.lexical else []
        return "+".join(parts + ([self.embedder.identity] if self.embedder else []))

    async def close(self) -> None:
        """Closes the embedder."""
        if self.embedder is not None:
            await self.embedder.close()


def open_search(
    name: str = LEXICAL, *, base_url: str | None = None, key_env: str | None = None
) -> Search:
    """How `--embedder NAME` searches.

    Args:
        base_url: of `openai:` and `ollama:`, another server.
        key_env: of these, the environment variable that holds the key.

    Raises:
        InputError: there is no such embedder, a package that it needs is missing, or the options
            do not go with it.
    """
    rest = name.removeprefix(f"{LEXICAL}+")
    kind, colon, _ = rest.partition(":")
    if rest == LEXICAL:
        _refuse_server(name, base_url, key_env)
        return Search()
    if not colon:
        raise InputError(
            f"--embedder {name}: there is no such embedder. Give lexical, openai:MODEL, "
            "ollama:MODEL, sentence-transformers:NAME, model2vec:PATH, your own module:function, "
            "or lexical+ one of these."
        )
    faiss_module()  # what is missing is told before a model is loaded
    return Search(lexical=rest != name, embedder=_opened(kind, rest, base_url, key_env))


def _opened(kind: str, name: str, base_url: str | None, key_env: str | None) -> Embedder:
    if kind in ("openai", "ollama", "anthropic"):
        from factmark.passages.embedders_http import HttpEmbedder

        return HttpEmbedder.named(name, base_url=base_url, key_env=key_env)
    _refuse_server(name, base_url, key_env)
    from factmark.passages import embedders_local as local

    if kind in _LOCAL:
        return local.local_model(kind, name.partition(":")[2])
    return local.own_function(name)


def _refuse_server(name: str, base_url: str | None, key_env: str | None) -> None:
    if base_url or key_env:
        raise InputError(
            f"--base-url and --key-env are for embedders behind a server, such as openai:MODEL; "
            f"{name} asks none."
        )


async def unit_vectors(
    embedder: Embedder,
    texts: Sequence[str],
    *,
    dimensions: int = 0,
    zeros: bool = False,
    step: Callable[[int], None] = lambda _done: None,
) -> Floats:
    """The vectors of some texts, brought to length 1, shape (n, d).

    Args:
        dimensions: that the vectors must have; 0 for any.
        zeros: whether a zero vector may be: of a question without a known word.
        step: called with how many texts are done.

    Raises:
        EndpointError, InputError: as `Embedder.embed`; and where what came back is no such vectors.
    """
    made: list[Floats] = []
    for start in range(0, len(texts), _BATCH):
        batch = texts[start : start + _BATCH]
        found = await embedder.embed(batch)
        problem = _problem(found, len(batch), dimensions, zeros)
        if problem:
            raise EndpointError(f"{embedder.identity} {problem}. Choose another embedder.")
        dimensions = int(found.shape[1])
        made.append(unit(found))
        step(start + len(batch))
    return np.concatenate(made) if made else np.zeros((0, dimensions), np.float32)


def _problem(found: object, texts: int, dimensions: int, zeros: bool) -> str:
    """What is wrong with vectors; empty where nothing is."""
    if not isinstance(found, np.ndarray) or found.ndim != 2 or found.dtype.kind != "f":
        return "gave no table of numbers"
    if len(found) != texts:
        return f"gave {len(found)} vectors for {texts} texts"
    if not found.shape[1] or (dimensions and found.shape[1] != dimensions):
        wanted = f"; the others have {dimensions}" if dimensions else ""
        return f"gave vectors of {found.shape[1]} dimensions{wanted}"
    if not np.isfinite(found).all():
        return "gave numbers that are not finite (NaN or infinity)"
    if not zeros and not found.any(axis=1).all():
        return "gave a zero vector, which points nowhere"
    return ""
