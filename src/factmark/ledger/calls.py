"""The calls that a ledger keeps: replies of models and what they cost, results of tools.

Rows are only added. The first reply to a question is the one that counts, so that two processes
that asked the same thing at the same moment go on with the same reply; both rows stay, since both
were paid. A failed call is kept for the record and never read back as a reply.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from factmark.ask.chat import Failure, Reply, ToolCall, ToolResult, Usage
from factmark.ask.spend import Spend
from factmark.files.text_files import sound, storable
from factmark.ledger.damage import json_cell
from factmark.ledger.ledger import Ledger

_TOTALS = (
    "SELECT count(*) FILTER (WHERE status != 'failed'), "
    "count(*) FILTER (WHERE status = 'refused'), count(*) FILTER (WHERE status = 'failed'), "
    "total(input_tokens), total(output_tokens), total(cost), "
    "count(*) FILTER (WHERE status != 'failed' AND cost IS NULL), "
    "total(estimated) > 0 FROM calls "
)
CallStatus = Literal["ok", "refused", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call and its end.

    Attributes:
        key: see `request_key`.
        judge: the id of the judge that it was made for first.
        cost: None if the price is not known.
    """

    key: str
    judge: str
    sample: int
    outcome: Reply | Failure
    cost: float | None

    @property
    def status(self) -> CallStatus:
        """Whether it brought a reply, a refusal or nothing."""
        if isinstance(self.outcome, Failure):
            return "failed"
        return "refused" if self.outcome.refused else "ok"


def find_reply(ledger: Ledger, key: str) -> Reply | None:
    """The reply that counts for a question, or None if there is none yet."""
    row = ledger.connection.execute(
        "SELECT text, thinking, status, finish_reason, input_tokens, output_tokens, cached_tokens, "
        "estimated, latency, model, tools FROM calls WHERE key = ? AND status != 'failed' "
        "ORDER BY number LIMIT 1",
        (key,),
    ).fetchone()
    if row is None:
        return None
    text, thinking, status, finish, asked, answered, cached, estimated, latency, model, tools = row
    usage = Usage(input=asked, output=answered, cached=cached, estimated=bool(estimated))
    return Reply(
        text=text,
        thinking=thinking,
        refused=status == "refused",
        finish_reason=finish,
        usage=None if asked is None else usage,
        latency=latency,
        model=model,
        **_read_tools(tools),
    )


def add_calls(ledger: Ledger, calls: Iterable[Call]) -> None:
    """Adds calls; inside `Ledger.writing`."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    ledger.connection.executemany(
        "INSERT INTO calls (key, judge, sample, status, text, thinking, finish_reason, model, "
        "input_tokens, output_tokens, cached_tokens, estimated, latency, cost, reason, "
        "tools, time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((*_row(call), now) for call in calls),
    )


def call_totals(ledger: Ledger) -> dict[str, Any]:
    """All calls of a ledger, added up; `cost` is of those whose price was known."""
    return _totals(ledger, "", ())


def spend_of_judge(ledger: Ledger, judge: str) -> Spend:
    """What all calls that were made for a judge came to, in this ledger: for whatever units."""
    return _spend(_totals(ledger, "WHERE judge = ?", (judge,)))


def spend_of_keys(ledger: Ledger, keys: Iterable[str]) -> Spend:
    """What the replies that count came to, each once."""
    counted = (
        "WHERE number IN (SELECT min(number) FROM calls WHERE status != 'failed' "
        "AND key IN (SELECT value FROM json_each(?)) GROUP BY key)"
    )
    return _spend(_totals(ledger, counted, (json.dumps(list(keys)),)))


def _totals(ledger: Ledger, where: str, parameters: tuple[str, ...]) -> dict[str, Any]:
    row = ledger.connection.execute(_TOTALS + where, parameters).fetchone()
    replies, refused, failed, asked, answered, cost, unpriced, estimated = row
    return {
        "replies": replies,
        "refused": refused,
        "failed": failed,
        "input_tokens": int(asked),
        "output_tokens": int(answered),
        "cost": cost,
        "unpriced": unpriced,
        "estimated": bool(estimated),
    }


def _spend(totals: Mapping[str, Any]) -> Spend:
    return Spend(
        calls=totals["replies"] + totals["failed"],
        replies=totals["replies"],
        input_tokens=totals["input_tokens"],
        output_tokens=totals["output_tokens"],
        estimated_usage=totals["estimated"],
        cost=None if totals["unpriced"] else totals["cost"],
    )


def _row(call: Call) -> tuple[object, ...]:
    head = (call.key, call.judge, call.sample, call.status)
    done = call.outcome
    if isinstance(done, Failure):
        return (
            *(*head, "", "", "", "", None, None, None, 0, done.latency, None),
            *(storable(done.reason), ""),
        )
    usage = done.usage
    tokens = (usage.input, usage.output, usage.cached) if usage else (None, None, None)
    return (
        *(*head, storable(done.text), storable(done.thinking)),
        *(storable(done.finish_reason), storable(done.model), *tokens),
        *(int(usage is not None and usage.estimated), done.latency, call.cost, ""),
        _tools(done),
    )


def _tools(reply: Reply) -> str:
    """The calls of tools in a reply as JSON; empty where there are none."""
    if not reply.tool_calls:
        return ""
    calls = [[call.id, call.name, call.arguments] for call in reply.tool_calls]
    return json.dumps({"calls": calls, "carry": dict(reply.carry)})


def _read_tools(text: str) -> dict[str, Any]:
    if not text:
        return {}
    given = sound(json_cell(text))
    calls = tuple(ToolCall(id=i, name=n, arguments=a) for i, n, a in given["calls"])
    return {"tool_calls": calls, "carry": given["carry"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptResult:
    """What a tool or a search brought, with what was called.

    Its key in the ledger is the hash of all that led to it: the call of the model that asked for
    it, the server, the name, the arguments. The first one under a key counts.

    Attributes:
        server: the identity of the server or the index.
        arguments: as JSON, or a question that was looked up.
    """

    server: str
    name: str
    arguments: str
    result: ToolResult


def find_result(ledger: Ledger, key: str) -> KeptResult | None:
    """What was kept under a key, or None."""
    row = ledger.connection.execute(
        "SELECT server, name, arguments, status, text, size, seconds FROM tool_results "
        "WHERE key = ?",
        (key,),
    ).fetchone()
    if row is None:
        return None
    server, name, arguments, status, text, size, seconds = row
    result = ToolResult(text=text, status=status, seconds=seconds, size=size)
    return KeptResult(server=server, name=name, arguments=arguments, result=result)


def add_result(ledger: Ledger, key: str, kept: KeptResult) -> None:
    """Keeps a result; inside `Ledger.writing`."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    result = kept.result
    ledger.connection.execute(
        "INSERT OR IGNORE INTO tool_results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(key, storable(kept.server), storable(kept.name), storable(kept.arguments)),
            *(result.status, storable(result.text), result.size, result.seconds, now),
        ),
    )
