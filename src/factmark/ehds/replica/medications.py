"""Which patient is prescribed what, so that the published counts of patients hold.

A published medication goes to exactly the published number of patients, and each of them has it
both with an RxNorm code and without one: whichever way a query reaches the name, it counts the same
patients. Every other medication stays below the published ones.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from factmark.ehds.replica.facts import MEDICATIONS, TOP_MEDICATIONS
from factmark.ehds.replica.plan import Counts, sample, shuffled

_SHARE_OF_OTHERS = 0.4  # a medication without a published count goes to at most this share


@dataclass(frozen=True, slots=True, kw_only=True)
class Prescription:
    """One prescription.

    Attributes:
        patient: index into the cohort's patients.
        medication: index into `MEDICATIONS`.
        coded: whether it carries the RxNorm code itself, or points to a medication without one.
    """

    patient: int
    medication: int
    coded: bool


def requests(cohort: str, patients: int, counts: Counts, rng: Random) -> list[Prescription]:
    """All medication requests of a cohort, `counts.requests` of which `counts.coded` coded."""
    published = TOP_MEDICATIONS.get(cohort, {})
    takers = _takers(published, patients, rng)
    fixed = [
        (patient, medication)
        for medication, code in enumerate(MEDICATIONS)
        if code.display in published
        for patient in takers[medication]
    ]
    extra = _extra(takers, counts.requests - 2 * len(fixed), patients, rng)
    n_coded = counts.coded - len(fixed)
    flags = [True] * len(fixed) + [False] * len(fixed)
    flags += shuffled([i < n_coded for i in range(len(extra))], rng)
    return [
        Prescription(patient=patient, medication=medication, coded=coded)
        for (patient, medication), coded in zip(fixed + fixed + extra, flags, strict=True)
    ]


def _takers(published: Mapping[str, int], patients: int, rng: Random) -> list[list[int]]:
    """The patients who may take each medication.

    Medications without a published count go round the patients in turn, so that everybody takes
    some of them.
    """
    takers: list[list[int]] = []
    turn = shuffled(range(patients), rng)
    start, others = 0, max(1, int(patients * _SHARE_OF_OTHERS))
    for code in MEDICATIONS:
        if code.display in published:
            takers.append(sample(range(patients), published[code.display], rng))
        else:
            takers.append([turn[(start + i) % patients] for i in range(others)])
            start += others
    return takers


def _extra(
    takers: Sequence[Sequence[int]], count: int, patients: int, rng: Random
) -> list[tuple[int, int]]:
    """Further pairs of patient and medication; the first ones give each patient something."""
    by_patient: list[list[int]] = [[] for _ in range(patients)]
    for medication, takes in enumerate(takers):
        for patient in takes:
            by_patient[patient].append(medication)
    weights = list(accumulate(1 / (2 + medication) for medication in range(len(takers))))
    pairs = []
    for i in range(count):
        if i < patients:
            options = by_patient[i]
            pairs.append((i, options[int(rng.random() * len(options))]))
        else:
            medication = bisect_right(weights, rng.random() * weights[-1])
            takes = takers[medication]
            pairs.append((takes[int(rng.random() * len(takes))], medication))
    return pairs
