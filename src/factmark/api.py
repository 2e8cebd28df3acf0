"""The public functions, each from its slice: what `import factmark as fm` loads when it is used."""

from __future__ import annotations

from factmark.analysis.agree import agree
from factmark.analysis.compare import compare
from factmark.analysis.correct import correct
from factmark.analysis.evaluations.study import analyse
from factmark.analysis.plan import plan
from factmark.claim_support.study import claims
from factmark.cli.annotate import protocol_of
from factmark.cli.score import score
from factmark.graph_answers.study import graphrag
from factmark.graphs.profile.study import profile
from factmark.graphs.study import factscore, validity
from factmark.people.study import ratings_function
from factmark.runs.study import run

__all__ = [
    "agree",
    "analyse",
    "claims",
    "compare",
    "correct",
    "factscore",
    "graphrag",
    "plan",
    "profile",
    "ratings",
    "run",
    "score",
    "validity",
]

ratings = ratings_function(protocol_of)
