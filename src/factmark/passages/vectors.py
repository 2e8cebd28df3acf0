"""The nearest of many vectors, on disk, by faiss: inner product, in 32 bits or in 16.

No graph of neighbours (HNSW): among near-duplicate texts it finds about half of the nearest.
Vectors are of length 1, so that the inner product is the cosine. They are numbered from 0.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factmark.errors import InputError
from factmark.passages.lexical import Hit, best_hits, sort_hits

Floats = NDArray[np.float32]

EXACT_UP_TO = 200_000
"""Vectors that are kept as they are; more are kept in 16 bits a number, a half."""


def faiss_module() -> Any:
    """Returns faiss, imported where it is used.

    Raises:
        InputError: it is not installed; says how to.
    """
    try:
        import faiss
    except ImportError as error:
        raise InputError(
            "Embeddings are searched by faiss, which is not installed: "
            'pip install "factmark[rag]". Without it, leave --embedder out.'
        ) from error
    return faiss


class VectorWriter:
    """Gathers unit vectors, shape (n, d) each, and writes their index.

    Args:
        path: of the index to write.
        expected: how many vectors there will be.
    """

    def __init__(self, path: Path, expected: int) -> None:
        self._faiss = faiss_module()
        self._path = path
        self._expected = expected
        self._index: Any = None

    @property
    def dimensions(self) -> int:
        """The length of the vectors; 0 before the first."""
        if self._index is None:
            return 0
        return int(self._index.d)

    def add(self, vectors: Floats) -> None:
        """Adds vectors; d is the same each time."""
        if self._index is None:
            self._index = self._empty(int(vectors.shape[1]))
        # faiss takes contiguous 32-bit floats only.
        self._index.add(np.ascontiguousarray(vectors, dtype=np.float32))

    def finish(self) -> None:
        """Writes the index."""
        if self._index is None:
            index = self._empty(1)
        else:
            index = self._index
        self._faiss.write_index(index, str(self._path))

    def _empty(self, dimensions: int) -> Any:
        """Returns an empty index: exact up to `EXACT_UP_TO` vectors, above with half the bits."""
        if self._expected <= EXACT_UP_TO:
            return self._faiss.IndexFlatIP(dimensions)
        half = self._faiss.ScalarQuantizer.QT_fp16
        return self._faiss.IndexScalarQuantizer(dimensions, half, self._faiss.METRIC_INNER_PRODUCT)


class VectorIndex:
    """Opens what `VectorWriter` wrote. Safe to use from several threads.

    Raises:
        RuntimeError: it is no such file.
        InputError: faiss is not installed.
    """

    def __init__(self, path: Path) -> None:
        self._faiss = faiss_module()
        self._index = self._faiss.read_index(str(path))
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def search(self, vector: Floats, k: int) -> list[Hit]:
        """Returns the k nearest vectors, nearest first; equally near ones by their numbers.

        Args:
            vector: of length 1, shape (d,).
        """
        if k < 1 or not len(self):
            return []
        asked = np.ascontiguousarray(vector, dtype=np.float32).reshape(1, -1)

        def nearest(limit: int) -> list[Hit]:
            # Of this thread only. One question has no work for several: it would wait for them,
            # five times as long on a quiet machine and far longer on a busy one.
            self._faiss.omp_set_num_threads(1)
            with self._lock:
                scores, numbers = self._index.search(asked, limit)
            pairs = zip(scores[0].tolist(), numbers[0].tolist(), strict=True)
            return [(score, number) for score, number in pairs if number >= 0]

        return best_hits(nearest, k, len(self))

    def among(self, vector: Floats, numbers: Sequence[int], k: int) -> list[Hit]:
        """Returns the k nearest of the given numbers, ordered as by `search`.

        Raises:
            IndexError: a number that no vector has.
        """
        if k < 1 or not numbers:
            return []
        if not 0 <= min(numbers) <= max(numbers) < len(self):
            raise IndexError(f"the index has {len(self)} vectors")
        with self._lock:
            kept = self._index.reconstruct_batch(np.asarray(numbers, dtype=np.int64))
        scores = (kept @ np.asarray(vector, dtype=np.float32)).tolist()
        return sort_hits(list(zip(scores, numbers, strict=True)))[:k]


def to_unit_length(vectors: Floats) -> Floats:
    """Returns vectors of length 1 in the same directions, shape (n, d); zero vectors stay zero."""
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    units: Floats = (wide / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return units
