"""Pulling again and again, until all is done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from factmark.errors import EndpointError
from factmark.people.labelstudio.pull import Pulled
from factmark.people.labelstudio.transport import TokenError


async def watch(
    pull: Callable[[], Awaitable[Pulled]],
    *,
    sleep: Callable[[], Awaitable[None]],
    tell: Callable[[str], None],
) -> Pulled:
    """Pulls until every task has an answer, and tells what changed; outlives a server's absence.

    Args:
        pull: takes in what is new.
        sleep: waits before the next turn.
        tell: gets a line for each change.

    Raises:
        InputError, TokenError: from the first pull or a later one; trying again would not help.
    """
    away = False
    before: dict[str, tuple[int, int, int, str]] = {}
    while True:
        try:
            pulled = await pull()
        except TokenError:
            raise
        except EndpointError as error:
            if not away:
                tell(f"{error} Trying again.")
            away = True
        else:
            if away:
                tell(f"{pulled.url} answers again.")
            away = False
            for line in changes(pulled, before):
                tell(line)
            if pulled.done:
                return pulled
        await sleep()


def changes(pulled: Pulled, before: dict[str, tuple[int, int, int, str]]) -> list[str]:
    """A line for each annotator of whom something changed; `before` is brought up to date."""
    lines = []
    for one in pulled.annotators:
        now = (one.answered, len(one.refused), len(one.gone), one.problem)
        known = before.get(one.code)
        before[one.code] = now
        if known == now and not one.new:
            continue
        line = f"{one.code} {one.name}: {one.answered} of {one.tasks}"
        line += f", {one.new} new or changed" if one.new else ""
        line += f", {len(one.refused)} do not count" if one.refused else ""
        line += f", {len(one.gone)} gone on the server" if one.gone else ""
        line += f"; {one.problem}" if one.problem else ""
        lines.append(line)
    return lines
