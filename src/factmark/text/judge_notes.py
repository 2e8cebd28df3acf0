"""What a judge did that makes its figure worth less: one label for all, or its own work judged."""

from __future__ import annotations

import re
from collections.abc import Mapping

from factmark.text.shown_text import named, one_line, some

NEARLY_ALL = 0.95  # share of one label from which on a judge is told that it gave hardly another
_FEWEST = 10  # labels; below, one label for all says little
_PROVIDER = re.compile(r"^(?:openai|anthropic|gemini|azure|openrouter|ollama|vllm|llamacpp):(?=.)")
_MARKS = re.compile(r"[^\w/]+|_")
_VERSION = re.compile(r"[-:@](?:latest|\d{4}-\d{2}-\d{2}|\d{8})$")


def one_label_note(judge: str, counts: Mapping[str, int], n_units: int) -> str:
    """What to make of a judge that gave (nearly) all units one label; empty for any other.

    Judges that labelled fewer than half of what they were given have other troubles, and fewer
    than ten labels may be alike by chance.

    Args:
        counts: label -> of how many units the judge gave it.
        n_units: units in all, also those without a label.
    """
    total = sum(counts.values())
    if total < _FEWEST or 2 * total <= n_units:
        return ""
    label, most = max(counts.items(), key=lambda part: part[1])
    if most < NEARLY_ALL * total:
        return ""
    if most == total:
        return (
            f"{one_line(judge)} said {one_line(label)} of all {total:,} units that it gave a "
            "label: it tells none from another, and its score alone says nothing."
        )
    return (
        f"{one_line(judge)} said {one_line(label)} of {most:,} of the {total:,} units that it gave "
        "a label: a judge that always says so would score nearly the same. Labels by people tell "
        "which it is."
    )


def own_work_note(judge: str, systems: Mapping[str, str], work: str) -> str:
    """What to make of a model that judges its own work; empty where it judges others' alone.

    Args:
        judge: the model that judges.
        systems: what systems are called -> the model that each is, or what it is called once more.
        work: what is judged, several of it: `answers`, `summaries`.
    """
    own = sorted(
        named(name)
        for name, model in systems.items()
        if same_model(judge, name) or same_model(judge, model)
    )
    if not own:
        return ""
    which = ""
    if own != [named(judge)]:
        which = f" ({some(own)})"
    return (
        f"{named(judge)} judges its own {work}{which}, and models tend to favour their own: judge "
        "with another, or label some by people."
    )


def same_model(name: str, other: str) -> bool:
    """Whether two names are of one model, however it is reached and whichever day's version it is.

    Its maker may be named or not, as in `meta-llama/llama-3`.

    >>> same_model("openai:gpt-4o", "GPT-4o-2024-08-06"), same_model("openai:gpt-4o", "gpt-4o-mini")
    (True, False)
    """
    shorter, longer = sorted(map(_model, (name, other)), key=len)
    return bool(shorter) and (shorter == longer or longer.endswith(f"/{shorter}"))


def _model(name: str) -> str:
    """A model's name without its provider, as `openai:`, and its version."""
    bare = _VERSION.sub("", _PROVIDER.sub("", one_line(name).casefold()))
    return _MARKS.sub("-", bare).strip("-")
