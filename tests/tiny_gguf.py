"""A tiny language model with random weights in a GGUF file, made in a few milliseconds.

One layer of Llama over letters and bytes: what it replies means nothing, but a grammar makes it a
label. The file is written byte by byte, as the package `gguf` would write it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

_WIDTH, _INNER, _HEADS, _CONTEXT = 32, 64, 2, 4096
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6  # kinds of tokens
_UINT, _INT, _FLOAT, _TEXT, _LIST = 4, 5, 6, 8, 9  # kinds of values
_ALIGNED = 32  # bytes
_LETTERS = ("▁", *(chr(number) for number in range(33, 127)))
_TEMPLATE = "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"


def tiny_gguf(path: Path, seed: int = 0) -> Path:
    """Writes a model with the weights of a seed."""
    tensors = _tensors(np.random.default_rng(seed))
    head = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(_settings()))]
    head += [_text(name) + value for name, value in _settings().items()]
    data, blocks = 0, []
    for name, values in tensors.items():
        shape = values.shape[::-1]  # the fastest dimension first
        head.append(_text(name) + struct.pack("<I", len(shape)))
        head.append(struct.pack(f"<{len(shape)}QIQ", *shape, 0, data))
        blocks.append(_padded(values.tobytes()))
        data += len(blocks[-1])
    path.write_bytes(_padded(b"".join(head)) + b"".join(blocks))
    return path


def _settings() -> Mapping[str, bytes]:
    """Name -> value, as it stands in the file."""
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *_LETTERS]
    kinds = [_UNKNOWN, _CONTROL, _CONTROL, *[_BYTE] * 256, *[_NORMAL] * len(_LETTERS)]
    numbers = {
        "context_length": _CONTEXT,
        "embedding_length": _WIDTH,
        "block_count": 1,
        "feed_forward_length": _INNER,
        "attention.head_count": _HEADS,
        "rope.dimension_count": _WIDTH // _HEADS,
    }
    return {
        "general.architecture": struct.pack("<I", _TEXT) + _text("llama"),
        **{f"llama.{name}": struct.pack("<II", _UINT, value) for name, value in numbers.items()},
        "llama.attention.layer_norm_rms_epsilon": struct.pack("<If", _FLOAT, 1e-5),
        "tokenizer.ggml.model": struct.pack("<I", _TEXT) + _text("llama"),
        "tokenizer.ggml.tokens": _list(_TEXT, [_text(token) for token in tokens]),
        "tokenizer.ggml.scores": _list(_FLOAT, [struct.pack("<f", 0.0)] * len(tokens)),
        "tokenizer.ggml.token_type": _list(_INT, [struct.pack("<i", kind) for kind in kinds]),
        "tokenizer.ggml.bos_token_id": struct.pack("<II", _UINT, 1),
        "tokenizer.ggml.eos_token_id": struct.pack("<II", _UINT, 2),
        "tokenizer.chat_template": struct.pack("<I", _TEXT) + _text(_TEMPLATE),
    }


def _tensors(random: np.random.Generator) -> Mapping[str, np.ndarray]:
    """Name -> weights: rows of the outputs, columns of the inputs."""

    def matrix(rows: int, columns: int = _WIDTH) -> np.ndarray:
        return random.normal(0, 0.2, (rows, columns)).astype(np.float32)

    ones = np.ones(_WIDTH, np.float32)
    return {
        "token_embd.weight": matrix(3 + 256 + len(_LETTERS)),
        "output_norm.weight": ones,
        "blk.0.attn_norm.weight": ones,
        **{f"blk.0.attn_{part}.weight": matrix(_WIDTH) for part in ("q", "k", "v", "output")},
        "blk.0.ffn_norm.weight": ones,
        "blk.0.ffn_gate.weight": matrix(_INNER),
        "blk.0.ffn_up.weight": matrix(_INNER),
        "blk.0.ffn_down.weight": matrix(_WIDTH, _INNER),
    }


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _list(kind: int, values: Sequence[bytes]) -> bytes:
    return struct.pack("<IIQ", _LIST, kind, len(values)) + b"".join(values)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _ALIGNED)
