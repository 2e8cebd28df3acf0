"""Tables for LaTeX: booktabs, escaped, no wider than the text and no longer than a page.

They compile with pdfLaTeX. Of scripts that it has no glyphs for the code points are written; with
LuaLaTeX or XeLaTeX, and a font that has them, the characters.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from factmark.report.layouts import DataTable, TableLine, all_heads, label_cells, value_cells

_NEEDS = (
    r"% needs \usepackage[T1]{fontenc} and \usepackage{array,booktabs,graphicx}",
    r"% other scripts than Latin and Greek: LuaLaTeX or XeLaTeX with a font that has them",
)
_ROOM = 34.0  # lines of a page
_RULE = 0.6  # the height of a rule between groups, in lines
_NOTE = 0.85  # the height of a line of notes
_NOTE_WIDTH = 80  # characters of it
_LONGEST_NOTE = 1_600  # characters of a paragraph
_LABEL = 30  # characters from which on a column of labels breaks its lines
_LONGEST_LABEL = 200  # characters
_LABEL_LINE = 22  # characters of such a line
_LONG_WORD = re.compile(r"[^\s\u200b]{20,}")
_BREAK = 10  # characters of a long word after which its line may break
_JOINED = re.compile("([-`',!?])(?=[-`',])")  # two of them make another sign
# All but the letters that fonts in T1 encoding have.
_OTHER = re.compile("(?:[^\x20-\x7e\xa1-\u017f‘’“”„–—…•†‡€™‰]|[ĦħĸĿŀŉŦŧſ])+")

_CHARACTERS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    **{c: f"\\{c}" for c in "$&#_%"},
}
_COMMANDS = dict(
    zip(
        "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ",
        "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma "
        "tau upsilon varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi "
        "Omega".split(),
        strict=True,
    )
) | dict(
    zip(
        "−≤≥≠≈≡∞∈→←↔⇒√∑∂∝′·×÷±∩∪",
        "relax- leq geq neq approx equiv infty in rightarrow leftarrow leftrightarrow Rightarrow "
        "surd sum partial propto prime cdot times div pm cap cup".split(),
        strict=True,
    )
)
_TABLE = str.maketrans(
    _CHARACTERS
    | {
        char: rf"\ensuremath{{{'-' if char == '−' else chr(92) + name}}}"
        for char, name in _COMMANDS.items()
    }
    | {"\u200b": r"\allowbreak{}", "\u2060": "{}", "\xad": r"\-", "µ": r"\ensuremath{\mu}"}
)


def latex_table(table: DataTable) -> str:
    r"""Returns `table` environments in the style of the booktabs package, ready for \input.

    One for each page that it takes; the notes stand below the last. A table that is wider than the
    text is scaled to it.
    """
    notes = [part for note in table.notes for part in wrap(note, _LONGEST_NOTE)]
    pages = _split_into_pages(table, notes)
    source = []
    for place, (lines, below) in enumerate(pages, 1):
        part = ""
        if len(pages) > 1:
            part = f" ({place} of {len(pages)})"
        source += [
            r"\begin{table}[htbp]",
            r"\centering",
            rf"\caption{{{latex(table.title, breaks=True)}{part}}}",
        ]
        if lines:
            source += _tabular(table, lines)
        for n in below:
            source.append(
                rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize {latex(n, breaks=True)}}}"
            )
        source += [r"\end{table}", ""]
    return "\n".join([*_NEEDS, *source])


def latex(text: str, *, breaks: bool = False) -> str:
    """A text with all special characters escaped; with `breaks` its long words may break."""
    text = _JOINED.sub("\\1\u2060", unicodedata.normalize("NFC", text))
    if breaks:
        text = _LONG_WORD.sub(lambda word: "\u200b".join(wrap(word[0], _BREAK)), text)
    return "".join(_escape_text(text))


def _escape_text(text: str) -> Iterator[str]:
    """Yields the pieces of a text, escaped."""
    start = 0
    for other in _OTHER.finditer(text):
        yield text[start : other.start()].translate(_TABLE)
        yield from map(_escape_other, other[0])
        start = other.end()
    yield text[start:].translate(_TABLE)


def _escape_other(char: str) -> str:
    """A character that pdfLaTeX may have no glyph for: itself in LuaLaTeX, else its code point."""
    if ord(char) in _TABLE:
        return char.translate(_TABLE)
    if char.isspace():
        return " "
    spelled = f"[U+{ord(char):04X}]"
    if char.isprintable():
        shown = rf"\ifdefined\Uchar {char}\else {spelled}\fi"
    else:
        shown = spelled
    return rf"{shown}\allowbreak{{}}"


def _tabular(table: DataTable, lines: Sequence[TableLine]) -> list[str]:
    """The lines of a table in a box, which is made smaller where it is wider than the text."""
    wide = _breaking_columns(table)
    columns = "".join(r">{\raggedright\arraybackslash}p{3.8cm}" if w else "l" for w in wide)
    rows = [_row(map(latex, all_heads(table)))]
    for at, line in enumerate(lines):
        if line.starts_group or not at:
            rows.append(r"\midrule")
        labels = zip(label_cells(line) if at else line.labels, wide, strict=True)
        rows.append(
            _row(
                [
                    *(latex(_shorten_label(text), breaks=w) for text, w in labels),
                    *map(latex, value_cells(line)),
                ]
            )
        )
    return [
        rf"\sbox0{{\begin{{tabular}}{{{columns}{'r' * len(table.columns)}}}",
        r"\toprule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}}",
        r"\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi",
    ]


def _shorten_label(label: str) -> str:
    """Returns a label so short that it leaves room for others on the page."""
    if len(label) <= _LONGEST_LABEL:
        return label
    return f"{label[: _LONGEST_LABEL - 1]}…"


def _row(texts: Iterable[str]) -> str:
    """Returns the cells as a row of a tabular."""
    row = " & ".join(texts)
    # `[` would be an argument of what ended the line before, `*` a variant of it.
    return f"{'{}' * row.startswith(('[', '*'))}{row} \\\\"


def _breaking_columns(table: DataTable) -> list[bool]:
    """Returns for each column of labels whether its lines break."""
    columns = []
    for place in range(len(table.label_names)):
        columns.append(max((len(line.labels[place]) for line in table.lines), default=0) > _LABEL)
    return columns


def _split_into_pages(
    table: DataTable, notes: Sequence[str]
) -> list[tuple[list[TableLine], list[str]]]:
    """Returns the lines and the notes of each page."""
    wide = _breaking_columns(table)
    pages: list[tuple[list[TableLine], list[str]]] = [([], [])]
    full = 0.0

    def page(height: float) -> tuple[list[TableLine], list[str]]:
        """The page that has room for so much, which it takes."""
        nonlocal full
        if full and full + height > _ROOM:
            pages.append(([], []))
            full = 0.0
        full += height
        return pages[-1]

    for line in table.lines:
        label = max(
            (len(_shorten_label(text)) for text, w in zip(line.labels, wide, strict=True) if w),
            default=0,
        )
        lines = max(1, math.ceil(label / _LABEL_LINE))
        page(lines + _RULE * line.starts_group)[0].append(line)
    for note in notes:
        page(_NOTE * math.ceil(len(note) / _NOTE_WIDTH))[1].append(note)
    return pages
