"""Protocol 2: texts that people rate, blinded, cut into clauses, beside their source. Pure."""

from factmark.summaries.blinding import Blinded, Change, blind, changed, rules
from factmark.summaries.clauses import clauses
from factmark.summaries.habits import HABITS, Habit, Lengths, lengths, openings
from factmark.summaries.sentences import sentences
from factmark.summaries.sources import Source, index_source, likely_sentences
from factmark.summaries.spans import Span
from factmark.summaries.tells import Tell, tells

__all__ = [
    "HABITS",
    "Blinded",
    "Change",
    "Habit",
    "Lengths",
    "Source",
    "Span",
    "Tell",
    "blind",
    "changed",
    "clauses",
    "index_source",
    "lengths",
    "likely_sentences",
    "openings",
    "rules",
    "sentences",
    "tells",
]
