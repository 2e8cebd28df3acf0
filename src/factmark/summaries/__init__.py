"""Protocol 2: texts that people rate, blinded, cut into clauses, beside their source. Pure."""

from factmark.summaries.blinding import Blinded, Change, blind, changed, rules
from factmark.summaries.clauses import clauses
from factmark.summaries.entries import Subject
from factmark.summaries.finer import finer_rating
from factmark.summaries.habits import HABITS, Habit, Lengths, lengths, openings
from factmark.summaries.judges import JudgeSaid
from factmark.summaries.ratings import rate_campaign
from factmark.summaries.results import CampaignResults, How
from factmark.summaries.sentences import sentences
from factmark.summaries.sources import Source, index_source, likely_sentences
from factmark.summaries.spans import Span
from factmark.summaries.tells import Tell, tells

__all__ = [
    "HABITS",
    "Blinded",
    "CampaignResults",
    "Change",
    "Habit",
    "How",
    "JudgeSaid",
    "Lengths",
    "Source",
    "Span",
    "Subject",
    "Tell",
    "blind",
    "changed",
    "clauses",
    "finer_rating",
    "index_source",
    "lengths",
    "likely_sentences",
    "openings",
    "rate_campaign",
    "rules",
    "sentences",
    "tells",
]
