"""What annotators read before they start: a text with gaps, filled with a campaign's numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from factmark.people.core.forms import Form

_GAP = re.compile(r"\{\{(\w+)\}\}")


def fill_guidelines(template: str, common: str, form: Form, *, batch: int, together: int) -> str:
    """The guidelines of a form, as Markdown.

    Args:
        template: with gaps: `{{scale}}` the labels with their meanings, `{{batch}}` the documents
            of a batch, `{{together}}` the units of a document, `{{rows}}` the rows of a batch,
            `{{title}}` what the campaign is called, `{{common}}` what all forms share.
        common: the latter, with gaps of its own.

    Raises:
        KeyError: there is a gap of another name.
    """
    told: Mapping[str, str] = {
        "scale": _scale(form),
        "batch": str(batch),
        "together": str(together),
        "rows": str(batch * together),
        "title": form.title,
    }
    text = template.replace("{{common}}", common.strip())
    return _GAP.sub(lambda gap: told[gap[1]], text).strip() + "\n"


def _scale(form: Form) -> str:
    keys = {label: key for key, label in form.keys.items()}
    lines = []
    for label, meaning in form.meanings.items():
        key = "" if keys[label] == label else f" (key {keys[label]})"
        lines.append(f"- **{label}**{key}: {meaning}")
    return "\n".join(lines)
