"""Who is asked what, in which order: balanced loads, even pairs of raters, nested double rating.

Documents are taken in the order of a keyed hash (`stats.sampling`). The first of them, by the
overlap, get several raters, the others one each; so a larger overlap with the same seed rates the
same documents twice, by the same people, and more. Nothing depends on the order of the input.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from factmark.campaign_model import Annotator, Assignment, Queued
from factmark.errors import InputError
from factmark.people.core.forms import Form
from factmark.people.core.order import cut_into_batches, keyed_hash, shuffle_units
from factmark.stats.sampling import simple_random

BATCH = 10  # documents
ALONE = 30  # units of a batch where each stands alone
OVERLAP = 0.2
"""A fifth of the documents read twice costs a fifth more time; of 50 documents with three summaries
it gives 30 pairs of ratings to tell agreement by."""


def assign(
    documents: Mapping[str, Sequence[str]],
    annotators: Sequence[str],
    *,
    seed: int = 0,
    overlap: float = OVERLAP,
    raters: int = 2,
    batch: int = BATCH,
    parts: Mapping[str, str] | None = None,
    together: bool = True,
) -> tuple[Assignment, ...]:
    """Returns the lists of all annotators, one after the other, each in its order.

    Loads differ by one document at most; so do the sizes of an annotator's batches.

    Args:
        documents: document -> its units.
        overlap: the share of documents that several (`raters`) rate, 0 to 1; above 0 one at least.
        batch: documents in a batch at most.
        parts: unit -> the part of the document that it belongs to, where units of a part stay in
            the order given (clauses of a summary). Parts are shuffled; else so is every unit.
        together: whether the units of a document stand side by side on one list. Where not, each is
            dealt on its own, and `overlap` and `batch` count units.

    Raises:
        InputError: more raters than annotators, or nothing to assign.
    """
    _check_can_assign(documents, annotators, overlap, raters)
    home, blocks = _home_and_blocks(documents, together)
    lists = _deal_out(list(blocks), annotators, seed, overlap, raters)
    out = []
    for code, names in lists.items():
        order = sorted(names, key=lambda name: keyed_hash(seed, "list", code, name))
        rows = []
        for number, batch_names in enumerate(cut_into_batches(order, batch), 1):
            for name in batch_names:
                for unit in shuffle_units(blocks[name], parts or {}, seed, code, name):
                    rows.append((number, unit))
        out += [
            Assignment(annotator=code, batch=number, position=place, unit=unit, document=home[unit])
            for place, (number, unit) in enumerate(rows)
        ]
    return tuple(out)


def queue_up(
    documents: Mapping[str, Sequence[str]],
    annotators: Sequence[str],
    *,
    seed: int = 0,
    overlap: float = OVERLAP,
    raters: int = 2,
    together: bool = True,
) -> tuple[Queued, ...]:
    """Returns the queue that people draw documents from, in random order; those that several rate
    come first, so that enough people are still there. Arguments and errors as of `assign`."""
    _check_can_assign(documents, annotators, overlap, raters)
    home, blocks = _home_and_blocks(documents, together)
    names = list(blocks)
    shared = _size_of_share(len(names), overlap)
    return tuple(
        Queued(unit=unit, document=home[unit], raters=raters if place < shared else 1)
        for place, name in enumerate(simple_random(names, len(names), seed=seed).keys)
        for unit in blocks[name]
    )


def draw_share(keys: Iterable[str], share: float, *, seed: int) -> tuple[str, ...]:
    """Returns a share of the keys, drawn at random, in the order drawn; one key at least.

    With the same seed a larger share holds all that a smaller one does.
    """
    known = list(keys)
    return simple_random(known, _size_of_share(len(known), share), seed=seed).keys


def _check_can_assign(
    documents: Mapping[str, Sequence[str]], annotators: Sequence[str], overlap: float, raters: int
) -> None:
    """Raises InputError where there is nothing to ask, or more raters are wanted than there are;
    of a crowd nobody is there yet."""
    if not any(documents.values()):
        raise InputError("There is nothing to ask about.")
    if annotators and overlap and raters > len(annotators):
        raise InputError(
            f"--raters {raters}: more than there are annotators ({len(annotators)}). Name more, or "
            "say --overlap 0."
        )


def _home_and_blocks(
    documents: Mapping[str, Sequence[str]], together: bool
) -> tuple[dict[str, str], dict[str, Sequence[str]]]:
    """Returns unit -> its document, and what is dealt as one: name -> units, none without any."""
    home = {}
    for name, units in documents.items():
        for unit in units:
            home[unit] = name
    if not together:
        return home, {unit: (unit,) for unit in home}
    return home, {name: units for name, units in documents.items() if units}


def _size_of_share(size: int, share: float) -> int:
    """Returns a share of a size, rounded, and at least 1; 0 only where the share is 0."""
    if share:
        return min(size, max(1, math.floor(size * share + 0.5)))
    return 0


def _deal_out(
    names: Sequence[str], annotators: Sequence[str], seed: int, overlap: float, raters: int
) -> dict[str, list[str]]:
    """Returns code of an annotator -> the documents dealt to them, those with several raters first.

    Each document goes to those with the least to do, so that loads never differ by more than one;
    of these, to those who have shared the fewest documents yet. In trials with up to 9 annotators
    the pairs then shared numbers of documents that differed by 2 at most (by 3 of three raters).
    """
    order = simple_random(names, len(names), seed=seed)
    shared = _size_of_share(order.size, overlap)
    lists: dict[str, list[str]] = {code: [] for code in sorted(annotators)}
    pairs: Counter[frozenset[str]] = Counter()
    for place, name in enumerate(order.keys):
        chosen: list[str] = []

        def cost(code: str, name: str = name, chosen: list[str] = chosen) -> tuple[int, int, bytes]:
            met = sum(pairs[frozenset((code, other))] for other in chosen)
            return len(lists[code]), met, keyed_hash(seed, "rater", code, name)

        for _ in range(raters if place < shared else 1):
            chosen.append(min((code for code in lists if code not in chosen), key=cost))
        pairs.update(map(frozenset, combinations(chosen, 2)))
        for code in chosen:
            lists[code].append(name)
    return lists


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """How much one annotator is asked."""

    annotator: Annotator
    documents: int
    rows: int
    batches: int
    shared: int  # rows that somebody else is asked as well
    minutes: float  # that it will take, roughly


def annotator_loads(
    form: Form, annotators: Sequence[Annotator], assignments: Iterable[Assignment]
) -> tuple[Load, ...]:
    """Returns how much each annotator is asked, in their order."""
    lists: defaultdict[str, list[Assignment]] = defaultdict(list)
    raters: Counter[str] = Counter()
    for assignment in assignments:
        lists[assignment.annotator].append(assignment)
        raters[assignment.unit] += 1
    document, row = form.minutes
    out = []
    for annotator in annotators:
        mine = lists[annotator.code]
        documents = len({assignment.document for assignment in mine})
        out.append(
            Load(
                annotator=annotator,
                documents=documents,
                rows=len(mine),
                batches=len({assignment.batch for assignment in mine}),
                shared=sum(raters[assignment.unit] > 1 for assignment in mine),
                minutes=document * documents + row * len(mine),
            )
        )
    return tuple(out)
