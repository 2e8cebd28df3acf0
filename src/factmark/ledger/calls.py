"""The calls that a ledger keeps: replies of models and what they cost, results of tools, and what
models' servers turned out not to take.

Rows are only added. The first reply to a question is the one that counts, so that two processes
that asked the same thing at the same moment go on with the same reply; both rows stay, since both
were paid. A failed call is kept for the record and never read back as a reply.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from factmark.ask.budget import Spend
from factmark.ask.chat import Failure, Reply, ToolCall, ToolResult, Usage
from factmark.ask.model_spec import ModelSpec
from factmark.files.text_files import mend_texts
from factmark.ledger.ledger import Ledger, cells_of_record, insert, json_cell, records
from factmark.ledger.packing import packed, unpacked

_TOTALS = """SELECT count(*) FILTER (WHERE status != 'failed') AS replies,
    count(*) FILTER (WHERE status = 'refused') AS refused,
    count(*) FILTER (WHERE status = 'failed') AS failed,
    ifnull(sum(input_tokens), 0) AS input_tokens, ifnull(sum(output_tokens), 0) AS output_tokens,
    ifnull(sum(thinking_tokens), 0) AS thinking_tokens, total(cost) AS cost,
    count(*) FILTER (WHERE (status != 'failed' OR input_tokens IS NOT NULL) AND cost IS NULL)
        AS unpriced,
    total(estimated) > 0 AS estimated FROM calls """
_TELLING = 200
"""Units from which on a ledger's size is that of its units, and not of its empty tables."""


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
    def status(self) -> Literal["ok", "refused", "failed"]:
        """Whether the call brought a reply (`ok`), a refusal or nothing (`failed`)."""
        if isinstance(self.outcome, Failure):
            return "failed"
        if self.outcome.refused:
            return "refused"
        return "ok"


def measured_in(ledger: Ledger, model: str) -> tuple[float | None, float | None]:
    """Returns the seconds that a call of a model took, and the bytes of the ledger for each of its
    units; None for what the ledger has too little of to tell."""
    (seconds,) = ledger.rows(
        "SELECT avg(c.latency) FROM calls c JOIN judges j ON j.id = c.judge "
        "WHERE j.name = ? AND c.status != 'failed'",
        model,
    ).fetchone()
    units = ledger.counts()["units"]
    if units < _TELLING:
        return seconds, None
    return seconds, ledger.path.stat().st_size / units


def find_reply(ledger: Ledger, key: str) -> Reply | None:
    """Returns the reply that counts for a question; None if there is none yet."""
    row = ledger.rows(
        "SELECT text, thinking, status, finish_reason, input_tokens, output_tokens, cached_tokens, "
        "thinking_tokens, estimated, latency, model, tools "
        "FROM calls WHERE key = ? AND status != 'failed' "
        "ORDER BY number LIMIT 1",
        key,
    ).fetchone()
    if row is None:
        return None
    text, thinking, status, finish, asked, *counts, estimated, latency, model, tools = row
    answered, cached, thought = counts
    usage = Usage(
        input=asked, output=answered, cached=cached, thinking=thought, estimated=bool(estimated)
    )
    if tools:
        given = mend_texts(json_cell(tools))
    else:
        given = {"calls": (), "carry": {}}
    return Reply(
        text=unpacked(text),
        thinking=unpacked(thinking),
        refused=status == "refused",
        finish_reason=finish,
        usage=None if asked is None else usage,
        latency=latency,
        model=model,
        tool_calls=tuple(ToolCall(id=i, name=n, arguments=a) for i, n, a in given["calls"]),
        carry=given["carry"],
    )


def add_calls(ledger: Ledger, calls: Iterable[Call]) -> None:
    """Adds calls; to be called inside `Ledger.writing`."""
    insert(ledger.connection, "calls", map(_row, calls))


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingBatch:
    """Calls that were submitted, or are about to be, to a provider's batch API.

    Attributes:
        url: of the server.
        before: the provider's id of the batch that was its last one before.
        calls: their keys, and which sample each is.
        remote: the provider's id; empty until it is known.
    """

    id: str
    url: str
    before: str
    calls: Mapping[str, int]
    remote: str = ""


def add_batch(ledger: Ledger, batch: PendingBatch) -> None:
    """Writes a batch, in place of what was known of it; to be called inside `Ledger.writing`."""
    insert(
        ledger.connection, "batches", [cells_of_record(batch) | {"time": _now()}], known="REPLACE"
    )


def pending_batches(ledger: Ledger, url: str) -> list[PendingBatch]:
    """Returns the batches of a server whose replies are not kept yet, the oldest first."""
    query = "SELECT id, url, before, calls, remote FROM batches WHERE url = ? ORDER BY time"
    return records(PendingBatch, ledger.rows(query, url))


def end_batch(ledger: Ledger, batch: str, calls: Iterable[Call]) -> None:
    """Removes a batch and adds its calls, unless another process did; to be called inside
    `Ledger.writing`.
    """
    ended = ledger.connection.execute("DELETE FROM batches WHERE id = ?", (batch,))
    if ended.rowcount:  # else another process was first
        add_calls(ledger, calls)


def _row(call: Call) -> dict[str, object]:
    """Returns a call as a row of its table."""
    if isinstance(call.outcome, Reply):
        reply = call.outcome
    else:
        reply = Reply(text="")
    usage = call.outcome.usage
    return {
        "key": call.key,
        "judge": call.judge,
        "sample": call.sample,
        "status": call.status,
        "text": packed(reply.text),
        "thinking": packed(reply.thinking),
        "finish_reason": reply.finish_reason,
        "model": reply.model,
        "input_tokens": usage and usage.input,
        "output_tokens": usage and usage.output,
        "cached_tokens": usage and usage.cached,
        "thinking_tokens": usage.thinking if usage else 0,
        "estimated": int(usage is not None and usage.estimated),
        "latency": call.outcome.latency,
        "cost": call.cost,
        "reason": call.outcome.reason if isinstance(call.outcome, Failure) else "",
        "tools": _tools(reply),
        "time": _now(),
    }


def _tools(reply: Reply) -> str:
    """Returns the tool calls in a reply as JSON; empty if there are none."""
    if not reply.tool_calls:
        return ""
    calls = []
    for call in reply.tool_calls:
        calls.append([call.id, call.name, call.arguments])
    return json.dumps({"calls": calls, "carry": dict(reply.carry)})


def _now() -> str:
    """Returns the time in UTC, as ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def call_totals(ledger: Ledger, where: str = "", *values: str) -> dict[str, Any]:
    """Returns the sums over all calls, by name; `cost` is of the calls with a known price. `where`
    is a condition in SQL, a constant of this folder.
    """
    cursor = ledger.rows(_TOTALS + where, *values)
    totals = dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))
    return totals | {"estimated": bool(totals["estimated"])}


def run_totals(ledger: Ledger) -> dict[str, Any]:
    """Returns what the runs that judged took: how many, calls, tokens, cost and seconds. The cost
    is None where a price is not known."""
    row = ledger.rows(
        "SELECT count(*), total(calls), total(tokens), "
        "CASE WHEN count(cost) = count(*) THEN total(cost) END, total(seconds) FROM spends"
    ).fetchone()
    names = ("runs", "calls", "tokens", "cost", "seconds")
    totals = dict(zip(names, row, strict=True))
    return totals | {"calls": int(totals["calls"]), "tokens": int(totals["tokens"])}


def spend_of_judge(ledger: Ledger, judge: str) -> Spend:
    """What all calls made for a judge cost in this ledger, whatever units they were about."""
    return _spend(call_totals(ledger, "WHERE judge = ?", judge))


def spend_of_keys(ledger: Ledger, keys: Iterable[str]) -> Spend:
    """Returns what the replies that count under these keys cost, each once."""
    counted = (
        "WHERE number IN (SELECT min(number) FROM calls WHERE status != 'failed' "
        "AND key IN (SELECT value FROM json_each(?)) GROUP BY key)"
    )
    return _spend(call_totals(ledger, counted, json.dumps(list(keys))))


def _spend(totals: dict[str, Any]) -> Spend:
    """Returns totals as a `Spend`; its cost is None if the price of any call is unknown."""
    tokens = {name: totals[name] for name in ("input_tokens", "output_tokens", "thinking_tokens")}
    cost = None
    if not totals["unpriced"]:
        cost = totals["cost"]
    return Spend(
        calls=totals["replies"] + totals["failed"],
        replies=totals["replies"],
        estimated_usage=totals["estimated"],
        cost=cost,
        **tokens,
    )


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
    """Returns the result kept under a key, or None."""
    row = ledger.rows(
        "SELECT server, name, arguments, status, text, size, seconds FROM tool_results "
        "WHERE key = ?",
        key,
    ).fetchone()
    if row is None:
        return None
    server, name, arguments, status, text, size, seconds = row
    result = ToolResult(text=unpacked(text), status=status, seconds=seconds, size=size)
    return KeptResult(server=server, name=name, arguments=arguments, result=result)


def add_result(ledger: Ledger, key: str, kept: KeptResult) -> None:
    """Adds a result of a tool or a search; to be called inside `Ledger.writing`."""
    result = kept.result
    called = {"server": kept.server, "name": kept.name, "arguments": kept.arguments}
    row = cells_of_record(result) | called | {"key": key, "time": _now()}
    row["text"] = packed(result.text)
    insert(ledger.connection, "tool_results", [row], known="IGNORE")


def left_out_before(ledger: Ledger, spec: ModelSpec) -> frozenset[str]:
    """Returns what is known that a model's server does not take; see `Refusals.omitted`."""
    row = ledger.rows(
        "SELECT left_out FROM servers WHERE url = ? AND model = ?", spec.base_url, spec.model
    ).fetchone()
    if row:
        return frozenset(json_cell(row[0]))
    return frozenset()


def keep_left_out(ledger: Ledger, spec: ModelSpec, left_out: Collection[str]) -> None:
    """Keeps what a model's server does not take, in place of what was known; to be called inside
    `Ledger.writing`."""
    row = {"url": spec.base_url, "model": spec.model, "left_out": json.dumps(sorted(left_out))}
    insert(ledger.connection, "servers", [row], known="REPLACE")
