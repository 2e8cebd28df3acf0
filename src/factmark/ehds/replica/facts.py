"""What is published about the EHDS portal, as data.

Source of every figure here: the public EHDS linked health data portal of the Ontology Engineering
Group, Universidad Politécnica de Madrid (mcp.linkeddata.es) and its benchmark's ground truth.
Figures are facts; all that is invented for the replica lives in the other modules.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """One of the eight usage policies of the catalogue.

    Attributes:
        id: for example `P1`.
        name: local name of its IRI. Those of P4 and P8 are not published; the replica names them.
        start, end: the temporal coverage of the datasets under it, as ISO dates.
    """

    id: str
    name: str
    start: str
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """One dataset with its clinical graph.

    Attributes:
        id: local name of its graph; `dataset-{id}` is that of its dataset.
        subject: the part of the title between "Synthetic" and "Cohort".
        snomed: the SNOMED CT code of its health category.
        policy: the id of its policy.
        patients: distinct patients in its graph.
        conditions, encounters: resources in its graph at full size.
    """

    id: str
    subject: str
    snomed: str
    policy: str
    patients: int
    conditions: int
    encounters: int

    @property
    def title(self) -> str:
        """The dataset's title as published."""
        return f"Synthetic {self.subject} Cohort"


def _policy(id: str, name: str, start: int, end: int = 2025) -> Policy:
    return Policy(id=id, name=name, start=f"{start}-01-01", end=f"{end}-12-31")


POLICIES: tuple[Policy, ...] = (
    _policy("P1", "policy-p1-research-only", 2000),
    _policy("P2", "policy-p2-clinical-care", 2005),
    _policy("P3", "policy-p3-ethics-approval", 2010),
    _policy("P4", "policy-p4-academic-open-access", 2003),
    _policy("P5", "policy-p5-open-noncommercial", 2000, 2023),
    _policy("P6", "policy-p6-oncology-restricted", 2010),
    _policy("P7", "policy-p7-time-limited", 2008),
    _policy("P8", "policy-p8-sensitive-anonymised", 2015),
)

# id, subject, SNOMED CT, policy, patients, conditions, encounters
_TABLE: tuple[tuple[str, str, str, str, int, int, int], ...] = (
    ("diabetes", "Type 2 Diabetes", "44054006", "P1", 40, 3277, 4117),
    ("hypertension", "Essential Hypertension", "59621000", "P1", 40, 2979, 4802),
    ("metabolic-syndrome", "Metabolic Syndrome", "237602007", "P1", 40, 3383, 5180),
    ("hyperlipidemia", "Hyperlipidemia", "55822004", "P1", 40, 2282, 3247),
    ("hypothyroidism", "Hypothyroidism", "83664006", "P1", 40, 2166, 3196),
    ("obesity", "Obesity", "162864005", "P1", 40, 2031, 3393),
    ("prediabetes", "Prediabetes", "714628002", "P1", 40, 1893, 2981),
    ("anemia", "Anemia", "271737000", "P1", 40, 2188, 3397),
    ("heart-failure", "Heart Failure", "88805009", "P2", 15, 999, 913),
    ("stroke", "Stroke", "230690007", "P2", 40, 1703, 3133),
    ("myocardial-infarction", "Myocardial Infarction", "22298006", "P2", 40, 2705, 4005),
    ("ischemic-heart-disease", "Ischaemic Heart Disease", "414545008", "P2", 40, 3292, 5340),
    ("atrial-fibrillation", "Atrial Fibrillation", "49436004", "P2", 40, 3156, 4825),
    ("anxiety", "Anxiety Disorder", "80583007", "P3", 10, 960, 1011),
    ("ptsd", "PTSD", "47505003", "P3", 10, 807, 1240),
    ("dementia", "Dementia", "52448006", "P3", 0, 0, 0),
    ("alzheimers", "Alzheimer's Disease", "26929004", "P4", 40, 4258, 5408),
    ("osteoporosis", "Osteoporosis", "64859006", "P4", 40, 2390, 3770),
    ("rheumatoid-arthritis", "Rheumatoid Arthritis", "69896004", "P4", 38, 2789, 3931),
    ("chronic-kidney-disease", "Chronic Kidney Disease", "431855005", "P4", 40, 4502, 8471),
    ("asthma", "Asthma", "195967001", "P5", 28, 1487, 2568),
    ("copd", "COPD", "87433001", "P5", 40, 1884, 2634),
    ("sleep-apnea", "Obstructive Sleep Apnea", "73430006", "P5", 40, 2024, 3563),
    ("uti", "Urinary Tract Infection", "197927001", "P5", 40, 2379, 4264),
    ("breast-cancer", "Breast Cancer", "254837009", "P6", 10, 543, 1403),
    ("prostate-cancer", "Prostate Cancer", "126906006", "P6", 10, 1144, 1938),
    ("colorectal-cancer", "Colorectal Cancer", "363406005", "P6", 10, 642, 1158),
    ("osteoarthritis", "Osteoarthritis", "57676002", "P7", 40, 1406, 1820),
    ("substance-use-disorder", "Substance Use Disorder", "6525002", "P8", 10, 1009, 1641),
    ("chronic-pain", "Chronic Pain", "82423001", "P8", 10, 615, 832),
)

COHORTS: tuple[Cohort, ...] = tuple(
    Cohort(
        id=id, subject=subject, snomed=snomed, policy=policy,
        patients=patients, conditions=conditions, encounters=encounters,
    )
    for id, subject, snomed, policy, patients, conditions, encounters in _TABLE
)  # fmt: skip

DATA_STANDARD = "FHIR R4"
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
METABOLIC_SYNDROME_DESCRIPTION = (
    "Synthetic patients presenting with both Type 2 Diabetes and Essential Hypertension, "
    "representing core metabolic syndrome indicators."
)
NO_AI_TRAINING = "policy-patient-no-ai-training"

DISTINCT_PATIENTS = 573
OBSERVATIONS = 1_077_431
MEDICATION_REQUESTS = 158_900
CODED_REQUESTS = 0.676  # the share of medication requests with an RxNorm code

CONSENT_FLAGS = 168  # distinct patients who withdrew consent to AI training
CONSENT_FLAGS_IN = {"breast-cancer": 2}
FEMALES_IN = {"ptsd": 1, "obesity": 25}
EARLIEST_BIRTH_YEAR_IN = {"alzheimers": 1916}
ONLY_RACE_IN = {"chronic-pain": "White"}

FLUORIDE_GEL = "sodium fluoride 0.0272 MG/MG Oral Gel"
# Patients per medication, the most frequent first; every other medication has fewer than the last.
TOP_MEDICATIONS: dict[str, dict[str, int]] = {
    "diabetes": {FLUORIDE_GEL: 38},
    "hypertension": {
        FLUORIDE_GEL: 40,
        "lisinopril 10 MG Oral Tablet": 26,
        "Acetaminophen 325 MG Oral Tablet": 23,
        "24 HR metoprolol succinate 100 MG Extended Release Oral Tablet": 20,
        "Clopidogrel 75 MG Oral Tablet": 20,
    },
}
