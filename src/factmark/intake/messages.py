"""What a chat says, as text: messages with roles, whose contents are texts or parts of kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

_TEXTS = ("text", "input_text", "output_text")  # kinds of parts; others are images, thoughts, calls


def content_text(message: Mapping[str, Any]) -> str:
    """Returns the text of a message: what it says, or the texts among its parts; empty for none.

    >>> parts = [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "30"}]
    >>> content_text({"role": "assistant", "content": parts})
    '30'
    """
    content = message.get("content")
    if not isinstance(content, list):
        return "" if content is None else str(content)
    texts = []
    for part in content:
        if isinstance(part, Mapping) and part.get("type") in _TEXTS:
            texts.append(part.get("text"))
    return "\n".join(str(text) for text in texts if text is not None)


def is_message(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is a message of a chat."""
    return isinstance(value, Mapping) and {"role", "content"} <= value.keys()


def chat_text(value: object) -> object:
    """Returns a message, or a list of them, as text: several with who says it; another value as it
    is.

    >>> asked = {"role": "user", "content": "Why?"}
    >>> chat_text([asked, {"role": "assistant", "content": "So."}]), chat_text([asked])
    ('user: Why?\\nassistant: So.', 'Why?')
    """
    given = value if isinstance(value, list) else [value]
    messages = [message for message in given if is_message(message)]
    if not messages or len(messages) < len(given):
        return value
    if len(messages) == 1:
        return content_text(messages[0])
    return "\n".join(f"{message['role']}: {content_text(message)}" for message in messages)
