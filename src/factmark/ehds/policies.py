"""Whether a policy allows a use: allowed, prohibited or unknown, and the rule that says so. Pure.

ODRL's `use` covers every way to use data, so that a prohibition of it prohibits copying as well;
a prohibition goes before a permission. A condition that the question does not settle (an approval,
a time limit) leaves the answer unknown and is named. Purposes are compared by their words. What is
said with a negation ("without commercial interest") settles nothing, so that it too is unknown; but
`non-commercial` is a word of its own.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Literal, NamedTuple

from factmark.ehds.catalogue import Policy
from factmark.ehds.replica.facts import Constraint, PolicyRule
from factmark.text.words import normalise

_Match = Literal["yes", "no", "open"]

_SAME = {
    "copy": "reproduce",
    "share": "distribute",
    "redistribute": "distribute",
    "publish": "distribute",
    "adapt": "derive",
    "modify": "derive",
    "reidentify": "re-identify",
    "reidentification": "re-identify",
    "keep": "retain",
    "store": "retain",
}
_ACTIONS = {
    "".join(normalise(name)): _SAME.get(name, name)
    for name in (*_SAME, *_SAME.values(), "sell", "delete", "use")
}
_PERSONS = frozenset(
    normalise("patient people person individual subject participant citizen the a an of")
)
_NOT = frozenset(
    normalise(
        "no not non without never none neither nor free except excluding cannot don doesn isn won "
        "t anti"
    )
)
_ABOUT_USE = frozenset({"purpose", "recipient"})
_GENERIC = frozenset(normalise("purpose and development company use using the for a of to"))
_LOOSE = _GENERIC | {"at", "in", "all", "any", "be", "my", "our"}


class Decision(NamedTuple):
    """What a policy says about one use, and the rules that decide it or on which it depends."""

    verdict: Literal["allowed", "prohibited", "unknown"]
    reason: str
    rules: tuple[str, ...] = ()


def decide(policy: Policy, *, action: str | None, purpose: str | None) -> Decision:
    """Returns what a policy says about an action (any use, if None) for a purpose
    (any, if None).
    """
    asked = _action_named(action)
    if asked is None:
        reason = "The action is said with a negation; ask about what would be done."
        return Decision("unknown", reason)
    if asked == "sell":
        asked = "use"
        purpose = f"commercial {purpose or ''}"
    matches: defaultdict[tuple[str, _Match], list[str]] = defaultdict(list)
    for rule in policy.rules:
        matches[rule.kind, _match_rule(rule, asked, purpose)].append(rule.text)
    forbidding = matches["prohibition", "yes"]
    doubts = matches["prohibition", "open"]
    granting = matches["permission", "yes"]
    if forbidding:
        return Decision("prohibited", "A prohibition covers it.", tuple(forbidding))
    if granting and not doubts:
        reason = "A permission covers it; the obligations hold."
        return Decision("allowed", reason, tuple(granting))
    maybe = granting or matches["permission", "open"]
    if not maybe and not doubts:
        reason = "No rule speaks of it: it is neither permitted nor prohibited."
        return Decision("unknown", reason)
    parts = []
    if maybe:
        parts.append("it is permitted only under the conditions of a permission")
    if doubts:
        parts.append("it is prohibited if the conditions of a prohibition hold")
    return Decision("unknown", f"It depends: {', and '.join(parts)}.", (*maybe, *doubts))


def _action_named(text: str | None) -> str | None:
    """Returns the action that the whole phrase names, or else its first words; None for a negated
    one.
    """
    words = normalise(text or "use") or ("use",)
    if _NOT & set(words):
        return None
    if words[0] == "identify" and set(words[1:]) <= _PERSONS:
        return "re-identify"
    phrases = ("".join(words), "".join(words[:2]), words[0])
    return next((_ACTIONS[name] for name in phrases if name in _ACTIONS), phrases[0])


def _match_rule(rule: PolicyRule, asked: str, purpose: str | None) -> _Match:
    """Returns whether a rule is about the use; `open` where that hangs on a condition which the
    question leaves open.
    """
    same = "".join(normalise(rule.action)) == "".join(normalise(asked))
    any_use = rule.action == "use" or (rule.kind == "permission" and asked == "use")
    if not (same or any_use):
        return "no"
    matches = {_match_condition(condition, purpose) for condition in rule.constraints}
    if "no" in matches:
        return "no"
    if "open" in matches:
        return "open"
    return "yes"


def _match_condition(condition: Constraint, purpose: str | None) -> _Match:
    """Returns whether the asked purpose meets a condition; `open` where the question
    does not say.
    """
    if condition.left not in _ABOUT_USE or purpose is None:
        return "open"
    asked = _purpose_words(purpose)
    if asked & _NOT:
        return "open"
    targets = [_purpose_words(right) for right in condition.right]
    if condition.operator in ("neq", "isNoneOf"):
        if any(target <= asked for target in targets):
            return "no"
        return "open"
    if any(target and target <= asked for target in targets):
        return "yes"
    if any(target & asked for target in targets):
        return "open"
    return "no"


def _purpose_words(text: str) -> frozenset[str]:
    """Returns the distinctive words; `non` and `not` stick to the next: non-commercial is not
    commercial.
    """
    words = list(normalise(text))
    joined = []
    while words:
        word = words.pop(0)
        sticks = word in ("non", "not") and words and words[0] not in _LOOSE
        joined.append("non" + words.pop(0) if sticks else word)
    return frozenset(joined) - _GENERIC
