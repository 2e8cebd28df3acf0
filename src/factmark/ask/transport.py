"""One request over HTTP: sent once, read to its end, its errors made ours."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import aiohttp

from factmark import __version__
from factmark.ask.model_spec import ModelSpec
from factmark.ask.responses import Response
from factmark.ask.secret import Secret
from factmark.errors import EndpointError
from factmark.http.reply import TransientError

_CONNECT_SECONDS = 10.0
_LONGEST = 32 * 2**20


class Transport:
    """Posts JSON to one address. Use it in one event loop, and close it.

    Args:
        headers: of every request, the key's among them.
        key: struck out of all that comes back.
        seconds: the longest that one request may take.
        connections: how many at a time.
        trust_env: whether the proxy settings of the environment are used.
    """

    def __init__(
        self,
        spec: ModelSpec,
        *,
        headers: Mapping[str, str],
        key: Secret,
        seconds: float,
        connections: int,
        trust_env: bool,
    ) -> None:
        self._url, self._shown = spec.url, spec.base_url
        self._headers = {
            "User-Agent": f"factmark/{__version__}",
            "Content-Type": "application/json",
        }
        self._headers |= headers
        self._key = key
        self._seconds = seconds
        self._connections = connections
        self._trust_env = trust_env
        self._session: aiohttp.ClientSession | None = None

    async def post(self, body: bytes) -> Response:
        """The response, whatever its status; redirects are not followed.

        Raises:
            TransientError: no connection, no answer in time, or one that breaks off.
            EndpointError: an address or a certificate that cannot work.
        """
        try:
            async with asyncio.timeout(self._seconds):
                return await self._exchange(body)
        except TimeoutError as error:
            raise TransientError(
                f"{self._shown} gave no complete answer within {self._seconds:g} s"
            ) from error
        except aiohttp.ClientSSLError as error:
            raise EndpointError(
                f"{self._shown}: no trusted TLS connection ({_cause(error)})"
            ) from error
        except aiohttp.ClientConnectorDNSError as error:
            raise TransientError(f"{self._shown}: the host name does not resolve") from error
        except aiohttp.ClientPayloadError as error:
            raise TransientError(f"{self._shown} broke off in the middle of its answer") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise TransientError(f"{self._shown} cannot be reached ({_cause(error)})") from error

    async def close(self) -> None:
        """Closes the connections."""
        if self._session is not None:
            await self._session.close()

    async def _exchange(self, body: bytes) -> Response:
        async with self._connected().post(
            self._url, data=body, headers=self._headers, allow_redirects=False
        ) as response:
            read = bytearray()
            async for chunk in response.content.iter_any():
                read += chunk
                if len(read) > _LONGEST:
                    raise TransientError(f"{self._shown} answered more than {_LONGEST:,} bytes")
            return Response(
                status=response.status,
                retry_after=response.headers.get("Retry-After"),
                body=self._key.hide_in(bytes(read)),
            )

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._connections),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=self._trust_env,
            )
        return self._session


def _cause(error: BaseException) -> str:
    """The system's own words for a failed connection, on one line."""
    inner = getattr(error, "os_error", None) or error
    text = getattr(inner, "strerror", None) or str(inner) or type(inner).__name__
    return " ".join(text.split())[:200]
