"""Questions and answers about an invented health data space; see `sample_results`."""

from factmark.answers.core.records import Question

_PREFIXES = """PREFIX dcat: <http://www.w3.org/ns/dcat#>
PREFIX dct: <http://purl.org/dc/terms/>
PREFIX odrl: <http://www.w3.org/ns/odrl/2/>
PREFIX fhir: <http://hl7.org/fhir/>
"""


def _question(query_id: str, text: str, truth: tuple[str, ...], where: str) -> Question:
    names = {"D": "discovery", "P": "policy", "C": "clinical", "X": "comparative"}
    return Question(
        query_id=query_id,
        category=names[query_id[0]],
        text=text,
        sparql=f"{_PREFIXES}\nSELECT {where}",
        ground_truth=truth,
    )


QUESTIONS = (
    _question(
        "D1",
        "How many datasets does the catalogue hold?",
        ("12",),
        "(COUNT(DISTINCT ?dataset) AS ?n)\nWHERE {\n  ?dataset a dcat:Dataset .\n}",
    ),
    _question(
        "D2",
        "Which registries cover lung disease?",
        ("Coastal Asthma Registry", "Harbour COPD Registry", "Sleep Apnoea Follow-up"),
        "?title\nWHERE {\n  ?dataset a dcat:Dataset ; dct:title ?title ; dcat:theme ?theme .\n"
        '  FILTER (CONTAINS(LCASE(STR(?theme)), "respiratory"))\n}\nORDER BY ?title',
    ),
    _question(
        "P2",
        "Does the asthma registry allow commercial use, and what is prohibited?",
        ("CommercialPurpose", "re-identify", "distribute"),
        "?action\nWHERE {\n  ?d odrl:hasPolicy/odrl:prohibition/odrl:action ?action .\n}",
    ),
    _question(
        "P3",
        "Which obligations come with the cancer registries?",
        ("ethics approval", "delete", "attribute", "report findings", "annual audit"),
        "DISTINCT ?duty\nWHERE {\n  ?d odrl:hasPolicy/odrl:obligation/odrl:action ?duty .\n}",
    ),
    _question(
        "P4",
        "Which policies name an embargo?",
        (),
        "?policy\nWHERE {\n  ?policy odrl:permission/odrl:constraint ?c .\n"
        "  ?c odrl:leftOperand odrl:embargo .\n}",
    ),
    _question(
        "C2",
        "Which three medications are prescribed most in the diabetes cohort?",
        (
            "metformin 500 MG Oral Tablet",
            "insulin glargine 100 UNT/ML",
            "lisinopril 10 MG Oral Tablet",
        ),
        "?name (COUNT(*) AS ?n)\nWHERE {\n  ?r a fhir:MedicationRequest ;\n"
        "    fhir:medication/fhir:text ?name .\n}\nGROUP BY ?name\nORDER BY DESC(?n)\nLIMIT 3",
    ),
    _question(
        "C3",
        "How many patients of the asthma registry are female?",
        ("61",),
        '(COUNT(DISTINCT ?p) AS ?n)\nWHERE {\n  ?p a fhir:Patient ; fhir:gender "female" .\n}',
    ),
    _question(
        "X1",
        "Which cohort has more patients, heart failure or stroke?",
        ("stroke",),
        "?cohort (COUNT(?p) AS ?n)\nWHERE {\n  GRAPH ?cohort { ?p a fhir:Patient }\n}\n"
        "GROUP BY ?cohort\nORDER BY DESC(?n)\nLIMIT 1",
    ),
    _question(
        "X3",
        "Which conditions occur in both the COPD and the stroke registry?",
        (
            "hypertension",
            "anaemia",
            "hyperlipidaemia",
            "depression",
            "obesity",
            "osteoporosis",
            "chronic pain",
            "migraine",
            "gout",
            "cataract",
            "glaucoma",
            "psoriasis",
            "eczema",
            "atrial fibrillation",
            "sinusitis",
        ),
        "DISTINCT ?name\nWHERE {\n  GRAPH ?a { ?x fhir:code/fhir:text ?name }\n"
        "  GRAPH ?b { ?y fhir:code/fhir:text ?name }\n}\nORDER BY ?name",
    ),
)

ANSWERS: dict[str, tuple[str | None, str | None, str | None]] = {
    "D1": (
        "I cannot look into the catalogue itself, but health data spaces of this kind usually offer"
        " around [forty] datasets, mostly on [cardiovascular disease] and [oncology].",
        "The catalogue lists [12>12] datasets.",
        "There are [12>12] datasets in the catalogue.",
    ),
    "D2": (
        "Typical candidates are a [COPD audit], an [asthma>Coastal Asthma Registry] registry and a"
        " [cystic fibrosis] registry.",
        "Two registries cover lung disease:\n\n"
        "- [Coastal Asthma Registry>Coastal Asthma Registry]\n"
        "- [Harbour COPD Registry>Harbour COPD Registry]",
        "Three registries cover lung disease:\n\n"
        "1. [Coastal Asthma Registry>Coastal Asthma Registry]\n"
        "2. [Harbour COPD Registry>Harbour COPD Registry]\n"
        "3. [Sleep Apnoea Follow-up>Sleep Apnoea Follow-up]",
    ),
    "P2": (
        "No. You would have to sign a [data use agreement], and patients must not be"
        " [re-identified>re-identify].",
        "No, a [commercial purpose>CommercialPurpose] is prohibited. Users must not try to"
        " [re-identify>re-identify] patients, and [IRB approval] is required.",
        "No. The policy prohibits three actions:\n\n- use for a"
        " [commercial purpose>CommercialPurpose]\n- to [re-identify>re-identify] a patient\n- to"
        " [distribute>distribute] the data",
    ),
    "P3": (
        "Users normally need [ethics approval>ethics approval] and must keep the data on a"
        " [secure server] in the [European Union].",
        "You need [ethics approval>ethics approval], must [delete>delete] the data after use and"
        " [report findings>report findings]. A [fee of 200 EUR] applies.",
        "The obligations are [ethics approval>ethics approval], to [delete>delete] the data, to"
        " [attribute>attribute] the source and to [report findings>report findings].",
    ),
    "P4": (
        "Policies for [genomic data] and for [clinical trials] name an embargo of [twelve months].",
        None,
        "No policy names an embargo.",
    ),
    "C2": (
        "The first choice is [metformin>metformin 500 MG Oral Tablet], followed by [sitagliptin]"
        " and [empagliflozin], which guidelines recommend with [heart disease].",
        "[Metformin 500 MG Oral Tablet>metformin 500 MG Oral Tablet] and"
        " [lisinopril 10 MG Oral Tablet>lisinopril 10 MG Oral Tablet] are prescribed most, then"
        " [simvastatin 20 MG].",
        "| Medication | Requests |\n|---|---|\n"
        "| [metformin 500 MG Oral Tablet>metformin 500 MG Oral Tablet] | [2,214] |\n"
        "| [insulin glargine 100 UNT/ML>insulin glargine 100 UNT/ML] | [1,807] |\n"
        "| [lisinopril 10 MG Oral Tablet>lisinopril 10 MG Oral Tablet] | [1,630] |",
    ),
    "C3": (
        "About [half] of them; adult asthma is somewhat more common in women, by [20 percent].",
        "",
        "[61>61] patients of the registry are female.",
    ),
    "X1": (
        None,
        "The [stroke>stroke] registry has more patients than the heart failure cohort.",
        "[Stroke>stroke], with [402] patients against [148].",
    ),
    "X3": (
        "Shared risk factors make [hypertension>hypertension], [diabetes] and"
        " [coronary artery disease] likely.",
        "[Hypertension>hypertension], [obesity>obesity] and [depression>depression].",
        "These conditions occur in both: [hypertension>hypertension], [anaemia>anaemia],"
        " [hyperlipidaemia>hyperlipidaemia], [depression>depression], [obesity>obesity],"
        " [osteoporosis>osteoporosis], [chronic pain>chronic pain], [migraine>migraine],"
        " [gout>gout], [cataract>cataract], [glaucoma>glaucoma] and [psoriasis>psoriasis]. The"
        " first is the most frequent, in [71 percent] of patients.",
    ),
}
