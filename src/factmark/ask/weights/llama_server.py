"""Weights in a GGUF file as a model that is asked: llama.cpp, in this process.

It is asked by chat completions, as a server is, and so by the same requests: the labels of a
rubric are a schema, which llama.cpp makes a grammar of, so that it can reply with nothing else.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from yarl import URL

from factmark.ask.weights.weight_files import usable_cores
from factmark.errors import InputError
from factmark.http.client import Response

AT_ONCE = 2  # requests: while one is read, another is answered
_TOKENS = 8_192  # of a request with its reply
_LARGEST = 10_000_000  # of the numbers that are told llama.cpp


class LlamaServer:
    """llama.cpp with the weights of one file, loaded by the first request. Use it in one event
    loop, and close it.

    Args:
        n_ctx: tokens of a request with its reply, at most.
        n_threads: that compute; one for each core where None.

    Raises:
        InputError: these are no numbers from 1 on.
    """

    def __init__(self, file: Path, n_ctx: object = _TOKENS, n_threads: object = None) -> None:
        self._file = file
        self._context = _number("n_ctx", n_ctx)
        if n_threads is None:
            self._cores = usable_cores()
        else:
            self._cores = _number("n_threads", n_threads)
        self._held: list[Any] = []  # the server, once it is there
        weakref.finalize(self, self._held.clear)  # a program that ends with one hangs
        self._loading = asyncio.Lock()
        self._threads = ThreadPoolExecutor(AT_ONCE, "llama.cpp")

    async def send(self, method: str, url: URL, *, body: bytes, name: str) -> Response:
        """Answers a request for a chat completion, as a server would.

        Raises:
            InputError: the weights cannot be loaded.
        """
        loop = asyncio.get_running_loop()
        async with self._loading:
            if not self._held:
                self._held.append(await loop.run_in_executor(self._threads, self._load))
        return await loop.run_in_executor(self._threads, self._answer, json.loads(body))

    async def close(self) -> None:
        """Lets go of the weights, once what is under way has ended."""
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        self._held.clear()

    def _load(self) -> Any:
        """Returns the server; InputError where the weights or the package cannot be loaded."""
        option = f"llamacpp:{self._file}"
        return load_llama(option, self._file, self._context, self._cores, AT_ONCE)

    def _answer(self, request: dict[str, object]) -> Response:
        """Returns the reply to a request with a server's status, or what is wrong with it."""
        try:
            reply: Any = self._held[0].handle_chat_completions(request)
        except (RuntimeError, ValueError) as error:
            reply = {"error": {"code": 400, "message": str(error)}}
        fault = reply.get("error")
        status = 200
        if isinstance(fault, dict):
            status = fault.get("code", 500)
        return Response(status=status, headers={}, body=json.dumps(reply).encode())


def load_llama(option: str, file: Path, context: int, cores: int, at_once: int) -> Any:
    """Returns llama.cpp with the weights of a file.

    Args:
        option: by which they were named, for messages.
        context: tokens of a request with its reply.
        at_once: requests.

    Raises:
        InputError: the weights or the package cannot be loaded.
    """
    try:
        import xllamacpp
    except ImportError as error:
        why = "needs the package xllamacpp: pip install 'factmark[llamacpp]'."
        raise InputError(f"{option}: {why}") from error
    given = xllamacpp.CommonParams()
    given.model.path = str(file)
    given.n_ctx = context * at_once
    given.n_parallel = at_once
    given.cache_ram_mib = 0  # of prompts: what is asked again is in the ledger
    for threads in (given.cpuparams, given.cpuparams_batch):
        threads.n_threads = cores
        threads.poll = 0  # who waits for the others sleeps: on a busy machine they take long
    given.warmup = given.endpoint_slots = given.ui = False
    given.api_keys = [secrets.token_hex()]  # it opens a port, which nobody is to use
    given.verbosity = 0
    try:
        return xllamacpp.Server(given)
    except RuntimeError as error:
        raise InputError(
            f"{option}: llama.cpp cannot load it: it is damaged or cut off, of a kind that this "
            "version does not know, or larger than the memory."
        ) from error


def _number(name: str, value: object) -> int:
    """Returns a whole number from 1 on; InputError for anything else, or a larger one than any
    machine has."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _LARGEST:
        raise InputError(f"--extra {name}={value}: is a whole number from 1 to {_LARGEST:,}.")
    return value
