"""The verdict in a JSON reply: under a key that names it, or as the only value that is a label."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from factmark.rubrics.lexicon import TOKEN, Finder
from factmark.rubrics.loose_json import Pairs

UNDECIDED = "\ue003"
_NOUNS = {
    *(
        "verdict",
        "label",
        "answer",
        "judgment",
        "judgement",
        "decision",
        "classification",
        "result",
    ),
    *("rating", "evaluation", "assessment", "conclusion", "output", "response", "prediction"),
    *("choice", "option", "class", "category", "grade", "determination", "selection", "outcome"),
    *("letter", "value", "judge", "finding", "support", "validity", "correctness", "status"),
}
_FINAL = {"final", "revised", "corrected", "updated"}
_PLAIN = {
    "my",
    "the",
    "overall",
    "selected",
    "chosen",
    "predicted",
    "your",
    "claim",
    "is",
    "factual",
}
_ASIDE = re.compile(
    r"reason|expla|ration|evidence|quote|source|passage|text|comment|note|analysis|thought|claim"
    r"|confidence|alternative|other|first|initial|previous|given|reference|truth|question|context"
    r"|options|labels|allowed|injected|ignored|rejected|correct_?answer|expected|example|detail",
    re.IGNORECASE,
)

ReadLabel = Callable[[str], str | None]


def verdict_line(value: object, words: Finder, read_label: ReadLabel) -> str:
    """A line of text that declares what the JSON value does; empty where it declares nothing."""
    declared = list(_declared(value, words, read_label, 0))
    if not declared:
        return ""
    final = [label for is_final, label in declared if is_final]
    labels = set(final or [label for _, label in declared])
    label = labels.pop() if len(labels) == 1 else None
    return f"{'final ' if final else ''}verdict: [{label}]" if label else f"verdict: {UNDECIDED}"


def _declared(
    value: object, words: Finder, read_label: ReadLabel, depth: int
) -> Iterator[tuple[bool, str | None]]:
    """Whether it is final, and the label (None for a verdict that is none of them)."""
    if isinstance(value, list):
        yield from _of_list(value, words, read_label, depth)
    if not isinstance(value, Pairs):
        return
    found = False
    for key, inner in value.items:
        kind = key_kind(key)
        if kind is None or isinstance(inner, (Pairs, list)):
            continue
        found = True
        yield kind == "final", read_label(inner) if isinstance(inner, str) else None
    if found:
        return
    flags = _flagged(value, words)
    if flags is not None:
        yield False, flags or None
        return
    for key, inner in value.items:
        if isinstance(inner, (Pairs, list)) and not _ASIDE.search(key):
            yield from _declared(inner, words, read_label, depth + 1)
        elif isinstance(inner, str) and not _ASIDE.search(key) and (label := read_label(inner)):
            yield False, label


def _of_list(
    items: list[object], words: Finder, read_label: ReadLabel, depth: int
) -> Iterator[tuple[bool, str | None]]:
    for item in items:
        if isinstance(item, str):
            yield False, read_label(item)
        else:
            yield from _declared(item, words, read_label, depth + 1)


def key_kind(key: str) -> str | None:
    """`final` or `plain` for a key that names the verdict, else None."""
    parts = [
        token[0].casefold() for token in TOKEN.finditer(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key))
    ]
    if not parts or len(parts) > 4 or parts[-1] not in _NOUNS:
        return None
    if any(part not in _NOUNS | _FINAL | _PLAIN for part in parts):
        return None
    return "final" if _FINAL.intersection(parts) else "plain"


def _flagged(pairs: Pairs, words: Finder) -> str | None:
    """The one label whose own key is true; "" where the flags name none; None without flags."""
    flags: dict[str, object] = {}
    for key, value in pairs.items:
        if (label := words.exact(key)) is not None:
            flags[label] = value
    if not flags:
        return None
    if not all(isinstance(value, bool) for value in flags.values()):
        return ""
    true = [label for label, value in flags.items() if value is True]
    if len(true) == 1:
        return true[0]
    if not true and len(flags) == 1:
        return words.negation.get(next(iter(flags)), "")
    return ""
