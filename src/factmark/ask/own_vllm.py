"""A vLLM server that a worker starts once, keeps over its parts, and takes with it when it ends.

Between the worker and vLLM stands this module as a process, whose input closes when the worker
ends, however that ends: no server keeps a GPU after a kill -9.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread
from urllib.request import urlopen

from factmark.ask.model_spec import OWN_VLLM, PROVIDERS
from factmark.errors import InputError

_PATIENCE = 1800.0  # seconds for a large model to load
_END = 20.0  # seconds for a server to end by itself
_servers: dict[str, subprocess.Popen[bytes]] = {}


def keep_server(model: str, folder: Path) -> None:
    """Has this process ask a vLLM server: the one at the usual address, where one answers, else one
    of its own.

    Args:
        folder: gets what the server writes.

    Raises:
        InputError: it does not start.
    """
    where = f"{model} {os.environ.get('CUDA_VISIBLE_DEVICES', '')}"
    running = _servers.get(where)
    if _answers(PROVIDERS["vllm"].address) or (running and running.poll() is None):
        return
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    log = folder / f"vllm-{port}.log"
    with log.open("wb") as out:
        command = (sys.executable, "-m", __name__, model, str(port))
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=out)  # noqa: S603 - this module
    address = f"http://127.0.0.1:{port}/v1"
    deadline = time.monotonic() + _PATIENCE
    while not _answers(address):
        if server.poll() is not None or time.monotonic() > deadline:
            server.kill()
            last = log.read_text("utf-8", "replace").strip().splitlines()[-1:]
            raise InputError(f"`vllm serve {model}` does not start: {' '.join(last):.300} ({log})")
        time.sleep(0.2)
    os.environ[OWN_VLLM] = address
    _servers[where] = server


def _answers(address: str) -> bool:
    """Whether a server at an address is ready."""
    try:
        with urlopen(f"{address.removesuffix('/v1')}/health", timeout=5):  # noqa: S310 - http
            return True
    except OSError:
        return False


def _serve(model: str, port: str) -> None:
    """Runs vLLM until the input closes."""
    command = ("vllm", "serve", model, "--host", "127.0.0.1", "--port", port)
    server = subprocess.Popen(command)  # noqa: S603 - the user's
    Thread(target=lambda: os._exit(server.wait() or 1), daemon=True).start()
    sys.stdin.read()
    server.terminate()
    time.sleep(_END)  # the thread ends this process before
    server.kill()


if __name__ == "__main__":
    _serve(*sys.argv[1:])
