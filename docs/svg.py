"""What all pictures are made of: escaped elements, an axis with round ticks, colours, a frame.

SVG as text, without scripts, links or fonts from elsewhere, so that a picture stands alone in a
file, in Markdown or inside a page. Lengths are in units of the viewBox, which are pixels at the
natural size.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

from factmark.model import content_hash
from factmark.text.shown_text import one_line

WIDTH = 720.0
EDGE = 16.0
LINE = 18.0
SERIES = 6
DASHES = ("", "8 4", "2 4", "12 4 2 4", "5 2", "1 2")
_EM = 14.0
_BOLD = 0.88  # of the room is left, since bold letters are wider

_STYLE = """
.factmark-picture{--page:#fff;--ink:#1c1f23;--soft:#565d66;--line:#d9dce0;--mark:#b3261e;
--c0:#1f6fb4;--c1:#a85400;--c2:#0b7a5b;--c3:#8a4bab;--c4:#5c6670;--c5:#b32d62;
font:14px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",Arial,sans-serif}
@media (prefers-color-scheme:dark){.factmark-picture{--page:#15171a;--ink:#e7e7e3;--soft:#a5abb3;
--line:#383c42;--mark:#ff8374;--c0:#6bb3f0;--c1:#f0a050;--c2:#4fc39b;--c3:#c79be0;--c4:#a7b0b9;
--c5:#f089ab}}
.factmark-picture .page{fill:var(--page)}
.factmark-picture text{fill:var(--ink);font-variant-numeric:tabular-nums}
.factmark-picture .head{font-weight:600}
.factmark-picture .soft{fill:var(--soft)}
.factmark-picture .grid{stroke:var(--line)}
.factmark-picture .mark{stroke:var(--mark);stroke-width:2;stroke-dasharray:6 4}
.factmark-picture .marked{fill:var(--mark)}
.factmark-picture .bar{stroke-width:3;stroke-linecap:round}
.factmark-picture .curve{fill:none;stroke-width:2.5;stroke-linejoin:round}
""" + "".join(
    f".factmark-picture .s{i}{{stroke:var(--c{i})}}.factmark-picture .f{i}{{fill:var(--c{i})}}\n"
    for i in range(SERIES)
)


def element(name: str, *children: str, **attributes: str | float | None) -> str:
    """An element; attributes are escaped here, children are SVG already. `_` reads as `-`."""
    pairs = (
        (key.rstrip("_").replace("_", "-"), length(value) if isinstance(value, float) else value)
        for key, value in attributes.items()
        if value is not None
    )
    opened = "".join(f' {key}="{escape(one_line(str(value)))}"' for key, value in pairs)
    return f"<{name}{opened}>{''.join(children)}</{name}>" if children else f"<{name}{opened}/>"


def words(x: float, y: float, said: str, *, kind: str = "", anchor: str = "start") -> str:
    """A line of text, its baseline at y."""
    return element(
        "text",
        plain(said),
        x=x,
        y=y,
        class_=kind or None,
        text_anchor=None if anchor == "start" else anchor,
    )


def cut(x: float, y: float, said: str, room: float, **how: str) -> str:
    """A line of text cut to its room; the whole of it then shows when it is pointed at."""
    clean = one_line(said)
    kept = shortened(clean, room * (_BOLD if how.get("kind") == "head" else 1.0))
    line = words(x, y, kept, **how)
    return line if kept == clean else element("g", element("title", plain(clean)), line)


def plain(said: str) -> str:
    """Text as the content of an element."""
    return escape(one_line(said), quote=False)


def shortened(said: str, room: float) -> str:
    """The text, or as much of its beginning as has room, with an ellipsis."""
    if text_width(said) <= room:
        return said
    kept = ""
    for letter in said:
        if text_width(f"{kept}{letter}…") > room:
            break
        kept += letter
    return f"{kept.rstrip()}…"


def text_width(said: str) -> float:
    """How wide a line is at most, roughly: fonts differ."""
    return math.fsum(_EM * _letter(letter) for letter in said)


def _letter(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if letter in "mwMW@%—":
        return 0.95
    if letter in " .,:;'|!()[]iljftr-":
        return 0.4
    return 0.72 if letter.isupper() else 0.6


def length(value: float) -> str:
    """A length or position with at most one decimal."""
    return f"{round(value, 1) + 0.0:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A scale from values to positions; `start` may lie right of, or below, `end`.

    Attributes:
        low, high: the values at both ends, low < high.
        start, end: their positions.
    """

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(
        cls,
        values: Iterable[float],
        *,
        start: float,
        end: float,
        bounds: tuple[float, float] = (-math.inf, math.inf),
    ) -> Axis:
        """An axis between round numbers that hold all finite values, and within bounds."""
        seen = [value for value in values if math.isfinite(value)]
        low, high = (min(seen), max(seen)) if seen else (0.0, 1.0)
        if high - low < 1e-9:
            low, high = low - 0.05, high + 0.05
        step = _step(low, high)
        low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        return cls(low=max(bounds[0], low), high=min(bounds[1], high), start=start, end=end)

    def at(self, value: float) -> float:
        """The position of a value; beyond an end it is that end's."""
        part = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Round numbers on the axis: position and text."""
        step = _step(self.low, self.high)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        digits += not math.isclose(step, round(step, digits), rel_tol=1e-6)
        first = math.ceil(self.low / step - 1e-6)
        for n in range(first, math.floor(self.high / step + 1e-6) + 1):
            value = n * step + 0.0
            plain = digits <= 6 and abs(value) < 1e6
            yield self.at(n * step), f"{value:.{digits}f}" if plain else f"{value:.3g}"


def _step(low: float, high: float) -> float:
    """A round distance that fits four to eight times."""
    rough = (high - low) / 8
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= rough * (1 - 1e-9))


def dot(x: float, y: float, series: int, size: float = 6.0) -> str:
    """A mark whose shape and colour both tell the series."""
    kind, of = f"f{series % SERIES}", series % SERIES
    if of == 0:
        return element("circle", cx=x, cy=y, r=size, class_=kind)
    corners = {
        1: ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        2: ((0, -1.2), (1.1, 0.9), (-1.1, 0.9)),
        3: ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
        4: ((0, 1.2), (1.1, -0.9), (-1.1, -0.9)),
        5: ((-1.2, -0.6), (1.2, -0.6), (1.2, 0.6), (-1.2, 0.6)),
    }[of]
    points = " ".join(f"{length(x + dx * size)},{length(y + dy * size)}" for dx, dy in corners)
    return element("polygon", points=points, class_=kind)


def rule(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def framed(title: str, description: str, height: float, body: Iterable[str]) -> str:
    """The whole picture, with its name and description for those who do not see it."""
    mark = content_hash(one_line(title), one_line(description))[:12]
    head = cut(EDGE, EDGE + 12, title, WIDTH - 2 * EDGE, kind="head")
    content = [
        element("title", plain(title) or "picture", id=f"t{mark}"),
        element("desc", plain(description) or "no description", id=f"d{mark}"),
        f"<style>{_STYLE}</style>",
        element("rect", width=WIDTH, height=height, class_="page"),
        head,
        *body,
    ]
    return (
        element(
            "svg",
            *(f"\n{one}" for one in content),
            "\n",
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {length(WIDTH)} {length(height)}",
            width=WIDTH,
            height=height,
            role="img",
            aria_labelledby=f"t{mark} d{mark}",
            class_="factmark-picture",
        )
        + "\n"
    )
