"""Descriptions and keywords of the datasets.

All but one description are ours; that of the metabolic syndrome cohort is published, as the answer
to benchmark question X4. No other text here names both diabetes and hypertension, so that a search
in the descriptions finds the same dataset.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from factmark.ehds.replica.facts import METABOLIC_SYNDROME_DESCRIPTION

_FIELDS = {
    "cardiovascular": (
        "heart-failure", "stroke", "myocardial-infarction", "ischemic-heart-disease",
        "atrial-fibrillation",
    ),
    "mental health": ("anxiety", "ptsd", "dementia"),
    "oncology": ("breast-cancer", "prostate-cancer", "colorectal-cancer"),
    "respiratory": ("asthma", "copd", "sleep-apnea"),
    "metabolism": (
        "diabetes", "hypertension", "metabolic-syndrome", "hyperlipidemia", "hypothyroidism",
        "obesity", "prediabetes", "anemia",
    ),
    "ageing": ("alzheimers", "osteoporosis", "rheumatoid-arthritis", "chronic-kidney-disease"),
    "urology": ("uti",),
    "musculoskeletal": ("osteoarthritis",),
    "sensitive care": ("substance-use-disorder", "chronic-pain"),
}  # fmt: skip

_WHO = {
    "diabetes": "type 2 diabetes, with their glucose control, medications and visits",
    "hypertension": "long-standing raised blood pressure and the medications that lower it",
    "hyperlipidemia": "raised blood lipids, with cholesterol and triglyceride values over time",
    "hypothyroidism": "an underactive thyroid and its hormone replacement",
    "obesity": "a body mass index of 30 or more",
    "prediabetes": "raised blood glucose that has not reached the diagnostic threshold",
    "anemia": "low haemoglobin, with blood counts over time",
    "heart-failure": "chronic failure of the heart, a small cardiovascular cohort",
    "stroke": "a stroke in their history and its cardiovascular follow-up",
    "myocardial-infarction": "a heart attack in their history and its cardiovascular follow-up",
    "ischemic-heart-disease": "narrowed coronary arteries, a cardiovascular cohort",
    "atrial-fibrillation": "an irregular heart rhythm, a cardiovascular cohort",
    "anxiety": "an anxiety disorder, a small mental health cohort",
    "ptsd": "posttraumatic stress, a small mental health cohort",
    "dementia": "dementia, a mental health cohort that holds no patients yet",
    "alzheimers": "Alzheimer's disease in later life",
    "osteoporosis": "low bone density and a raised risk of fractures",
    "rheumatoid-arthritis": "inflamed joints of autoimmune origin",
    "chronic-kidney-disease": "slowly declining kidney function",
    "asthma": "asthma, a respiratory cohort with inhaled medications",
    "copd": "chronic obstructive lung disease, a respiratory cohort",
    "sleep-apnea": "obstructed breathing during sleep, a respiratory cohort",
    "uti": "infections of the urinary tract that come back",
    "breast-cancer": "breast cancer, a small oncology cohort",
    "prostate-cancer": "prostate cancer, a small oncology cohort",
    "colorectal-cancer": "cancer of the colon or rectum, a small oncology cohort",
    "osteoarthritis": "worn joints and the pain that goes with them",
    "substance-use-disorder": "dependence on a substance, a cohort under strict safeguards",
    "chronic-pain": "pain that lasts, a cohort under strict safeguards",
}

DESCRIPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "metabolic-syndrome": METABOLIC_SYNDROME_DESCRIPTION,
        **{cohort: f"Synthetic patients with {who}." for cohort, who in _WHO.items()},
    }
)

KEYWORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {cohort: ("synthetic", field) for field, cohorts in _FIELDS.items() for cohort in cohorts}
)
