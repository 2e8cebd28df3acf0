"""Does a passage state a free claim? The rule judge of support, for claims that it can read. Pure.

A claim is read as a triple where it is one of the sentences that triples read as (`Metformin treats
diabetes`); that triple is judged as FActScore* judges it. A sentence of the passage that is the
claim word for word states it, unless it asks, quotes or is taken back. All else is left undecided.
"""

from __future__ import annotations

import re
from functools import cache

from factmark.graphs.core.claims import WORDINGS, RuleVerdict, Triple
from factmark.graphs.core.evidence import judge_support
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.taken_back import neighbours_agree
from factmark.label_values import SUPPORTED
from factmark.text.sentences import sentences

RULES_VERSION = "3"  # part of the judge's identity: raise it when the rules judge otherwise

_NAME = {
    "head": "(?P<head>.+?)",
    "tail": "(?P<tail>.+)",
    "a_head": "(?:an? |the )(?P<head>.+?)",
    "a_tail": "(?:an? |the )(?P<tail>.+)",
}
_PLACE = re.compile(r"\{(\w+)\}")
_END = re.compile(r"[\s.!]+$")
_QUOTED = re.compile(r"^[\"“„«]|~~")
_WORD = re.compile(r"\w+")


def judge_claim(triple: Triple | None, claim: str, passage: str, names: Ontology) -> RuleVerdict:
    """Returns SUPPORTED or CONTRADICTED where the passage states or denies the claim in words that
    the rules know; no label, and why, where it does not.

    Args:
        triple: the claim as a triple, where it came as one.
        names: for synonyms of names.
    """
    if not passage.strip():
        return RuleVerdict(label=None, reason="no passage")
    if _states_it(claim, passage):
        return RuleVerdict(
            label=SUPPORTED, reason="a sentence of the passage says it word for word"
        )
    triple = triple or triple_in(claim)
    if triple is None:
        return RuleVerdict(label=None, reason="the rules cannot read the claim")
    return judge_support(triple, passage, names)


def triple_in(claim: str) -> Triple | None:
    """Returns the triple that a claim states in the wording of a known relation; None for any other
    claim.

    >>> triple = triple_in("Metformin treats type 2 diabetes.")
    >>> triple.head, triple.relation, triple.tail
    ('Metformin', 'treats', 'type 2 diabetes')
    """
    text = _END.sub("", claim)
    for relation, pattern in _patterns().items():
        match = pattern.fullmatch(text)
        if match:
            return Triple(head=match["head"], relation=relation, tail=match["tail"])
    return None


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Returns relation -> its wording as a pattern, those with the most words first."""
    pieces = {}
    for relation, wording in WORDINGS.items():
        pieces[relation] = _PLACE.split(wording)
    ordered = sorted(pieces, key=lambda name: (-sum(map(len, pieces[name][::2])), name))
    patterns = {}
    for name in ordered:
        patterns[name] = re.compile(
            "".join(_NAME.get(piece) or re.escape(piece) for piece in pieces[name]), re.IGNORECASE
        )
    return patterns


def _states_it(claim: str, passage: str) -> bool:
    """Whether a whole sentence of the passage is the claim, but for case and the marks at its
    end; neither a question nor a quotation states anything, nor what the sentences around it take
    back."""
    wanted = _WORD.findall(claim.casefold())
    if not wanted or claim.rstrip().endswith("?"):
        return False
    spans = sentences(passage)
    whole = [span.of(passage).rstrip() for span in spans]
    return any(
        _WORD.findall(sentence.casefold()) == wanted
        and not sentence.endswith("?")
        and not _QUOTED.search(sentence)
        and neighbours_agree(passage, spans, number)
        for number, sentence in enumerate(whole)
    )
