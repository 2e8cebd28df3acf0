"""Campaigns: what people are asked of which units, in which order, and what they answered. Pure."""

from factmark.campaigns.forms import (
    COARSE,
    FACTS,
    FINE,
    FORMS,
    GRAPHRAG,
    KINDS,
    SUPPORT,
    VALIDITY,
    Form,
    form_named,
)
from factmark.campaigns.keys import annotator_of, link_token, request_token, task_key
from factmark.campaigns.markdown import markdown_html
from factmark.campaigns.progress import Progress, overall, progress_of
from factmark.campaigns.records import (
    Annotator,
    Assignment,
    Campaign,
    Marking,
    Rating,
    Refused,
    Response,
    Revision,
    Shown,
    Task,
)
from factmark.campaigns.responses import check_response, check_seconds

__all__ = [
    "COARSE",
    "FACTS",
    "FINE",
    "FORMS",
    "GRAPHRAG",
    "KINDS",
    "SUPPORT",
    "VALIDITY",
    "Annotator",
    "Assignment",
    "Campaign",
    "Form",
    "Marking",
    "Progress",
    "Rating",
    "Refused",
    "Response",
    "Revision",
    "Shown",
    "Task",
    "annotator_of",
    "check_response",
    "check_seconds",
    "form_named",
    "link_token",
    "markdown_html",
    "overall",
    "progress_of",
    "request_token",
    "task_key",
]
