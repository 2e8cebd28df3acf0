"""How probable a yes is as the first token of a reply, by weights that llama.cpp runs here.

The model is asked one question about a text and a claim. What it may answer is yes or no alone: of
its next token only those that begin either count, and no reply is ever written or read.
"""

from __future__ import annotations

import math
import re
import weakref
from pathlib import Path
from typing import Any, NamedTuple

from factmark.ask.weights.llama_server import load_llama

VERSION = "1"  # of what is asked and how it is read: raise it where a probability would differ
_QUESTION = "Does the text state the claim? Answer yes or no."
_CONTEXT = 2_048  # tokens
_TOKENS = 400  # the likeliest first tokens that are looked at
_LEAST = 1e-9  # the probability of what is not among them
_ROUNDED = 4  # digits


class _Template(NamedTuple):
    """How a conversation is written for a model, and which words no text may hold as they stand."""

    before: str
    end: str
    after: str
    signs: re.Pattern[str]


TEMPLATES = {
    "chatml": _Template(
        before="<|im_start|>user\n",
        end="<|im_end|>",
        after="\n<|im_start|>assistant\n",
        signs=re.compile(r"<(?=\|)"),
    )
}


class FirstToken:
    """A model that is asked yes or no. Use it in one thread, and let go of it at the end.

    A text is read once for all claims about it that come one after the other, and always by itself
    before the claim, so that the order of claims changes no digit.

    Raises:
        InputError: the weights or the package cannot be loaded.
    """

    def __init__(self, option: str, file: Path, template: str, cores: int) -> None:
        self._template = TEMPLATES[template]
        self._held = [load_llama(option, file, _CONTEXT, cores, at_once=1)]
        weakref.finalize(self, self._held.clear)  # a program that ends with one hangs
        self._read = ""

    def close(self) -> None:
        """Lets go of the weights."""
        self._held.clear()

    def share_of_yes(self, text: str, claim: str) -> float | None:
        """Returns how much of the probability of yes and no is that of yes, rounded; None where the
        model cannot read so much."""
        before, end, after, signs = self._template
        start = f"{before}Text: {signs.sub('< ', text)}\n\n"
        known = start == self._read
        self._read = ""
        if "error" in self._asked(start + end, tokens=0, known=known):
            return None
        asked = f"Claim: {signs.sub('< ', claim)}\n{_QUESTION}"
        reply = self._asked(f"{start}{asked}{end}{after}", tokens=1, known=True)
        if "error" in reply:
            return None
        self._read = start
        return share_of_yes(reply)

    def _asked(self, prompt: str, *, tokens: int, known: bool) -> Any:
        """Returns llama.cpp's reply of so many tokens.

        Args:
            known: whether what the last prompt began with is not read again. A text is read with
                a sign behind it that begins no claim, so that as much is kept of it for each.
        """
        asked = {"prompt": prompt, "n_predict": tokens, "cache_prompt": known, "temperature": 0}
        if tokens:
            asked["n_probs"] = _TOKENS
        try:
            return self._held[0].handle_completions(asked)
        except (RuntimeError, ValueError) as error:
            return {"error": str(error)}


def share_of_yes(reply: Any) -> float:
    """Returns the share of yes in what a reply of llama.cpp tells of its first token."""
    yes = no = _LEAST
    for token in reply["choices"][0]["logprobs"]["content"][0]["top_logprobs"]:
        word = token["token"].strip().casefold()
        if word and "yes".startswith(word):
            yes += math.exp(token["logprob"])
        elif word and "no".startswith(word):
            no += math.exp(token["logprob"])
    return round(yes / (yes + no), _ROUNDED)
