"""What a model is told under each condition."""

from __future__ import annotations

from importlib.resources import files

from factmark.ask.chat import Request
from factmark.model import Chunk
from factmark.replies.fence import RULE, fenced

CONDITIONS = ("baseline", "rag", "mcp", "context")


def system_prompt(condition: str) -> str:
    """The bundled system prompt of a condition."""
    text = (files("factmark.data") / "prompts" / f"{condition}.txt").read_text("utf-8")
    return text.strip()


def with_passages(
    system: str, question: str, chunks: tuple[Chunk, ...], name: str, sample: int
) -> Request:
    """A question after the passages that it is to be answered from, each in a fence of its own.

    Args:
        name: what a passage is, in capitals.
    """
    texts = [f"{chunk.title}\n{chunk.text}" for chunk in chunks]
    fences = [fenced(name, text, question) for text in texts]
    told = Request.of("\n\n".join([*fences, f"Question: {question}"]), system=f"{system} {RULE}")
    return Request(messages=told.messages, sample=sample)
