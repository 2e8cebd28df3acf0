"""The nearest of many vectors, on disk, by faiss: exact inner product, or in 8 bits.

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
from factmark.passages.lexical import Hit, best

Floats = NDArray[np.float32]

EXACT_UP_TO = 200_000
"""Vectors that are kept as they are; more are kept in 8 bits a number (SQ8), a quarter."""
_TRAINED_ON = 50_000
_BATCH = 16_384


def faiss_module() -> Any:
    """faiss, imported where it is used.

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
    """Gathers unit vectors in a file as they come, so that memory stays small, then indexes them.

    Args:
        path: of the index to write; what is gathered lies beside it until `finish`.
        exact_up_to: see `EXACT_UP_TO`.
    """

    def __init__(self, path: Path, *, exact_up_to: int = EXACT_UP_TO) -> None:
        self._faiss = faiss_module()
        self._path, self._raw_path = path, path.with_suffix(".raw")
        self._raw = self._raw_path.open("wb")
        self._exact_up_to = exact_up_to
        self.count = 0
        self.dimensions = 0

    def add(self, vectors: Floats) -> None:
        """Adds vectors, shape (n, d); d is the same each time."""
        self.dimensions = self.dimensions or int(vectors.shape[1])
        if vectors.shape[1] != self.dimensions:
            raise ValueError(f"vectors of {vectors.shape[1]} after {self.dimensions} dimensions")
        self._raw.write(np.ascontiguousarray(vectors, dtype="<f4").tobytes())
        self.count += len(vectors)

    def finish(self) -> None:
        """Writes the index."""
        self._raw.close()
        index = self._faiss.IndexFlatIP(max(1, self.dimensions))
        if self.count:
            shape = (self.count, self.dimensions)
            raw = np.memmap(self._raw_path, dtype="<f4", mode="r", shape=shape)
            if self.count > self._exact_up_to:
                index = self._in_8_bits(raw)
            for start in range(0, self.count, _BATCH):
                index.add(np.ascontiguousarray(raw[start : start + _BATCH]))
        self._faiss.write_index(index, str(self._path))
        self._raw_path.unlink()

    def _in_8_bits(self, raw: Floats) -> Any:
        """An index that was taught by vectors that are drawn with a fixed seed."""
        index = self._faiss.IndexScalarQuantizer(
            self.dimensions, self._faiss.ScalarQuantizer.QT_8bit, self._faiss.METRIC_INNER_PRODUCT
        )
        rng = np.random.default_rng(0)
        sample = rng.choice(self.count, min(_TRAINED_ON, self.count), replace=False)
        index.train(np.ascontiguousarray(raw[np.sort(sample)]))
        return index


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
        """The k nearest, nearest first, equally near ones by their numbers.

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

        return best(nearest, k, len(self))

    def among(self, vector: Floats, numbers: Sequence[int], k: int) -> list[Hit]:
        """The k nearest of some, as `search` orders them; for those that were found otherwise.

        Raises:
            IndexError: a number that no vector has.
        """
        if k < 1 or not numbers:
            return []
        if not 0 <= min(numbers) <= max(numbers) < len(self):
            raise IndexError(f"the index has {len(self)} vectors")
        with self._lock:
            some = self._index.reconstruct_batch(np.asarray(numbers, dtype=np.int64))
        scores = (some @ np.asarray(vector, dtype=np.float32)).tolist()
        ordered = sorted(zip(scores, numbers, strict=True), key=lambda hit: (-hit[0], hit[1]))
        return ordered[:k]


def unit(vectors: Floats) -> Floats:
    """Vectors of length 1 in the same directions, shape (n, d); zero vectors stay zero."""
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    units: Floats = (wide / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return units
