"""Who the patients are, which cohorts they belong to, and what they are prescribed.

The 573 patients have 911 memberships. Cohorts whose gender, race or birth years are published, and
the two cancers that decide the gender, are filled with patients of their own; the others share.
Consent flags go to patients of a single cohort only, so that counting flags, patients or
patient-graph pairs gives the same published number.

A published medication goes to exactly the published number of patients, and each of them has it
both with an RxNorm code and without one: whichever way a query reaches the name, it counts the same
patients. Every other medication stays below the published ones.
"""

from __future__ import annotations

from bisect import bisect_right
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from factmark.ehds.replica.facts import (
    COHORTS,
    CONSENT_FLAGS,
    CONSENT_FLAGS_IN,
    DISTINCT_PATIENTS,
    EARLIEST_BIRTH_YEAR_IN,
    FEMALES_IN,
    MEDICATIONS,
    ONLY_RACE_IN,
    TOP_MEDICATIONS,
    Cohort,
)
from factmark.ehds.replica.plan import Counts, apportion, pick, sample, shuffled, whole_below


@dataclass(slots=True, kw_only=True)
class Person:
    """One synthetic person, the same in every graph; what stands last is known at the end.

    Attributes:
        cohorts: the ids of those that they belong to.
        birth_date: ISO date.
        no_ai_training: whether consent to AI training is withdrawn.
    """

    number: int
    gender: str
    birth_year: int
    race: str
    cohorts: list[str]
    birth_date: str = ""
    ethnicity: str = ""
    no_ai_training: bool = False

    @property
    def id(self) -> str:
        """The local name of the IRI."""
        return f"p{self.number + 1:03}"


_FEMALES_IN = {**FEMALES_IN, "breast-cancer": 10, "prostate-cancer": 0}
_OWN_PATIENTS = frozenset({*_FEMALES_IN, *EARLIEST_BIRTH_YEAR_IN, *ONLY_RACE_IN})
# Invented: the years of birth of a cohort's patients, first and last.
_BIRTH_YEARS = {
    "alzheimers": (1916, 1948),
    "osteoporosis": (1924, 1965),
    "heart-failure": (1924, 1965),
    "stroke": (1924, 1970),
    "prostate-cancer": (1928, 1962),
    "breast-cancer": (1932, 1975),
    "ptsd": (1950, 1995),
    "anxiety": (1950, 1997),
    "asthma": (1950, 1998),
}
_ANY_BIRTH_YEAR = (1928, 1990)
_RACES = (("White", 0.74), ("Black or African American", 0.88), ("Asian", 0.96), ("Other", 1.0))
_ETHNICITIES = ("Not Hispanic or Latino",) * 6 + ("Hispanic or Latino",)
_SHARE_OF_OTHERS = 0.4  # a medication without a published count goes to at most this share


def assign_patients(seed: int) -> Mapping[str, tuple[Person, ...]]:
    """Returns the patients of each cohort with any, by cohort id.

    The published figures hold for every seed; who shares which cohorts follows from it.
    """
    rng = Random(f"{seed}/patients")
    people: list[Person] = []
    for cohort in COHORTS:
        if cohort.id in _OWN_PATIENTS:
            people += [_new_person(cohort, i, len(people) + i, rng) for i in range(cohort.patients)]
    sharing = []
    for c in COHORTS:
        if c.id not in _OWN_PATIENTS and c.patients:
            sharing.append(c)
    shared = sum(c.patients for c in COHORTS) - DISTINCT_PATIENTS
    for cohort, n_shared in zip(
        sharing, apportion(shared, [c.patients for c in sharing]), strict=True
    ):
        known = sample(_people_who_may_join(people, cohort), n_shared, rng)
        new = []
        for i in range(cohort.patients - len(known)):
            new.append(_new_person(cohort, i, len(people) + i, rng))
        for person in known:
            person.cohorts.append(cohort.id)
        people += new
    return _people_by_cohort(people, rng)


def _new_person(cohort: Cohort, index: int, number: int, rng: Random) -> Person:
    """Returns the `index`-th new patient of a cohort, the `number`-th of all."""
    females = _FEMALES_IN.get(cohort.id)
    if females is None:
        female = rng.random() < 0.5
    else:
        female = index < females
    first, last = _BIRTH_YEARS.get(cohort.id, _ANY_BIRTH_YEAR)
    earliest = None
    if index == 0:
        earliest = EARLIEST_BIRTH_YEAR_IN.get(cohort.id)
    roll = rng.random()
    drawn = first + whole_below(last - first + 1, rng)
    race = next(name for name, limit in _RACES if roll < limit)
    return Person(
        number=number,
        gender="female" if female else "male",
        birth_year=drawn if earliest is None else earliest,
        race=ONLY_RACE_IN.get(cohort.id, race),
        cohorts=[cohort.id],
    )


def _people_who_may_join(people: Sequence[Person], cohort: Cohort) -> list[Person]:
    """Returns the patients who may join a cohort. Those of a cohort with published flags keep to
    it.
    """
    first, last = _BIRTH_YEARS.get(cohort.id, _ANY_BIRTH_YEAR)
    return [
        person
        for person in people
        if first <= person.birth_year <= last and person.cohorts[0] not in CONSENT_FLAGS_IN
    ]


def _people_by_cohort(people: Sequence[Person], rng: Random) -> dict[str, tuple[Person, ...]]:
    """Draws what is left to say of each person; returns the patients of each cohort
    that has any.
    """
    flagged = _numbers_without_consent(people, rng)
    for person in people:
        month = 1 + whole_below(12, rng)
        day = 1 + whole_below(monthrange(person.birth_year, month)[1], rng)
        person.birth_date = f"{person.birth_year}-{month:02}-{day:02}"
        person.ethnicity = pick(_ETHNICITIES, rng)
        person.no_ai_training = person.number in flagged
    return {
        cohort.id: tuple(person for person in people if cohort.id in person.cohorts)
        for cohort in COHORTS
        if cohort.patients
    }


def _numbers_without_consent(people: Sequence[Person], rng: Random) -> set[int]:
    """Returns the numbers of the patients without consent."""
    flagged: set[int] = set()
    for cohort, count in CONSENT_FLAGS_IN.items():
        held = sample([person for person in people if cohort in person.cohorts], count, rng)
        flagged |= {person.number for person in held}
    others = []
    for d in people:
        if len(d.cohorts) == 1 and d.cohorts[0] not in CONSENT_FLAGS_IN:
            others.append(d)
    return flagged | {d.number for d in sample(others, CONSENT_FLAGS - len(flagged), rng)}


def prescriptions(
    cohort: str, patients: int, counts: Counts, rng: Random
) -> Iterator[tuple[int, int, bool]]:
    """Yields all medication requests of a cohort: `counts.requests` of them, `counts.coded` with a
    code.

    Each is a patient and a medication, by their places in the cohort and in `MEDICATIONS`, and
    whether it carries the RxNorm code itself or points to a medication without one.
    """
    published = TOP_MEDICATIONS.get(cohort, {})
    takers = _takers_of_medications(published, patients, rng)
    fixed = [
        (patient, medication)
        for medication, code in enumerate(MEDICATIONS)
        if code.display in published
        for patient in takers[medication]
    ]
    extra = _further_pairs(takers, counts.requests - 2 * len(fixed), patients, rng)
    n_coded = counts.coded - len(fixed)
    flags = [True] * len(fixed) + [False] * len(fixed)
    flags += shuffled([i < n_coded for i in range(len(extra))], rng)
    for (patient, medication), coded in zip(fixed + fixed + extra, flags, strict=True):
        yield patient, medication, coded


def _takers_of_medications(
    published: Mapping[str, int], patients: int, rng: Random
) -> list[list[int]]:
    """Returns, for each medication, the patients who may take it.

    Those without a published count go round the patients, so that everybody takes some of them.
    """
    takers: list[list[int]] = []
    turn = shuffled(range(patients), rng)
    start = 0
    others = max(1, int(patients * _SHARE_OF_OTHERS))
    for code in MEDICATIONS:
        if code.display in published:
            takers.append(sample(range(patients), published[code.display], rng))
        else:
            takers.append([turn[(start + i) % patients] for i in range(others)])
            start += others
    return takers


def _further_pairs(
    takers: Sequence[Sequence[int]], count: int, patients: int, rng: Random
) -> list[tuple[int, int]]:
    """Returns further pairs of patient and medication; the first ones give each
    patient something.
    """
    by_patient: list[list[int]] = [[] for _ in range(patients)]
    for medication, takes in enumerate(takers):
        for patient in takes:
            by_patient[patient].append(medication)
    weights = list(accumulate(1 / (2 + medication) for medication in range(len(takers))))
    pairs = []
    for i in range(count):
        if i < patients:
            pairs.append((i, pick(by_patient[i], rng)))
        else:
            medication = bisect_right(weights, rng.random() * weights[-1])
            pairs.append((pick(takers[medication], rng), medication))
    return pairs
