"""A form as Label Studio shows it: the labeling config, the data of tasks, the way back.

Every text goes as data, never into the config. What `<Text>` shows is shown as it is; what
`<HyperText>` shows is HTML, so there all is escaped and only the marks are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby
from xml.sax.saxutils import quoteattr

from factmark.campaigns.forms import Form
from factmark.campaigns.records import Shown, Span, Task

GROUNDED, UNGROUNDED, ABSENT = "GROUNDED", "NOT_GROUNDED", "ABSENCE"
NO_VERDICT = "none"
PLACE = "place"
"""The field of a task's data that only says where it stands on the list."""

_STYLE = """<Style>
  .fm-pair { display: grid; flex: none; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 24px; }
  .fm-side { max-height: 62vh; overflow: auto; }
  .fm-row { display: flex; flex-wrap: wrap; gap: 0 16px; align-items: center; }
  .fm-bar { position: sticky; bottom: 0; z-index: 5; padding: 8px 0;
    background: var(--color-neutral-background, #fff); border-top: 1px solid #8888; }
  @media (max-width: 700px) {
    .fm-pair { grid-template-columns: minmax(0, 1fr); } .fm-side { max-height: none; } }
</Style>"""
_COMMENT = (
    '<TextArea name="comment" toName="text" maxSubmissions="1" rows="2" editable="true" '
    'showSubmitButton="true" placeholder="Comment, if wanted"/>'
)
_ELEMENTS = (
    '<Header value="Elements that the answer states" size="6"/>'
    '<Choices name="elements" toName="text" choice="multiple" value="$elements"/>'
)


def label_config(form: Form) -> str:
    """The labeling config of a form: evidence and unit side by side, the answer always in view."""
    tag = "HyperText" if form.name == "fine" else "Text"
    inline = ' inline="true"' if tag == "HyperText" else ""
    facts = not form.values
    noun = form.noun.capitalize()
    sides = "".join(
        f'<View className="fm-side"><Header value={quoteattr(title)} size="4"/>'
        f'<{tag} name="{name}" value="${name}" valueType="text"{inline}/>{more}</View>'
        for title, name, more in (
            (form.evidence, "evidence", _ELEMENTS if facts else ""),
            (noun, "text", ""),
        )
    )
    answer = _marks() if facts else _choices(form)
    return (
        f'<View>{_STYLE}<Header value="$place" size="5"/><View className="fm-pair">{sides}</View>'
        f'<View className="fm-bar"><Header value={quoteattr(form.question)} size="5"/>'
        f"{answer}{_COMMENT}</View></View>"
    )


def _choices(form: Form) -> str:
    options = "".join(
        f"<Choice value={quoteattr(label)} hotkey={quoteattr(key)} "
        f"hint={quoteattr(form.meanings[label])}/>"
        for key, label in form.keys.items()
    )
    return (
        '<Choices name="label" toName="text" choice="single-radio" showInline="true" '
        f'required="true" requiredMessage="Choose one.">{options}</Choices>'
    )


def _marks() -> str:
    return (
        f'<Labels name="marks" toName="text"><Label value="{GROUNDED}" hotkey="1" '
        f'background="#1a7f37"/><Label value="{UNGROUNDED}" hotkey="2" background="#cf222e"/>'
        '</Labels><View className="fm-row"><Header value="Its verdict" size="6"/>'
        '<Choices name="verdict" toName="text" choice="single-radio" showInline="true" '
        'required="true" requiredMessage="Choose one."><Choice value="yes" hotkey="7"/>'
        f'<Choice value="no" hotkey="8"/><Choice value="none" hotkey="9"/></Choices>'
        '<Header value="Does it report that there is nothing?" size="6"/>'
        '<Choices name="absence" toName="text" choice="single-radio" showInline="true">'
        '<Choice value="yes" alias="absent"/><Choice value="no" alias="present"/></Choices></View>'
    )
