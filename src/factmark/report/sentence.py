"""What a report begins with: one sentence that says the result, and what bears on the judge.

Each protocol writes its sentence (in its `report`): the figure, its interval, what it is
of, and what is missing if that is much. It is for a reader who has read nothing else, so it comes
before formulas, notes and tables: on the page (`page.html`), in Markdown, on the screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from factmark.model import Estimate
from factmark.text.shown_text import interval, listed, number, some

MUCH = 0.05  # of all that should be there; a smaller share that is missing stands in the tables


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstSentence:
    """The beginning of a report.

    Attributes:
        sentence: the result.
        cautions: what makes the figure worth less than it looks, a sentence or two each; they are
            among the results' problems, and stand beside the figure instead of in the notes.
    """

    sentence: str
    cautions: tuple[str, ...] = ()

    def other(self, problems: Iterable[str]) -> list[str]:
        """The problems that are not told here already."""
        return [problem for problem in problems if problem not in self.cautions]


def figure(estimate: Estimate) -> str:
    """A value with its interval, as `0.64 [0.55–0.72]`."""
    return f"{number(estimate.value)} {interval(estimate)}".strip()


def figures(systems: Sequence[tuple[str, Estimate]], scale: str = "") -> str:
    """Figures in a row, as `0.76 [0.65–0.84] of 1 under mcp and 0.43 [0.33–0.53] under rag`.

    Args:
        systems: what stands behind each figure, with its estimate, in the order in which they are
            told; of more than four, the first four are.
        scale: what stands behind the first figure, as ` of 1`.
    """
    parts = []
    for place, (name, estimate) in enumerate(systems):
        parts.append(f"{figure(estimate)}{'' if place else scale} {name}".strip())
    return some(parts)


def best_first(systems: Iterable[tuple[str, Estimate]]) -> list[tuple[str, Estimate]]:
    """The systems by what people are shown of their values, the greatest first; those without a
    value last."""

    def place(system: tuple[str, Estimate]) -> tuple[bool, float]:
        value = system[1].value  # as shown: no order depends on the last bit of a sum
        return value is None, -round(value or 0.0, 2)

    return sorted(systems, key=place)


def aside(*parts: str) -> str:
    """Returns what stands behind a figure, in brackets of its own, without what is empty.

    >>> aside("S", "", "by rules")
    ' (S; by rules)'
    """
    text = "; ".join(filter(None, parts))
    if text:
        return f" ({text})"
    return ""


def brackets(*estimates: Estimate) -> str:
    """Returns the words that explain the brackets of some estimates to who has not seen such
    before; empty where there are no brackets."""
    shown = []
    for estimate in estimates:
        if interval(estimate):
            shown.append(estimate)
    levels = listed(list(dict.fromkeys(f"{estimate.level * 100:g} %" for estimate in shown)))
    if not shown:
        return ""
    return f"in brackets {f'{levels} intervals' if len(shown) > 1 else f'the {levels} interval'}"


def lacking(missing: int, total: int, rest: str) -> str:
    """The end of a sentence where much is missing, as `; 420 of 461 without a verdict`; empty where
    little is."""
    if missing <= 0 or missing < MUCH * total:
        return ""
    return f"; {missing:,} of {total:,} {rest}"
