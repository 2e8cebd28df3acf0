"""A text written so that its form does not betray its author, with each change counted.

In the published PubMed file the people's summaries have a blank before each full stop and a line
break after it, one model's carry `<s>` and `<n>`, another's `<pad>` (protocol 2). An annotator who
has seen three documents knows who wrote what. The rules are in `normalising`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from factmark.people.summaries.normalising import (
    BLANKS,
    ENDS,
    LINE_BREAKS,
    PARAGRAPHS,
    RULES,
    TIDYING,
    Rule,
)

_EXAMPLES = 3
_AROUND = 12  # characters on each side of an example


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one rule changed in a text.

    Attributes:
        rule: its name.
        count: how many places.
        examples: up to three places, before and after, with what stands around; raw, to be
            escaped where they are shown.
    """

    rule: str
    count: int
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blinded:
    """A text as annotators see it, and what was changed for it, in the order of the rules."""

    text: str
    changes: tuple[Change, ...] = ()


def blind(text: str, *, paragraphs: bool = False) -> Blinded:
    """The text by all rules; a second time changes nothing.

    Args:
        paragraphs: keep blank lines, for a source; in a summary they may betray its author.
    """
    made: list[Change] = []
    for rule in _in_order(paragraphs):
        text, change = _apply(rule, text)
        if change is not None:
            made.append(change)
    return Blinded(text=text, changes=tuple(made))


def rules(*, paragraphs: bool = False) -> tuple[tuple[str, str], ...]:
    """Name and sentence of each rule, in the order in which they apply."""
    return tuple((rule.name, rule.why) for rule in _in_order(paragraphs))


def changed(texts: Sequence[Blinded]) -> tuple[Change, ...]:
    """The changes of several texts together, by rule, with the first three examples."""
    together: dict[str, Change] = {}
    for change in (change for text in texts for change in text.changes):
        before = together.get(change.rule, Change(rule=change.rule, count=0, examples=()))
        together[change.rule] = Change(
            rule=change.rule,
            count=before.count + change.count,
            examples=(before.examples + change.examples)[:_EXAMPLES],
        )
    return tuple(together[name] for name, _ in rules() if name in together)


def _in_order(paragraphs: bool) -> tuple[Rule, ...]:
    lines = PARAGRAPHS if paragraphs else LINE_BREAKS
    return (*RULES, lines, BLANKS, ENDS, *TIDYING)


def _apply(rule: Rule, text: str) -> tuple[str, Change | None]:
    """The text after a rule, and the change if there was one."""
    parts: list[str] = []
    examples: list[tuple[str, str]] = []
    count = end = 0
    for found in rule.pattern.finditer(text):
        written = rule.write(found)
        if written == found[0]:
            continue
        count += 1
        if len(examples) < _EXAMPLES:
            left = text[max(0, found.start() - _AROUND) : found.start()]
            right = text[found.end() : found.end() + _AROUND]
            examples.append((left + found[0][: 2 * _AROUND] + right, left + written + right))
        parts += (text[end : found.start()], written)
        end = found.end()
    if not count:
        return text, None
    changed_text = "".join((*parts, text[end:]))
    return changed_text, Change(rule=rule.name, count=count, examples=tuple(examples))
