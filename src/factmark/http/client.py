"""One HTTP request: sent once, read to its end, its failure told. No redirect is followed.

It goes by the proxy of the environment (HTTPS_PROXY, NO_PROXY) where there is one.
"""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from yarl import URL

from factmark.errors import EndpointError, library_words
from factmark.http.addresses import proxy_for, shown_url
from factmark.http.retries import TransientError, TurnedAwayError
from factmark.http.secret import Secret
from factmark.redaction import redacted, redacted_bytes
from factmark.version import __version__

if TYPE_CHECKING:  # 0.2 s, loaded by the first request
    import aiohttp

_CONNECT_SECONDS = 10.0
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
_SHOWN = 200
_LOOKED_AT = 4_000


class UnsentError(TurnedAwayError):
    """The request was certainly not carried out: there is no connection."""


class UnresolvedError(UnsentError):
    """The name of the host is not known."""


class TooLongError(EndpointError):
    """The answer is longer than what is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """An HTTP response, read to its end.

    Attributes:
        headers: names compare without case.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def media(self) -> str:
        """The media type without parameters, in lower case; empty when the server named none."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    @property
    def retry_after(self) -> str | None:
        """The seconds or the date that the server asked to wait for; None if it did not."""
        millis = self.headers.get("retry-after-ms", "")  # OpenAI's and Azure's
        if re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?", millis, re.ASCII):
            return f"{float(millis) / 1000:.3f}"
        return self.headers.get("Retry-After")


class HttpClient:
    """Sends requests. Use it in one event loop, and close it.

    Args:
        headers: of every request. Copies of secrets are struck out of what is answered.
        seconds: the longest that one request may take; None for no bound of its own.
        max_bytes: the longest answer that is read, decompressed.
        connections: how many at a time.
    """

    def __init__(
        self,
        *,
        headers: Mapping[str, str | Secret] | None = None,
        seconds: float | None = None,
        max_bytes: int = 256 * 2**20,
        connections: int = 100,
    ) -> None:
        self._headers = headers or {}
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._connections = connections
        self._sessions: dict[bool, aiohttp.ClientSession] = {}
        self._proxies: dict[tuple[str, str | None], URL | None] = {}  # by scheme and host

    async def send(
        self,
        method: str,
        url: URL,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        name: str = "",
        fresh: bool = False,
        brings_key: bool = False,
    ) -> Response:
        """Sends a request once and returns the response, whatever its status.

        Args:
            name: of the server in messages; the URL without its query where empty.
            brings_key: whether a key is what is asked for: nothing is struck out of a good answer.
            fresh: whether the connection must be a new one. On one that is kept open, which the
                server may have closed, a lost request cannot be told from a lost answer.

        Raises:
            UnsentError: no connection.
            TransientError: no answer in time, or one that breaks off.
            TooLongError: the answer is too long.
            EndpointError: no trusted certificate.
            InputError: the environment names no http proxy.
        """
        import aiohttp

        all_headers = {}
        for field, value in {**self._headers, **(headers or {})}.items():
            all_headers[field] = value.reveal() if isinstance(value, Secret) else value
        name = name or shown_url(url)
        proxy = self._proxy(url)
        if proxy is not None:
            name += f" (by the proxy {proxy.origin()})"
        try:
            async with asyncio.timeout(self._seconds):
                session = self._session(fresh)
                async with session.request(
                    method, url, data=body, headers=all_headers, allow_redirects=False, proxy=proxy
                ) as response:
                    answer = await self._read(response, name)
                    if brings_key and answer.status < 300:
                        return answer
                    return _without_secrets(answer)
        except aiohttp.ServerTimeoutError as error:
            raise UnsentError(f"{name}: no connection within {_CONNECT_SECONDS:g} s") from error
        except TimeoutError as error:
            raise TransientError(
                f"{name} gave no complete answer within {self._seconds:g} s"
            ) from error
        except aiohttp.ClientHttpProxyError as error:
            raise _proxy_error(name, error) from None
        except aiohttp.ClientSSLError as error:
            raise EndpointError(
                f"{name}: no trusted TLS connection ({clean_line(library_words(error))})"
            ) from error
        except aiohttp.ClientConnectorDNSError as error:
            raise UnresolvedError(
                f"{name}: the host name does not resolve; check the spelling and the network"
            ) from error
        except aiohttp.ClientConnectorError as error:
            raise UnsentError(
                f"{name} cannot be reached ({clean_line(library_words(error))})"
            ) from error
        except aiohttp.ClientPayloadError as error:
            raise TransientError(f"{name} broke off in the middle of its answer") from error
        except (aiohttp.ClientConnectionError, OSError) as error:
            raise TransientError(
                f"{name} cannot be reached ({clean_line(library_words(error))})"
            ) from error
        except (aiohttp.ClientError, ValueError) as error:
            raise TransientError(
                f"{name} does not speak HTTP ({clean_line(library_words(error))})"
            ) from error

    async def close(self) -> None:
        """Closes the connections."""
        for session in self._sessions.values():
            await session.close()

    def _proxy(self, url: URL) -> URL | None:
        """The proxy for an address, looked up once: to search the environment takes 0.2 ms."""
        server = url.scheme, url.host
        if server not in self._proxies:
            self._proxies[server] = proxy_for(url)
        return self._proxies[server]

    async def _read(self, response: aiohttp.ClientResponse, name: str) -> Response:
        """Returns the response read to its end."""
        body = bytearray()
        # By chunks, since what a server sends may be endless or swell when it is decompressed.
        async for chunk in response.content.iter_any():
            body += chunk
            if len(body) > self._max_bytes:
                raise TooLongError(f"{name} answered more than {self._max_bytes:,} bytes")
        return Response(status=response.status, headers=response.headers, body=bytes(body))

    def _session(self, fresh: bool) -> aiohttp.ClientSession:
        """Returns the session whose connections are kept open, or the one that opens a new one each
        time.
        """
        import aiohttp

        if fresh not in self._sessions:
            self._sessions[fresh] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._connections, force_close=fresh),
                # The whole request is bounded in `send`; here only connecting, which fails for
                # other reasons.
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
                # A cookie would make an answer depend on earlier ones, and runs could not be
                # repeated.
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": f"factmark/{__version__}"},
            )
        return self._sessions[fresh]


def status_text(status: int) -> str:
    """Returns a status with its phrase, where it has one: `404 Not Found`."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def first_line(body: bytes) -> str:
    """The first line of text, or the title of an HTML page, without control characters; bounded."""
    text = body[:_LOOKED_AT].decode("utf-8", "replace")
    title = _TITLE.search(text)
    if title:
        text = html.unescape(title.group(1))
    elif text.lstrip()[:1] == "<":
        text = html.unescape(_TAG.sub(" ", text))
    lines = (clean_line(line) for line in text.splitlines())
    return next((line for line in lines if line), "(empty)")


def clean_line(text: str) -> str:
    """Returns a foreign text on one line, without control characters; bounded."""
    line = " ".join(_CONTROL.sub(" ", text).split())
    if len(line) <= _SHOWN:
        return line
    return line[: _SHOWN - 1] + "…"


def _without_secrets(response: Response) -> Response:
    """Returns a response with secrets struck out, before a message quotes a part and cuts one."""
    from multidict import CIMultiDict

    headers = ((name, redacted(value)) for name, value in response.headers.items())
    return replace(response, headers=CIMultiDict(headers), body=redacted_bytes(response.body))


def _proxy_error(name: str, error: aiohttp.ClientHttpProxyError) -> EndpointError:
    """Returns the error for a proxy that opens no way to the server, to be raised."""
    answer = f"{name}: the proxy answered {status_text(error.status)}"
    if error.status in (401, 403, 407):  # waiting does not help
        return EndpointError(f"{answer}. Check its address, user and password in HTTPS_PROXY.")
    return TransientError(answer)
