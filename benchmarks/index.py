"""An index of 10,000 chunks: built, opened, searched by words, by vectors, by both. Offline.

    python benchmarks/index.py [CHUNKS]

Chunks are as long as the replica's. Vectors are random, of 384 dimensions, through an embedder of
the user's own (this file): what a model takes to make them is not measured. Figures stand beside
their bounds. Nothing here is a test: machines differ, and so does their load.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import numpy as np

from factmark.model import Chunk
from factmark.passages.embedders import open_search
from factmark.passages.index import Index, IndexedChunk, PassageSource, Progress, open_index_of

sys.path.insert(0, str(Path(__file__).parent))

CHUNKS, QUERIES = 10_000, 1_000
DIMENSIONS = 384
BUILD, QUERY = 10.0, 5.0  # seconds, milliseconds

_rng = np.random.default_rng(0)


def embed(texts: list[str]) -> np.ndarray:
    """Random vectors, another one each time."""
    return _rng.normal(size=(len(texts), DIMENSIONS)).astype(np.float32)


def words(rng: Random, count: int) -> str:
    """Words as frequent as in a language: the n-th as often as 1 / n."""
    ranks = (int(30_000 ** rng.random()) for _ in range(count))
    return " ".join(f"term{rank}" for rank in ranks)


def source(chunks: int) -> PassageSource:
    async def passages(_progress: Progress) -> AsyncIterator[IndexedChunk]:
        rng = Random(1)
        for n in range(chunks):
            chunk = Chunk(id=f"chunk:{n}", title=f"Thing {words(rng, 3)}", text=words(rng, 120))
            yield IndexedChunk(chunk=chunk, catalogue=n < 30)

    return PassageSource(identity=f"random-{chunks}", version="1", settled=True, passages=passages)


async def searched(index: Index) -> tuple[float, float]:
    """Median and 99th percentile of a search for ten words, in milliseconds."""
    rng, taken = Random(2), []
    for _ in range(QUERIES):
        question = f"Which {words(rng, 10)}?"
        begun = time.perf_counter()
        assert len(await index.search(question, 5)) == 5
        taken.append(1000 * (time.perf_counter() - begun))
    return float(np.median(taken)), float(np.percentile(taken, 99))


def mebibytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20


async def measured(name: str, chunks: int, folder: Path) -> None:
    search, given = open_search(name), source(chunks)
    begun = time.perf_counter()
    await (await open_index_of(given, folder, search)).close()
    built = time.perf_counter() - begun
    begun = time.perf_counter()
    index = await open_index_of(given, folder, search)
    opened = time.perf_counter() - begun
    median, late = await searched(index)
    await index.close()
    size = mebibytes(folder)
    bound = f" (bound {BUILD:g})" if chunks == CHUNKS else ""
    limit = f" (bound {QUERY:g})" if chunks == CHUNKS else ""
    print(
        f"{name}: {chunks:,} chunks built in {built:.2f} s{bound}, opened in {opened:.3f} s, "
        f"{size:.0f} MiB; a search takes {median:.2f} ms{limit}, p99 {late:.2f} ms"
    )


def main() -> None:
    chunks = int(sys.argv[1]) if len(sys.argv) > 1 else CHUNKS
    for name in ("lexical", "index:embed", "lexical+index:embed"):
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(measured(name, chunks, Path(folder)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(f"memory at its highest: {peak:.0f} MiB")


if __name__ == "__main__":
    main()
