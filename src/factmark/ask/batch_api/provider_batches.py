"""The batch APIs of OpenAI and Anthropic, as they are on the wire.

OpenAI: a file of requests is uploaded and a batch made of it, with a name of ours in its metadata;
replies and errors come as two files. Anthropic: the requests are the batch, and nothing but their
number tells it from others before its results are there.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar

from factmark.ask.chat import Failure, Reply, token_count
from factmark.ask.model_spec import ModelSpec
from factmark.ask.named_keys import filled_address, filled_fields
from factmark.ask.protocols import anthropic, openai, openai_responses
from factmark.ask.provider_http import provider_http
from factmark.ask.responses import RejectedError, UnusableError, reply_of
from factmark.errors import EndpointError, InputError
from factmark.http.async_tools import Closing
from factmark.http.client import Response, clean_line
from factmark.http.retries import TransientError
from factmark.http.secret import Secret

_LONGEST = 2**31  # bytes of results
_SECONDS = 900.0  # for an upload or a download
_PAGE = 100  # batches in one page of the list


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchState:
    """Where a batch stands.

    Attributes:
        id: the provider's.
        name: ours, where the provider keeps one.
        calls: how many it holds; `done` of them have ended.
        problem: why the provider took it as a whole for wrong; empty if it did not.
        files: where its results are, once it has ended.
    """

    id: str
    name: str = ""
    calls: int = 0
    done: int = 0
    ended: bool = False
    problem: str = ""
    files: tuple[str, ...] = ()


class BatchApi(Closing):
    """A provider's batch API. Use it in one event loop, and close it.

    Attributes:
        has_names: whether it keeps the name that a batch is given.
        most, largest: calls and bytes of one batch.

    Args:
        poll_seconds: the longest between two looks at a batch.
        headers: further ones of each request.

    Raises:
        InputError: the key that the server needs is not in the environment.
    """

    path: ClassVar[str]
    has_names: ClassVar[bool]
    after: ClassVar[str]  # the query parameter that names the last batch of a page
    most: int
    largest: int

    def __init__(
        self,
        spec: ModelSpec,
        *,
        poll_seconds: float = 30.0,
        headers: Mapping[str, Secret] | None = None,
    ) -> None:
        self.spec = spec
        self.poll_seconds = poll_seconds
        self._http = provider_http(
            spec, seconds=_SECONDS, connections=4, headers=headers, max_bytes=_LONGEST
        )

    @abstractmethod
    def line(self, key: str, body: Mapping[str, object]) -> bytes:
        """Returns a call as it stands in a batch, under a key of 64 characters."""

    @abstractmethod
    async def create(self, name: str, lines: Iterable[bytes]) -> BatchState:
        """Submits a batch; raises as `look`."""

    @abstractmethod
    def _state(self, given: Mapping[str, Any]) -> BatchState:
        """Returns a batch as the provider describes it."""

    @abstractmethod
    def _outcome(self, entry: Mapping[str, Any]) -> Reply | Failure:
        """Returns what came of the call in a line of the results."""

    async def look(self, id: str) -> BatchState:
        """Where a batch stands; one that is not there any more has ended.

        Raises:
            TransientError: worth another attempt.
            EndpointError: no request can work.
        """
        answer = await self._send("GET", f"{self.path}/{id}", gone=True)
        if answer:
            return self._read(answer)
        return BatchState(id=id, ended=True)

    async def newest(self) -> str:
        """The id of the batch that was made last; empty where there is none."""
        states, _ = await self._page({"limit": "1"})
        if states:
            return states[0].id
        return ""

    async def since(self, id: str) -> list[BatchState]:
        """The batches that were made after this one, the newest first."""
        later: list[BatchState] = []
        query = {"limit": str(_PAGE)}
        more = True
        while more:
            states, more = await self._page(query)
            for state in states:
                if state.id == id:
                    return later
                later.append(state)
            if states:
                query[self.after] = states[-1].id
            else:
                query[self.after] = ""
            more = more and bool(states)
        return later

    async def results(self, state: BatchState) -> dict[str, Reply | Failure]:
        """Key -> what came of its call; calls that were never made may be missing."""
        outcomes: dict[str, Reply | Failure] = {}
        for file in state.files:
            body = await self._send("GET", file)
            for line in body.splitlines():
                try:
                    entry = json.loads(line)
                    outcomes[str(entry["custom_id"])] = self._outcome(entry)
                except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                    continue  # a line of another form holds no reply: its call failed
        return outcomes

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.close()

    async def _page(self, query: Mapping[str, str]) -> tuple[list[BatchState], bool]:
        """Returns the batches on a page of the provider's list, and whether there are
        more pages."""
        page = self._json(await self._send("GET", self.path, query=query))
        rows = page.get("data")
        states = []
        if isinstance(rows, list):
            states = [self._state_or_error(row) for row in rows]
        return states, page.get("has_more") is True

    async def _send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        kind: str = "application/json",
        query: Mapping[str, str] | None = None,
        gone: bool = False,
    ) -> bytes:
        """Returns the body of an answer of status 200; with `gone` an empty one for status 404 and
        405."""
        base = filled_address(self.spec.base_url)
        url = (base / path).with_query({**base.query, **(query or {})})
        response = await self._http.send(
            method, url, headers={"Content-Type": kind}, body=body, name=self.spec.base_url
        )
        if response.status == HTTPStatus.OK:
            return response.body
        if response.status in (404, 405):
            if gone:
                return b""
            raise EndpointError(
                f"{self.spec.base_url} has no batch API (/{path}): leave --batch-api out."
            )
        reply = reply_of(response, self.spec, _no_reply_expected)
        raise RejectedError(f"{self.spec.base_url} refused the batch: {reply.text}")

    def _read(self, body: bytes) -> BatchState:
        """Returns the batch that an answer describes. TransientError: it describes none."""
        return self._state_or_error(self._json(body))

    def _state_or_error(self, given: Any) -> BatchState:
        """Returns the batch that a JSON value describes. TransientError: it describes none."""
        try:
            return self._state(given)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise TransientError(f"{self.spec.base_url} describes no batch") from error

    def _json(self, body: bytes) -> dict[str, Any]:
        """Returns the JSON object in an answer. TransientError: it holds none."""
        try:
            given = json.loads(body)
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise TransientError(f"{self.spec.base_url} answered with no complete JSON")
        return given

    def _reply(self, status: int, body: object, protocol: Any) -> Reply | Failure:
        """Returns the reply in a call's own answer, or the failure that it tells."""
        answer = Response(status=status, headers={}, body=json.dumps(body).encode())
        try:
            return reply_of(answer, self.spec, protocol.read)
        except EndpointError as error:
            return Failure(
                reason=str(error),
                rejected=isinstance(error, RejectedError),
                unusable=isinstance(error, UnusableError),
                usage=protocol.usage(body if isinstance(body, Mapping) else {}),
            )


def _no_reply_expected(_payload: Mapping[str, Any]) -> Reply:
    """Raises AssertionError: it stands where only the answer to an error is read."""
    raise AssertionError("only the answer to an error is read")


class OpenAiBatches(BatchApi):
    """Files, and batches made of them."""

    path = "batches"
    after = "after"
    has_names = True
    most = 50_000
    largest = 200_000_000

    def line(self, key: str, body: Mapping[str, object]) -> bytes:
        """Returns a call as a line of JSON."""
        url = "/v1/chat/completions"
        if "input" in body:
            url = "/v1/responses"
        call = {"custom_id": key, "method": "POST", "url": url, "body": body}
        return json.dumps(call, allow_nan=False).encode() + b"\n"

    async def create(self, name: str, lines: Iterable[bytes]) -> BatchState:
        """Uploads the lines as a file and submits it as a batch; returns the batch."""
        calls = list(lines)  # all of one address: no request of a batch has tools
        kind, form = _upload_form(name, b"".join(calls))
        file = self._json(await self._send("POST", "files", form, kind=kind))
        batch = {
            "input_file_id": file.get("id"),
            "endpoint": json.loads(calls[0])["url"],
            "completion_window": "24h",
            "metadata": {"factmark": name},
        }
        return self._read(await self._send("POST", self.path, json.dumps(batch).encode()))

    def _state(self, given: Mapping[str, Any]) -> BatchState:
        """Returns a batch as OpenAI describes it."""
        status = given["status"]
        counts = given.get("request_counts") or {}
        errors = (given.get("errors") or {}).get("data") or []
        files = (given.get(name) for name in ("output_file_id", "error_file_id"))
        words = "it was not told why"
        if errors:
            words = str(errors[0].get("message"))
        return BatchState(
            id=clean_line(str(given["id"])),
            name=str((given.get("metadata") or {}).get("factmark") or ""),
            calls=token_count(counts.get("total")),
            done=token_count(counts.get("completed")) + token_count(counts.get("failed")),
            ended=status in ("completed", "failed", "expired", "cancelled"),
            problem=clean_line(words) if status == "failed" else "",
            files=tuple(f"files/{file}/content" for file in files if file),
        )

    def _outcome(self, entry: Mapping[str, Any]) -> Reply | Failure:
        """Returns the reply or failure in a line of the result files."""
        answer = entry.get("response")
        error = entry.get("error")
        if answer:
            body = answer["body"]
            return self._reply(
                answer["status_code"], body, openai_responses if "output" in body else openai
            )
        return Failure(reason=f"{self.spec.base_url}, in a batch: {_failure_reason(error)}")


class AnthropicBatches(BatchApi):
    """Batches of messages."""

    path = "messages/batches"
    after = "after_id"
    has_names = False
    most = 100_000
    largest = 256_000_000

    def line(self, key: str, body: Mapping[str, object]) -> bytes:
        """Returns a call as an entry of the list that is submitted."""
        return json.dumps({"custom_id": key, "params": body}, allow_nan=False).encode() + b","

    async def create(self, name: str, lines: Iterable[bytes]) -> BatchState:
        """Submits the entries as a batch; returns it."""
        body = b'{"requests": [' + b"".join(lines).rstrip(b",") + b"]}"
        return self._read(await self._send("POST", self.path, body))

    def _state(self, given: Mapping[str, Any]) -> BatchState:
        """Returns a batch as Anthropic describes it."""
        counts = given.get("request_counts") or {}
        total = sum(map(token_count, counts.values()))
        ended = given["processing_status"] == "ended"
        files = (f"{self.path}/{given['id']}/results",) if ended else ()
        return BatchState(
            id=clean_line(str(given["id"])),
            calls=total,
            done=total - token_count(counts.get("processing")),
            ended=ended,
            files=files,
        )

    def _outcome(self, entry: Mapping[str, Any]) -> Reply | Failure:
        """Returns the reply or failure in a line of the results."""
        result = entry["result"]
        if result["type"] == "succeeded":
            return self._reply(200, result["message"], anthropic)
        error = result.get("error") or {}
        inner = error.get("error") or error
        if inner:
            what = _failure_reason(inner)
        else:
            what = f"the call was {result['type']}"
        return Failure(
            reason=f"{self.spec.base_url}, in a batch: {what}",
            rejected=inner.get("type") == "invalid_request_error",
        )


def provider_batches(spec: ModelSpec, **options: Any) -> BatchApi:
    """Returns the batch API of a model's provider; takes and raises what `BatchApi` does.

    Raises:
        InputError: the model runs in this process.
    """
    if filled_fields(spec.extra):
        raise InputError(
            "--batch-api: the provider would keep the key that --extra names. Leave one of them "
            "out."
        )
    if spec.file is not None:
        raise InputError(
            f"--batch-api: {spec.name} runs in this process and has none. Leave it out."
        )
    return (AnthropicBatches if spec.protocol == "anthropic" else OpenAiBatches)(spec, **options)


def _failure_reason(error: object) -> str:
    """Returns why a call in a batch brought nothing, in the words of the provider."""
    given: Mapping[Any, Any] = {}
    if isinstance(error, Mapping):
        given = error
    return clean_line(str(given.get("message") or given.get("code") or "no reply"))


def _upload_form(name: str, file: bytes) -> tuple[str, bytes]:
    """Returns the media type and the body of a file to be uploaded."""

    def parts() -> Iterator[bytes]:
        for field, value in (
            ('name="purpose"', b"batch"),
            (f'name="file"; filename="{name}.jsonl"', file),
        ):
            head = f"--{name}\r\nContent-Disposition: form-data; {field}\r\n\r\n"
            yield from (head.encode(), value, b"\r\n")
        yield f"--{name}--\r\n".encode()

    return f"multipart/form-data; boundary={name}", b"".join(parts())
