"""A real model server without downloaded weights: two layers of random numbers.

    python tests/servers/random_model.py FILE.gguf

serves that file: prints the server's address and goes on until its input closes.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

_EMBEDDING, _FEED_FORWARD, _HEADS, _LAYERS = 64, 128, 4, 2
_CONTEXT, _AT_ONCE = 2048, 4
_TEMPLATE = (
    "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def _alphabet() -> list[str]:
    """One printable character for each byte, as byte-level vocabularies have them."""
    plain = {*range(33, 127), *range(161, 173), *range(174, 256)}
    spare = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(spare)) for byte in range(256)]


def write_model(path: Path) -> None:
    """Writes a small language model with random weights, the same each time."""
    import numpy as np
    from gguf import GGUFWriter, TokenType

    rng = np.random.default_rng(0)
    tokens = [*_alphabet(), "<s>", "</s>"]
    writer = GGUFWriter(str(path), "llama")
    writer.add_context_length(_CONTEXT)
    writer.add_embedding_length(_EMBEDDING)
    writer.add_block_count(_LAYERS)
    writer.add_feed_forward_length(_FEED_FORWARD)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_EMBEDDING // _HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.NORMAL] * 256 + [TokenType.CONTROL] * 2)
    writer.add_token_merges(["t h"])
    writer.add_bos_token_id(256)
    writer.add_eos_token_id(257)
    writer.add_chat_template(_TEMPLATE)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(f"{name}.weight", rng.normal(0, 0.05, shape).astype(np.float32))

    def ones(name: str) -> None:
        writer.add_tensor(f"{name}.weight", np.ones(_EMBEDDING, np.float32))

    tensor("token_embd", len(tokens), _EMBEDDING)
    ones("output_norm")
    tensor("output", len(tokens), _EMBEDDING)
    for layer in (f"blk.{number}." for number in range(_LAYERS)):
        ones(f"{layer}attn_norm")
        ones(f"{layer}ffn_norm")
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            tensor(layer + name, _EMBEDDING, _EMBEDDING)
        tensor(f"{layer}ffn_gate", _FEED_FORWARD, _EMBEDDING)
        tensor(f"{layer}ffn_up", _FEED_FORWARD, _EMBEDDING)
        tensor(f"{layer}ffn_down", _EMBEDDING, _FEED_FORWARD)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@contextmanager
def random_model(folder: Path) -> Iterator[str]:
    """Serves the random model from a process of its own; gives the base URL."""
    path = folder / "random.gguf"
    write_model(path)
    with served(path) as url:
        yield url


@contextmanager
def served(path: Path) -> Iterator[str]:
    """Serves a model's file from a process of its own; gives the base URL."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__)), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        address = next((line for line in process.stdout if line.startswith("http://")), "")
        if not address:
            raise RuntimeError("the model server did not start")
        yield f"{address.strip()}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def serve(path: Path, port: int = 0, threads: int = 1, then: str = "", wait: Any = None) -> None:
    """Serves a file in this process until its input closes, or `wait` ends; or it is interrupted.

    Args:
        threads: more than one waits actively for each other: on a busy machine that is far slower.
        then: printed after the address.
    """
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = _CONTEXT * _AT_ONCE
    parameters.n_parallel = _AT_ONCE
    parameters.cpuparams.n_threads = threads
    parameters.warmup = False
    parameters.port = port
    server = xllamacpp.Server(parameters)
    print(server.listening_address, then, sep="\n", flush=True)
    with suppress(KeyboardInterrupt):
        (wait or sys.stdin.read)()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
