"""A judge's or a model's reply -> one of the offered labels or none, never a default. Pure."""

from factmark.replies.abstaining import DONT_KNOW, abstains, refuses
from factmark.replies.batch import parse_batch
from factmark.replies.choices import ABSTAIN, parse_choice
from factmark.replies.ratings import parse_rating, parse_ratings
from factmark.replies.reading import parse_reply

__all__ = [
    "ABSTAIN",
    "DONT_KNOW",
    "abstains",
    "parse_batch",
    "parse_choice",
    "parse_rating",
    "parse_ratings",
    "parse_reply",
    "refuses",
]
