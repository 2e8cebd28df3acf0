"""A real small model behind a real server: SmolLM2-135M-Instruct (Apache-2.0), by llama.cpp.

    python tests/servers/real_model.py [PORT]

fetches the weights as `factmark judge fetch smollm2-135m` does (98 MB, once; into `.real-model/`),
prints the server's address and what to type next, and serves until it is interrupted; with `fetch`
in place of the port it only fetches. The model is weak: it shows how a real one's replies are read,
never how good they are.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from factmark.ask.weights.known_weights import CACHE, weights_named

NAME = "smollm2-135m"
FOLDER = Path(__file__).parents[2] / ".real-model"
FILE = FOLDER / NAME / "weights.gguf"
_CONTEXT, _AT_ONCE = 2048, 4
NEXT = """\
In another terminal:
  factmark graph factscore --judge openai:smollm2 --base-url http://localhost:{port}/v1 \
--limit 70 --max-tokens 32 --ledger real.db
Ctrl-C ends the server."""


def fetch() -> None:
    """Fetches the weights where they are not there yet; raises InputError where it cannot."""
    from factmark.ask.weights.fetching import fetch_weights

    os.environ[CACHE] = str(FOLDER)
    fetch_weights(weights_named("make real-model", NAME))


def serve(port: int = 0, threads: int = 1, then: str = "", wait: Any = None) -> None:
    """Serves the weights in this process until its input closes, `wait` ends or it is interrupted.

    Args:
        threads: more than one waits actively for each other: on a busy machine that is far slower.
        then: printed after the address.
    """
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(FILE)
    parameters.n_ctx = _CONTEXT * _AT_ONCE
    parameters.n_parallel = _AT_ONCE
    parameters.cpuparams.n_threads = threads
    parameters.warmup = False
    parameters.port = port
    server = xllamacpp.Server(parameters)
    print(server.listening_address, then, sep="\n", flush=True)
    with suppress(KeyboardInterrupt):
        (wait or sys.stdin.read)()


@pytest.fixture(scope="module")
def real_model() -> Iterator[str]:
    """The base URL of the real model's server; the test is skipped where no weights are."""
    if not FILE.is_file():
        reason = "no weights of a real model; `make real-model` fetches them (98 MB)"
        if os.environ.get("FACTMARK_REQUIRE_REAL_MODEL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    from servers.model_server import in_process

    with in_process(str(Path(__file__)), "until input closes") as server:
        yield server.base_url


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else "8080"
    fetch()
    if asked == "until input closes":
        serve()
    elif asked != "fetch":
        serve(int(asked), os.cpu_count() or 1, NEXT.format(port=asked), signal.pause)
