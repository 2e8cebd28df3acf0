"""What asking took, in words for people: for pages and the terminal."""

from __future__ import annotations

from factmark.ask.budget import Spend
from factmark.report.page import SpentFigures
from factmark.text.shown_text import count


def spent_figures(
    work: str, spent: Spend, *, model: str = "", before: str = "Judged before"
) -> SpentFigures:
    """Returns what a page shows of a spend; of rules, which call nobody, the time alone.

    Args:
        work: what was done, as "Judging".
        model: who was asked, where several were.
        before: what units are called that needed nothing.
    """
    about = ""
    if spent.estimated_usage:
        about = "about "
    asked = spent.calls or spent.cached or spent.kept is not None or spent.cost is None
    values: list[tuple[str, str]] = []
    if asked:
        values.append(("Calls", f"{spent.calls:,}"))
        values.append(("Replies read back", f"{spent.cached:,}"))
    if spent.judged_before:
        values.append((before, count(spent.judged_before, "unit", "units")))
    if asked:
        tokens = f"{about}{spent.input_tokens:,} in, {spent.output_tokens:,} out"
        values.append(("Tokens", tokens))
        values.append(("Cost", _cost_words(spent.cost, about)))
    values.append(("Time", _duration_words(spent.seconds)))
    if spent.kept is not None:
        values.append(("Kept in the ledger", kept_words(spent.kept)))
    return SpentFigures(work=work, model=model, values=values)


def kept_words(kept: Spend) -> str:
    """Returns in one line what all replies in the ledger took."""
    about = ""
    if kept.estimated_usage:
        about = "about "
    return (
        f"{count(kept.replies, 'reply', 'replies')}, {about}{kept.input_tokens:,} tokens in, "
        f"{kept.output_tokens:,} out, cost {_cost_words(kept.cost, about)}"
    )


def _cost_words(cost: float | None, about: str) -> str:
    """Returns US dollars for people, with `about` before them; it says so if no price is known."""
    if cost is None:
        return "not known, for want of a price"
    return f"{about}${cost:,.2f}"


def _duration_words(seconds: float) -> str:
    """Returns seconds as people read them.

    >>> _duration_words(0.25), _duration_words(75), _duration_words(7322)
    ('0.2 s', '1 min 15 s', '2 h 2 min')
    """
    whole = round(seconds)
    if seconds < 60 and whole < 60:
        return f"{seconds:.1f} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
