"""A judge's or a model's reply -> one of the offered labels or none, never a default. Pure."""

from typing import TYPE_CHECKING

from factmark.lazily import loader

if TYPE_CHECKING:
    from factmark.replies.abstaining import abstains, refuses
    from factmark.replies.batch import parse_batch
    from factmark.replies.choices import ABSTAIN, parse_choice
    from factmark.replies.label_of_reply import parse_reply
    from factmark.replies.plain import DONT_KNOW
    from factmark.replies.ratings import parse_rating, parse_ratings

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

if not TYPE_CHECKING:  # else a name that is not there would pass for one that is
    __getattr__ = loader(
        __name__,
        {
            "factmark.replies.abstaining": "abstains refuses",
            "factmark.replies.batch": "parse_batch",
            "factmark.replies.choices": "ABSTAIN parse_choice",
            "factmark.replies.plain": "DONT_KNOW",
            "factmark.replies.ratings": "parse_rating parse_ratings",
            "factmark.replies.label_of_reply": "parse_reply",
        },
    )
