"""What a server turned out not to take, and what it is sent in its place."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from factmark.ask.chat import CUT, Message, Reply, Request
from factmark.ask.responses import RejectedError, read_arguments

# Fields that some servers refuse, and complain of by this name, and what the user is told.
_FIELDS = {
    "system": (
        "the model's chat template takes no system message: it stands at the head of the user's"
    ),
    "strict": "the server takes no strict JSON schema: the schema is sent without that",
    "seed": "the server takes no seed: it is not sent",
    "temperature": (
        "the server takes no such temperature: it is not sent, and the server's own holds"
    ),
    "top_p": "the server takes no such top_p: it is not sent",
    "tool_choice": (
        "the server takes no tool_choice: a model is not kept from calling tools at the end"
    ),
    "cache_control": "the server takes no cache_control: prompts are not cached",
    "include": "the model gives no encrypted reasoning: none goes back with its calls of tools",
}
# Where a field's bare name is a common word: what names it for sure.
_NAMED_AS = {
    "include": ("(include)", "'include'", "encrypted content", "encrypted_content"),
    "system": (),  # the table of errors knows the words
    "strict": ("(strict)", "'strict'", "`strict`", '"strict"', ".strict"),
}
_IN_THOUGHT = (
    "the server puts the model's JSON into its reasoning: it is read there, and the schema is no "
    "longer sent"
)
_NO_SCHEMA = "the server takes no JSON schema: replies are read as free text"
_UNHEEDED = (
    "the server takes the JSON schema and does not keep to it: replies are read as free text"
)
_OF_SCHEMA = (
    "schema",
    "response_format",
    "response format",
    "output_config",
    "structured",
    "grammar",
    "text.format",
    "guided",
    "json mode",
    "json_object",
)
_PERHAPS_OF_SCHEMA = ("json_validate", "generate json", "validate json", "valid json")
_VAGUE = frozenset(  # words of refusals that blame nothing, so that it may be the schema
    "a an and any argument arguments bad be body cannot client contains could entity error field "
    "fields format gateway generic has input invalid is it json malformed no not of one or "
    "parameter parameters permitted process processed provider request returned server something "
    "supported the this try again unable unknown unprocessable unsupported upstream validation "
    "value values went with wrong your".split()
)
_SURE = 3  # requests that a server took without a schema only, and never one with it
_UNKNOWN = re.compile(r"Unknown name [\\\"]*([$\w]+)[\\\"]* at '[^']*(?:schema|parameters)")
KEYWORD = "keyword:"
"""Before a keyword of JSON schemas that a server does not know, among what is left out."""


def field_to_leave_out(
    error: RejectedError, sent: AbstractSet[str], omitted: AbstractSet[str]
) -> str | None:
    """Returns what to leave out after a refusal; None when there is nothing.

    `max_tokens` means that the limit is sent as `max_completion_tokens`, `system` that the system
    message stands at the head of the user's.

    Args:
        sent: which of `schema` and the fields that some servers refuse the request has.
        omitted: what was left out already.
    """
    complaint = error.complaint
    left = sent - omitted
    words = complaint.lower()
    if error.kind == "role":
        if "system" in left:
            return "system"
        return None
    if error.kind != "rejected":
        return None
    if "max_completion_tokens" in words and "max_tokens" not in omitted:
        return "max_tokens"
    keyword = _UNKNOWN.search(complaint)
    if keyword and f"{KEYWORD}{keyword[1]}" not in omitted:
        return f"{KEYWORD}{keyword[1]}"
    blamed = (name for name in _FIELDS if name in left and _names_field(words, name))
    of_schema = (*_OF_SCHEMA, *_PERHAPS_OF_SCHEMA)
    about_schema = any(phrase in words for phrase in of_schema) or _is_vague(words)
    return next(blamed, "schema" if "schema" in left and about_schema else None)


def _names_field(words: str, field: str) -> bool:
    """Returns whether a complaint names a field, by any of the names that servers have for it."""
    return any(name in words for name in _NAMED_AS.get(field, (field,)))


def _is_vague(words: str) -> bool:
    """Returns whether a complaint names nothing: then it may be of the schema, else it is not."""
    return set(re.findall(r"[^\W\d_]+", words)) <= _VAGUE


def schema_without(schema: object, omitted: Collection[str]) -> Any:
    """Returns a JSON schema without the keywords that a server does not know, see `KEYWORD`."""
    if not any(name.startswith(KEYWORD) for name in omitted):
        return schema
    if isinstance(schema, list):
        return [schema_without(part, omitted) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    parts: dict[str, Any] = {}
    for name, part in schema.items():
        if name == "properties" and isinstance(part, Mapping):  # whose names are no keywords
            parts[name] = {key: schema_without(value, omitted) for key, value in part.items()}
        elif f"{KEYWORD}{name}" not in omitted:
            parts[name] = schema_without(part, omitted)
    return parts


class Refusals:
    """What a server turned out not to take, over a run. What it took once it takes for good.

    Attributes:
        omitted: what is sent to it no more, see `field_to_leave_out`.
    """

    def __init__(self) -> None:
        self.omitted: frozenset[str] = frozenset()
        self._taken: set[str] = set()
        self._vague = 0
        self._unheeded = 0  # replies outside the schema, less those in it
        self._whole = self._thoughts = 0  # replies; those with thinking
        self._in_thought = 0  # replies whose JSON came as thinking

    @property
    def notes(self) -> tuple[str, ...]:
        """What is no longer sent, or sent in vain, in words for the user."""
        in_thought = self._in_thought >= _SURE
        notes = {"schema": _IN_THOUGHT if in_thought else _NO_SCHEMA, **_FIELDS}
        unheeded: tuple[str] | tuple[()] = ()
        if self._unheeded > 0 and "schema" not in self.omitted:
            unheeded = (_UNHEEDED,)
        return (*(note for name, note in notes.items() if name in self.omitted), *unheeded)

    def note_answered(
        self, omitted: AbstractSet[str], sent: AbstractSet[str], refusals: Collection[str]
    ) -> None:
        """Notes which fields the server took or refused, from a request that it answered after
        refusals.

        A refusal that names nothing may have been of that one request. Only several make sure.
        """
        self._taken |= sent - omitted
        named = any(word in text.lower() for text in refusals for word in _OF_SCHEMA)
        vague = "schema" in omitted - self.omitted and not named
        self._vague += vague
        if not vague or self._vague >= _SURE:
            self.omitted |= omitted
        self.omitted -= self._taken

    def settled(self, request: Request, reply: Reply, omitted: AbstractSet[str]) -> Reply:
        """Returns a reply with its answer where the request wanted it, and learns from its form.

        An answer may stand in the reasoning, where that is an instance of the schema, or in the
        call of a tool that was not offered, as gateways make JSON. Where a model that always thinks
        was cut off in a block that its chat template opened in the prompt, it is all thinking.
        """
        if reply.finish_reason in CUT and not reply.thinking and 0 < self._whole == self._thoughts:
            return replace(reply, text="", thinking=reply.text)
        is_called = bool(reply.tool_calls) and not request.tools and not reply.text.strip()
        if is_called and request.schema is not None:
            reply = replace(reply, text=reply.tool_calls[0].arguments, tool_calls=(), carry={})
        elif self._has_json_in_thought(request, reply):
            self._in_thought += 1
            if self._in_thought >= _SURE:
                self._taken.discard("schema")
                self.omitted |= {"schema"}
            return replace(reply, text=reply.thinking.strip(), thinking="")
        whole = reply.text and not (reply.refused or reply.tool_calls or reply.finish_reason in CUT)
        self._whole += bool(whole)
        self._thoughts += bool(whole and reply.thinking)
        if request.schema is not None and whole and "schema" not in omitted:
            parsed = read_arguments(reply.text)
            required = request.schema.get("required")
            keys = []
            if isinstance(required, list):
                keys = required
            if parsed is None or not set(keys) <= parsed.keys():
                self._unheeded += 1
            else:
                self._unheeded += -1
        return reply

    def _has_json_in_thought(self, request: Request, reply: Reply) -> bool:
        """Whether a reply's reasoning is the answer: an instance of the schema, no more."""
        if request.schema is None or not reply.thinking or reply.finish_reason in CUT:
            return False
        if reply.text.strip() or reply.tool_calls or reply.refused:
            return False
        try:
            return is_instance(json.loads(reply.thinking), request.schema)
        except (ValueError, RecursionError):
            return False


_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def is_instance(value: object, schema: object) -> bool:
    """Returns whether a JSON value is an instance of a schema, as far as ours go: types, enums,
    properties and items."""
    if not isinstance(schema, Mapping):
        return True
    if "enum" in schema and value not in schema["enum"]:
        return False
    named = schema.get("type")
    kinds: tuple[type, ...] = ()
    if isinstance(named, str):
        kinds = _TYPES.get(named, ())
    if kinds and (not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)):
        return False
    if isinstance(value, dict):
        known = schema.get("properties", {})
        if not set(schema.get("required", ())) <= value.keys():
            return False
        if schema.get("additionalProperties") is False and not value.keys() <= set(known):
            return False
        return all(is_instance(part, known.get(name)) for name, part in value.items())
    if isinstance(value, list):
        return all(is_instance(part, schema.get("items")) for part in value)
    return True


def folded(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Returns a conversation whose system messages stand at the head of the first user's turn."""
    system = [message.content for message in messages if message.role == "system"]
    others = [message for message in messages if message.role != "system"]
    for place, message in enumerate(others):
        if message.role == "user":
            content = "\n\n".join((*system, message.content))
            return (*others[:place], replace(message, content=content), *others[place + 1 :])
    return (Message(role="user", content="\n\n".join(system)), *others)
