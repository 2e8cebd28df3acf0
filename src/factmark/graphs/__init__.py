"""Knowledge graphs: claims, FActScore*, ValidityScore, ontologies and the rule judges. Pure."""

from factmark.graphs.claims import (
    Triple,
    claim,
    pair_unit,
    relation_key,
    triple_unit,
    unique_pairs,
    unique_triples,
)
from factmark.graphs.evidence import Evidence, Span, judge_support
from factmark.graphs.factscore import FactScore, FactScores, fact_score, fact_scores
from factmark.graphs.ontology import Concept, Lexicon, Ontology, Relation
from factmark.graphs.tallies import Judged, Missing
from factmark.graphs.validity import (
    TypeVerdict,
    Validities,
    Validity,
    head_type,
    judge_types,
    validities,
    validity,
)
from factmark.graphs.wordings import WORDINGS
from factmark.labels import SUPPORT_LABELS, VALIDITY_LABELS

__all__ = [
    "SUPPORT_LABELS",
    "VALIDITY_LABELS",
    "WORDINGS",
    "Concept",
    "Evidence",
    "FactScore",
    "FactScores",
    "Judged",
    "Lexicon",
    "Missing",
    "Ontology",
    "Relation",
    "Span",
    "Triple",
    "TypeVerdict",
    "Validities",
    "Validity",
    "claim",
    "fact_score",
    "fact_scores",
    "head_type",
    "judge_support",
    "judge_types",
    "pair_unit",
    "relation_key",
    "triple_unit",
    "unique_pairs",
    "unique_triples",
    "validities",
    "validity",
]
