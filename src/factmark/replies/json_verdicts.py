"""The verdicts in a JSON value: under a key that names one, or the only value that is a label."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from factmark.replies.labels import TOKEN, Finder
from factmark.replies.loose_json import Pairs

_NOUNS = frozenset(
    "verdict label answer judgment judgement decision classification result rating evaluation "
    "assessment conclusion output response prediction choice option class category grade "
    "determination selection outcome letter value judge finding support validity correctness "
    "status valid".split()
)
_FINAL = frozenset("final revised corrected updated".split())
_BESIDE = frozenset("my the overall selected chosen predicted your claim is factual".split())
_YES_NO = re.compile(r"\W*(?:yes|no|true|false)\b", re.IGNORECASE)  # answers whatever the key asks
_ASIDE = re.compile(
    r"reason|expla|ration|evidence|quote|source|passage|text|comment|note|analysis|thought|claim"
    r"|confidence|alternative|other|first|initial|previous|given|reference|truth|question|context"
    r"|options|labels|allowed|injected|ignored|rejected|correct_?answer|expected|example|detail",
    re.IGNORECASE,
)

ReadLabel = Callable[[str], str | None]


def json_verdict(value: object, finder: Finder, read_label: ReadLabel) -> tuple[str | None, bool]:
    """The one label that a JSON value declares, and whether it calls it final.

    Raises:
        LookupError: it declares nothing.
    """
    declared = list(_declared(value, finder, read_label))
    if not declared:
        raise LookupError
    final = [label for is_final, label in declared if is_final]
    labels = set(final or [label for _, label in declared])
    return (labels.pop() if len(labels) == 1 else None), bool(final)


def _declared(
    value: object, finder: Finder, read_label: ReadLabel
) -> Iterator[tuple[bool, str | None]]:
    """Whether it is final, and the label (None for a verdict that is none of them)."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, str):
                yield False, read_label(item)
            else:
                yield from _declared(item, finder, read_label)
    if not isinstance(value, Pairs):
        return
    kinds = [(key_kind(key), inner) for key, inner in value.items]
    named = [(kind, inner) for kind, inner in kinds if kind and not isinstance(inner, Pairs | list)]
    for kind, inner in named:
        yield kind == "final", read_label(inner) if isinstance(inner, str) else None
    if named:
        return
    flags = _flagged(value, finder)
    if flags is not None:
        yield False, flags or None
        return
    for key, inner in value.items:
        if _ASIDE.search(key):
            continue
        if isinstance(inner, Pairs | list):
            yield from _declared(inner, finder, read_label)
        elif isinstance(inner, str) and (label := finder.exact(inner)) and not _YES_NO.match(inner):
            yield False, label


def key_kind(key: str) -> str | None:
    """`final` or `plain` for a key that names the verdict, else None."""
    key = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key)
    parts = [token[0].casefold() for token in TOKEN.finditer(key)]
    if parts and _FINAL.issuperset(parts):
        return "final"
    if not parts or len(parts) > 4 or parts[-1] not in _NOUNS:
        return None
    if not set(parts) <= _NOUNS | _FINAL | _BESIDE:
        return None
    return "final" if _FINAL.intersection(parts) else "plain"


def _flagged(pairs: Pairs, finder: Finder) -> str | None:
    """The one label whose own key is true; "" where the flags name none; None without flags."""
    flags = {label: value for key, value in pairs.items if (label := finder.exact(key))}
    if not flags:
        return None
    if not all(isinstance(value, bool) for value in flags.values()):
        return ""
    true = [label for label, value in flags.items() if value is True]
    if len(true) == 1:
        return true[0]
    if not true and len(flags) == 1:
        return finder.negation.get(next(iter(flags)), "")
    return ""
