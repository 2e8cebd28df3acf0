"""factmark measures how factual answers, summaries and knowledge graphs are.

`docs/generate.py` writes this file from the records of options; it is what type checkers and
editors read. The functions themselves stand in the study.py of their slices.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from factmark.answers import score_answer as score_answer
from factmark.errors import FactmarkError as FactmarkError
from factmark.files.frames import Rows
from factmark.measured import Measured
from factmark.model import Estimate as Estimate
from factmark.replies import parse_reply as parse_reply
from factmark.report.result import Result as Result
from factmark.stats import corrected_share as corrected_share

__version__: str
__all__ = [
    "Estimate",
    "FactmarkError",
    "Result",
    "__version__",
    "agree",
    "claims",
    "compare",
    "correct",
    "corrected_share",
    "factscore",
    "graphrag",
    "parse_reply",
    "plan",
    "ratings",
    "run",
    "score",
    "score_answer",
    "validity",
]

def agree(
    ledger: str | Path,
    **options: Any,
) -> Measured: ...
def claims(
    claims: Rows,
    passages: Rows | Mapping[str, str] | None = None,
    *,
    judge: str | Callable[..., Any] = "rules",
    corpus: Rows | None = None,
    progress: bool = False,
    k: int = 5,
    embedder: str = "lexical",
    embedder_base_url: str | None = None,
    embedder_key_env: str | None = None,
    split: str = "",
    split_base_url: str | None = None,
    mode: Literal["context", "general"] = "context",
    base_url: str | None = None,
    key_env: str | None = None,
    protocol: Literal["auto", "chat", "responses"] = "auto",
    temperature: float | None = None,
    max_tokens: int = 1024,
    concurrency: Any = "auto",
    timeout: float | None = None,
    rpm: int | None = None,
    tpm: int | None = None,
    extra: str | list[str] | Mapping[str, Any] | None = None,
    header: str | list[str] | Mapping[str, Any] | None = None,
    max_calls: int | None = None,
    max_cost: float | None = None,
    max_failures: int = 20,
    batch_api: bool = False,
    prices: str | Path | None = None,
    batch: int = 1,
    samples: int = 1,
    reparse: bool = False,
    limit: int | None = None,
    seed: int = 0,
    shard: str = "",
    column: str | list[str] | Mapping[str, Any] | None = None,
    encoding: str = "utf-8",
    ledger: str | Path | None = None,
    level: float = 0.95,
) -> Result: ...
def compare(
    *results: Measured | str | Path | Mapping[str, Measured | str | Path],
    by: Literal["all", "file", "model", "condition"] = "all",
    metric: str = "",
    level: float = 0.95,
    seed: int = 0,
) -> Measured: ...
def correct(
    judge: Mapping[Any, str | None] | Values,
    people: Mapping[Any, str | float | bool] | Values,
    *,
    level: float = 0.95,
    population: bool = False,
) -> Estimate: ...
def factscore(
    triples: Rows | Sequence[str | Path] | None = None,
    passages: Rows | Mapping[str, str] | None = None,
    *,
    judge: str | Callable[..., Any] = "rules",
    progress: bool = False,
    sample: Literal["random", "relation", "twcs"] = "random",
    wordings: str | Path | None = None,
    ontology: str | Path | None = None,
    ontology_index: str | Path | None = None,
    mode: Literal["context", "general", "aligned"] = "context",
    base_url: str | None = None,
    key_env: str | None = None,
    protocol: Literal["auto", "chat", "responses"] = "auto",
    temperature: float | None = None,
    max_tokens: int = 1024,
    concurrency: Any = "auto",
    timeout: float | None = None,
    rpm: int | None = None,
    tpm: int | None = None,
    extra: str | list[str] | Mapping[str, Any] | None = None,
    header: str | list[str] | Mapping[str, Any] | None = None,
    max_calls: int | None = None,
    max_cost: float | None = None,
    max_failures: int = 20,
    batch_api: bool = False,
    prices: str | Path | None = None,
    batch: int = 1,
    samples: int = 1,
    reparse: bool = False,
    limit: int | None = None,
    seed: int = 0,
    shard: str = "",
    column: str | list[str] | Mapping[str, Any] | None = None,
    encoding: str = "utf-8",
    ledger: str | Path | None = None,
    level: float = 0.95,
) -> Result: ...
def graphrag(
    triples: Rows | None = None,
    questions: Rows | None = None,
    *,
    asking: Mapping[str, Any] | None = None,
    **options: Any,
) -> Measured: ...
def plan(
    half_width: float,
    **options: Any,
) -> Measured: ...
def ratings(
    ledger: str | Path | Sequence[str | Path],
    campaign: str | Sequence[str] | None = None,
) -> Measured: ...
def run(
    study: str | Path = "ehds",
    **options: Any,
) -> Measured: ...
def score(
    answers: Rows,
    *,
    benchmark: Rows = "ehds",
    store: str | Path | None = None,
    endpoint: str | None = None,
    people: str | Path | None = None,
    ledger: str | Path | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Measured: ...
def validity(
    triples: Rows | Sequence[str | Path] | None = None,
    *,
    judge: str | Callable[..., Any] = "rules",
    progress: bool = False,
    sample: Literal["random", "relation", "twcs"] = "random",
    wordings: str | Path | None = None,
    ontology: str | Path | None = None,
    ontology_index: str | Path | None = None,
    mode: Literal["ontology", "plain"] = "ontology",
    base_url: str | None = None,
    key_env: str | None = None,
    protocol: Literal["auto", "chat", "responses"] = "auto",
    temperature: float | None = None,
    max_tokens: int = 1024,
    concurrency: Any = "auto",
    timeout: float | None = None,
    rpm: int | None = None,
    tpm: int | None = None,
    extra: str | list[str] | Mapping[str, Any] | None = None,
    header: str | list[str] | Mapping[str, Any] | None = None,
    max_calls: int | None = None,
    max_cost: float | None = None,
    max_failures: int = 20,
    batch_api: bool = False,
    prices: str | Path | None = None,
    batch: int = 1,
    samples: int = 1,
    reparse: bool = False,
    limit: int | None = None,
    seed: int = 0,
    shard: str = "",
    column: str | list[str] | Mapping[str, Any] | None = None,
    encoding: str = "utf-8",
    ledger: str | Path | None = None,
    level: float = 0.95,
) -> Result: ...
