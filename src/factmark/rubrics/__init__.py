"""What judges are asked; how their replies are read is in `factmark.replies`. Pure."""

from factmark.replies import (
    ABSTAIN,
    DONT_KNOW,
    abstains,
    parse_batch,
    parse_choice,
    parse_rating,
    parse_ratings,
    parse_reply,
)
from factmark.rubrics.answer_facts import (
    Quote,
    Quotes,
    facts_id,
    facts_messages,
    facts_schema,
    parse_quotes,
)
from factmark.rubrics.graph_answer import PROMPTS, answer_messages, prompt_id
from factmark.rubrics.graph_reply import Read, read_answer
from factmark.rubrics.rubric import Message, Rubric
from factmark.rubrics.summary import COARSE_SUMMARY, FINE_SUMMARY, clause_claim
from factmark.rubrics.support import (
    SUPPORT_ALIGNED,
    SUPPORT_ALIGNED_GENERAL,
    SUPPORT_CONTEXT,
    SUPPORT_GENERAL,
)
from factmark.rubrics.validity import VALIDITY_ONTOLOGY, VALIDITY_PLAIN, ontology_claim
from factmark.rubrics.verification import HOLDS, VERIFY, holds_claim, verify_evidence

__all__ = [
    "ABSTAIN",
    "COARSE_SUMMARY",
    "DONT_KNOW",
    "FINE_SUMMARY",
    "HOLDS",
    "PROMPTS",
    "SUPPORT_ALIGNED",
    "SUPPORT_ALIGNED_GENERAL",
    "SUPPORT_CONTEXT",
    "SUPPORT_GENERAL",
    "VALIDITY_ONTOLOGY",
    "VALIDITY_PLAIN",
    "VERIFY",
    "Message",
    "Quote",
    "Quotes",
    "Read",
    "Rubric",
    "abstains",
    "answer_messages",
    "clause_claim",
    "facts_id",
    "facts_messages",
    "facts_schema",
    "holds_claim",
    "ontology_claim",
    "parse_batch",
    "parse_choice",
    "parse_quotes",
    "parse_rating",
    "parse_ratings",
    "parse_reply",
    "prompt_id",
    "read_answer",
    "verify_evidence",
]
