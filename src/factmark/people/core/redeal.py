"""Lists dealt again while people are at work: what is begun stays, what is not goes where there is
the least to do, and every document keeps as many raters as it had. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from factmark.campaign_model import Assignment
from factmark.people.core.order import cut_into_batches, keyed_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What somebody is asked of one document, or one unit that stands alone.

    Attributes:
        tasks: in the order of the list.
        answered: units that have an answer which counts.
    """

    name: str
    tasks: tuple[Assignment, ...]
    answered: frozenset[str] = frozenset()

    @property
    def begun(self) -> bool:
        """Whether a part of it is answered."""
        return bool(self.answered)

    @property
    def open(self) -> tuple[Assignment, ...]:
        """What has no answer."""
        return tuple(task for task in self.tasks if task.unit not in self.answered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Redeal:
    """How lists change.

    Attributes:
        released: what goes from a list.
        assigned: what comes on a list, or stands at another place of it.
        before, after: code -> documents that are left to do.
        moved: how many documents, or units that stand alone, came on another list.
        unfilled: names of documents with too few raters, since nobody is left who has not read it.
    """

    released: tuple[Assignment, ...]
    assigned: tuple[Assignment, ...]
    before: Mapping[str, int]
    after: Mapping[str, int]
    moved: int
    unfilled: tuple[str, ...] = ()


@dataclass(slots=True)
class _Lists:
    """The lists while they are dealt."""

    shares: dict[str, list[Share]]
    read: defaultdict[str, set[str]]  # name of a document -> who was ever asked about it
    changed: set[str] = field(default_factory=set)
    released: list[Assignment] = field(default_factory=list)

    def left(self, code: str) -> int:
        """Returns how many documents somebody has left to do."""
        return sum(bool(share.open) for share in self.shares[code])

    def load(self, code: str) -> tuple[int, int]:
        """Returns what somebody has left to do, and was asked in all: of two with as much left,
        who has done less comes first."""
        return self.left(code), len(self.shares[code])

    def give(self, share: Share, code: str) -> None:
        """Puts what is open of a share at the end of somebody's list."""
        self.released += share.open
        moved = tuple(replace(task, annotator=code) for task in share.open)
        self.shares[code].append(replace(share, tasks=moved, answered=frozenset()))
        self.read[share.name].add(code)
        self.changed.add(code)


def redeal(
    shares: Mapping[str, Sequence[Share]],
    to: Collection[str],
    leaving: Mapping[str, Sequence[Share]],
    *,
    first: Mapping[str, int],
    batch: int,
    seed: int = 0,
    seen: Mapping[str, Collection[str]] | None = None,
) -> Redeal:
    """Returns lists with what those who leave have not done dealt to the others, and with what
    these have not begun moved until nobody has more than one document more left than another.

    Args:
        shares: code -> the list of everybody who stays, in its order; `to` is among them.
        to: who may get more.
        leaving: code -> what has to go from the list of who leaves.
        first: code -> the place on the list where new ones begin.
        batch: documents in a batch at most.
        seen: code -> names of documents that somebody is not to be dealt.
    """
    lists = _Lists(
        {code: list(own_shares) for code, own_shares in shares.items()}, defaultdict(set)
    )
    for code, own_shares in (*shares.items(), *leaving.items()):
        for share in own_shares:
            lists.read[share.name].add(code)
    for code, names in (seen or {}).items():
        for name in names:
            lists.read[name].add(code)
    before = {code: lists.left(code) for code in shares}
    before |= {
        code: sum(bool(share.open) for share in own_shares) for code, own_shares in leaving.items()
    }
    unfilled = []
    for code in sorted(leaving):
        for share in leaving[code]:
            if not share.open:
                continue
            able = []
            for other in to:
                if other not in lists.read[share.name]:
                    able.append(other)
            if not able:
                unfilled.append(share.name)
                continue
            ranks = {}
            for c in able:
                ranks[c] = (*lists.load(c), keyed_hash(seed, "again", c, share.name))
            least = min(able, key=ranks.__getitem__)
            lists.give(share, least)
    while _level_one(lists, to):
        pass
    assigned = [
        task
        for code in sorted(lists.changed)
        for task in _placed(lists.shares[code], first.get(code, 0), batch)
    ]
    after = {code: lists.left(code) for code in shares}
    had = {(code, share.name) for code, own_shares in shares.items() for share in own_shares}
    have = {(code, share.name) for code, own_shares in lists.shares.items() for share in own_shares}
    return Redeal(
        released=tuple(lists.released),
        assigned=tuple(assigned),
        before=before,
        after=after,
        moved=len(have - had),
        unfilled=tuple(unfilled),
    )


def shares_of(
    tasks: Iterable[Assignment], answered: Collection[str], *, whole: bool
) -> list[Share]:
    """Returns one annotator's list as shares, in its order.

    Args:
        answered: units with an answer of this annotator.
        whole: whether the units of a document stand together.
    """
    groups: defaultdict[str, list[Assignment]] = defaultdict(list)
    for task in tasks:
        groups[task.document if whole else task.unit].append(task)
    return [
        Share(
            name=name,
            tasks=tuple(own_tasks),
            answered=frozenset(task.unit for task in own_tasks if task.unit in answered),
        )
        for name, own_tasks in groups.items()
    ]


def _level_one(lists: _Lists, to: Collection[str]) -> bool:
    """Moves one document from who has the most left to who has the least; whether there was one to
    move. The last on the list goes first."""
    order = sorted(lists.shares, key=lambda code: (-lists.left(code), code))
    for giver in order:
        for taker in sorted(to, key=lambda code: (*lists.load(code), code)):
            if lists.left(giver) - lists.left(taker) < 2:
                break
            mine = lists.shares[giver]
            for place in range(len(mine) - 1, -1, -1):
                share = mine[place]
                if not share.begun and taker not in lists.read[share.name]:
                    del mine[place]
                    lists.read[share.name].discard(giver)
                    lists.changed.add(giver)
                    lists.give(share, taker)
                    return True
    return False


def _placed(shares: Sequence[Share], first: int, batch: int) -> list[Assignment]:
    """Returns what is not begun of a changed list, cut evenly into batches that go on where the
    last begun one is; positions count from `first`."""
    begun = [share for share in shares if share.begun]
    fresh = [share for share in shares if not share.begun]
    number = max((task.batch for share in begun for task in share.tasks), default=1)
    there = sum(share.tasks[0].batch == number for share in begun)
    pieces = [len(piece) for piece in cut_into_batches(range(there + len(fresh)), batch)]
    if there and (not pieces or pieces[0] < there):
        pieces = [there, *(len(piece) for piece in cut_into_batches(fresh, batch))]
    ends = [0]
    for size in pieces:
        ends.append(ends[-1] + size)
    out: list[Assignment] = []
    for piece, (start, end) in enumerate(pairwise(ends)):
        for share in fresh[max(0, start - there) : max(0, end - there)]:
            out += [
                replace(task, batch=number + piece, position=first + len(out) + n)
                for n, task in enumerate(share.tasks)
            ]
    return out
