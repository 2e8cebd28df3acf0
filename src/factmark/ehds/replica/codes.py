"""Real codes with their displays: SNOMED CT, LOINC, RxNorm.

The twenty observation types of the stroke cohort and the medications of `facts.TOP_MEDICATIONS` are
published; which other codes occur, how often and with which values is invented.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from factmark.ehds.replica.facts import FLUORIDE_GEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A code of a code system, given as the namespace's prefix."""

    system: str
    code: str
    display: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationType:
    """What is observed.

    Attributes:
        low, high: the range of invented values; unused where `answers` are given.
        unit: UCUM.
        weight: how often it occurs, relative to the others.
        answers: coded values, for a question.
        components: the parts of a panel, which then has no value of its own.
    """

    code: Code
    low: float = 0.0
    high: float = 0.0
    unit: str = ""
    weight: float = 1.0
    answers: tuple[Code, ...] = ()
    components: tuple[ObservationType, ...] = ()


def _snomed(code: str, display: str) -> Code:
    return Code(system="snomed", code=code, display=display)


def _loinc(code: str, display: str) -> Code:
    return Code(system="loinc", code=code, display=display)


def _rxnorm(code: str, display: str) -> Code:
    return Code(system="rxnorm", code=code, display=display)


def _quantity(
    code: str, display: str, low: float, high: float, unit: str, weight: float = 1.0
) -> ObservationType:
    return ObservationType(code=_loinc(code, display), low=low, high=high, unit=unit, weight=weight)


_BLOOD_PRESSURE = ObservationType(
    code=_loinc("85354-9", "Blood pressure panel with all children optional"),
    weight=1.58,
    components=(
        _quantity("8462-4", "Diastolic blood pressure", 60, 100, "mm[Hg]"),
        _quantity("8480-6", "Systolic blood pressure", 100, 170, "mm[Hg]"),
    ),
)
_SMOKING = ObservationType(
    code=_loinc("72166-2", "Tobacco smoking status"),
    answers=(
        _snomed("266919005", "Never smoked tobacco (finding)"),
        _snomed("8517006", "Ex-smoker (finding)"),
        _snomed("449868002", "Smokes tobacco daily (finding)"),
    ),
)

# The published types of the stroke cohort, and no others there (benchmark question C4).
STROKE_OBSERVATIONS: tuple[ObservationType, ...] = (
    _BLOOD_PRESSURE,
    _SMOKING,
    _quantity("8302-2", "Body Height", 150, 190, "cm"),
    _quantity("29463-7", "Body Weight", 50, 110, "kg"),
    _quantity("9279-1", "Respiratory rate", 12, 16, "/min"),
    _quantity("59460-6", "Fall risk total [Morse Fall Scale]", 10, 80, "{#}"),
    _quantity("2339-0", "Glucose [Mass/volume] in Blood", 65, 160, "mg/dL"),
    _quantity("6299-2", "Urea nitrogen [Mass/volume] in Blood", 7, 20, "mg/dL"),
    _quantity("38483-4", "Creatinine [Mass/volume] in Blood", 0.5, 3.2, "mg/dL"),
    _quantity("49765-1", "Calcium [Mass/volume] in Blood", 8.5, 10.2, "mg/dL"),
    _quantity("2947-0", "Sodium [Moles/volume] in Blood", 136, 144, "mmol/L"),
    _quantity("6298-4", "Potassium [Moles/volume] in Blood", 3.7, 5.2, "mmol/L"),
    _quantity("20565-8", "Carbon dioxide, total [Moles/volume] in Blood", 20, 29, "mmol/L"),
    _quantity("4548-4", "Hemoglobin A1c/Hemoglobin.total in Blood", 4, 8, "%"),
    _quantity("2085-9", "Cholesterol in HDL [Mass/volume] in Serum or Plasma", 20, 80, "mg/dL"),
    _quantity(
        "18262-6", "Cholesterol in LDL [Mass/volume] in Serum or Plasma by Direct assay",
        50, 190, "mg/dL",
    ),
    _quantity(
        "1742-6", "Alanine aminotransferase [Enzymatic activity/volume] in Serum or Plasma",
        8, 55, "U/L",
    ),
    _quantity(
        "4544-3", "Hematocrit [Volume Fraction] of Blood by Automated count", 33, 50, "%"
    ),
    _quantity("788-0", "Erythrocyte [DistWidth] in Blood by Automated count", 11.5, 15, "%"),
    _quantity(
        "787-2", "MCV [Entitic mean volume] in Red Blood Cells by Automated count", 80, 95, "fL"
    ),
)  # fmt: skip

OTHER_OBSERVATIONS: tuple[ObservationType, ...] = (
    _quantity("8867-4", "Heart rate", 60, 100, "/min"),
    _quantity("39156-5", "Body mass index (BMI) [Ratio]", 18, 40, "kg/m2"),
    _quantity("8310-5", "Body temperature", 36, 39, "Cel", 0.4),
    _quantity("2093-3", "Cholesterol [Mass/volume] in Serum or Plasma", 120, 280, "mg/dL"),
    _quantity("2571-8", "Triglyceride [Mass/volume] in Serum or Plasma", 60, 240, "mg/dL"),
    _quantity("2069-3", "Chloride [Moles/volume] in Blood", 101, 111, "mmol/L"),
    _quantity("718-7", "Hemoglobin [Mass/volume] in Blood", 10, 17, "g/dL"),
    _quantity("6690-2", "Leukocytes [#/volume] in Blood by Automated count", 3, 11, "10*3/uL"),
    _quantity("777-3", "Platelets [#/volume] in Blood by Automated count", 150, 400, "10*3/uL"),
    _quantity("1751-7", "Albumin [Mass/volume] in Serum or Plasma", 3, 6, "g/dL", 0.5),
    _quantity(
        "72514-3", "Pain severity - 0-10 verbal numeric rating [Score] - Reported", 0, 9, "{score}"
    ),
)  # fmt: skip

# The display that the cohort's own condition carries in the clinical graph.
COHORT_CONDITIONS: Mapping[str, str] = MappingProxyType(
    {
        "diabetes": "Diabetes mellitus type 2 (disorder)",
        "hypertension": "Essential hypertension (disorder)",
        "metabolic-syndrome": "Metabolic syndrome X (disorder)",
        "hyperlipidemia": "Hyperlipidemia (disorder)",
        "hypothyroidism": "Idiopathic atrophic hypothyroidism (disorder)",
        "obesity": "Body mass index 30+ - obesity (finding)",
        "prediabetes": "Prediabetes (finding)",
        "anemia": "Anemia (disorder)",
        "heart-failure": "Chronic congestive heart failure (disorder)",
        "stroke": "Cerebrovascular accident (disorder)",
        "myocardial-infarction": "Myocardial infarction (disorder)",
        "ischemic-heart-disease": "Ischemic heart disease (disorder)",
        "atrial-fibrillation": "Atrial fibrillation (disorder)",
        "anxiety": "Severe anxiety (panic) (finding)",
        "ptsd": "Posttraumatic stress disorder (disorder)",
        "dementia": "Dementia (disorder)",
        "alzheimers": "Alzheimer's disease (disorder)",
        "osteoporosis": "Osteoporosis (disorder)",
        "rheumatoid-arthritis": "Rheumatoid arthritis (disorder)",
        "chronic-kidney-disease": "Chronic kidney disease stage 1 (disorder)",
        "asthma": "Asthma (disorder)",
        "copd": "Pulmonary emphysema (disorder)",
        "sleep-apnea": "Sleep apnea (disorder)",
        "uti": "Recurrent urinary tract infection (disorder)",
        "breast-cancer": "Malignant neoplasm of breast (disorder)",
        "prostate-cancer": "Neoplasm of prostate (disorder)",
        "colorectal-cancer": "Malignant tumor of colon (disorder)",
        "osteoarthritis": "Joint pain (finding)",
        "substance-use-disorder": "Dependent drug abuse (disorder)",
        "chronic-pain": "Chronic pain (finding)",
    }
)

COMMON_CONDITIONS: tuple[Code, ...] = (
    _snomed("314529007", "Medication review due (situation)"),
    _snomed("160903007", "Full-time employment (finding)"),
    _snomed("160904001", "Part-time employment (finding)"),
    _snomed("73438004", "Unemployed (finding)"),
    _snomed("741062008", "Not in labor force (finding)"),
    _snomed("224299000", "Received higher education (finding)"),
    _snomed("73595000", "Stress (finding)"),
    _snomed("423315002", "Limited social contact (finding)"),
    _snomed("66383009", "Gingivitis (disorder)"),
    _snomed("18718003", "Gingival disease (disorder)"),
    _snomed("195662009", "Acute viral pharyngitis (disorder)"),
    _snomed("444814009", "Viral sinusitis (disorder)"),
    _snomed("40055000", "Chronic sinusitis (disorder)"),
    _snomed("10509002", "Acute bronchitis (disorder)"),
    _snomed("44465007", "Sprain of ankle (disorder)"),
    _snomed("284551006", "Laceration of foot (disorder)"),
    _snomed("302870006", "Hypertriglyceridemia (disorder)"),
    _snomed("80394007", "Hyperglycemia (disorder)"),
)

ENCOUNTER_REASONS: tuple[Code, ...] = (
    _snomed("162673000", "General examination of patient (procedure)"),
    _snomed("185345009", "Encounter for symptom (procedure)"),
    _snomed("185347001", "Encounter for problem (procedure)"),
    _snomed("390906007", "Follow-up encounter (procedure)"),
    _snomed("185349003", "Encounter for check up (procedure)"),
    _snomed("50849002", "Emergency room admission (procedure)"),
)

# Most requested first, the published ones in their published order.
MEDICATIONS: tuple[Code, ...] = (
    _rxnorm("1535362", FLUORIDE_GEL),
    _rxnorm("314076", "lisinopril 10 MG Oral Tablet"),
    _rxnorm("313782", "Acetaminophen 325 MG Oral Tablet"),
    _rxnorm("866412", "24 HR metoprolol succinate 100 MG Extended Release Oral Tablet"),
    _rxnorm("309362", "Clopidogrel 75 MG Oral Tablet"),
    _rxnorm("312961", "Simvastatin 20 MG Oral Tablet"),
    _rxnorm("310798", "Hydrochlorothiazide 25 MG Oral Tablet"),
    _rxnorm("860975", "24 HR Metformin hydrochloride 500 MG Extended Release Oral Tablet"),
    _rxnorm("308136", "amLODIPine 2.5 MG Oral Tablet"),
    _rxnorm("259255", "atorvastatin 80 MG Oral Tablet"),
    _rxnorm("705129", "Nitroglycerin 0.4 MG/ACTUAT Mucosal Spray"),
    _rxnorm("310965", "Ibuprofen 200 MG Oral Tablet"),
    _rxnorm("849574", "Naproxen sodium 220 MG Oral Tablet"),
    _rxnorm("313988", "Furosemide 40 MG Oral Tablet"),
    _rxnorm("855332", "Warfarin Sodium 5 MG Oral Tablet"),
    _rxnorm("197604", "Digoxin 0.125 MG Oral Tablet"),
    _rxnorm("834061", "Penicillin V Potassium 250 MG Oral Tablet"),
    _rxnorm("966222", "Levothyroxine Sodium 0.075 MG Oral Tablet"),
    _rxnorm("997223", "Donepezil hydrochloride 10 MG Oral Tablet"),
    _rxnorm("904419", "Alendronic acid 10 MG Oral Tablet"),
    _rxnorm("105585", "Methotrexate 2.5 MG Oral Tablet"),
    _rxnorm("895994", "120 ACTUAT Fluticasone propionate 0.044 MG/ACTUAT Metered Dose Inhaler"),
)
