"""Telling what a model thought aloud from what it answered."""

from __future__ import annotations

import re

_OPEN = re.compile(r"\s*(?:<(think|thinking|reasoning)>|\[(THINK)\])", re.IGNORECASE)
_ORPHAN = re.compile(r"</(?:think|thinking)>", re.IGNORECASE)


def split_thinking(text: str) -> tuple[str, str]:
    """The answer and the thinking of a reply that may begin with a thinking block.

    Some chat templates put the opening tag into the prompt, so that the reply has the closing one
    alone; a block that never closes (the reply was cut off) leaves no answer. Tags later in the
    text are the answer's own.
    """
    opened = _OPEN.match(text)
    if opened is None:
        closed = None if re.search(r"<think", text, re.IGNORECASE) else _ORPHAN.search(text)
        if closed is None:
            return text, ""
        return text[closed.end() :].strip(), text[: closed.start()].strip()
    name = opened.group(1) or opened.group(2)
    closing = rf"\[/{name}\]" if opened.group(2) else f"</{name}>"
    end = re.search(closing, text[opened.end() :], re.IGNORECASE)
    if end is None:
        return "", text[opened.end() :].strip()
    thought = text[opened.end() :][: end.start()].strip()
    answer, more = split_thinking(text[opened.end() :][end.end() :].strip())
    return answer, "\n\n".join(filter(None, (thought, more)))
