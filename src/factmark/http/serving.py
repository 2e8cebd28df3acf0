"""Serving: a port that is taken, the wish to stop, turns, and the door that connections come in by.

A client that sends half a request, or reads nothing, would else hold its place for as long as it
likes. Here a request has to arrive whole, and a response has to be read, in bounded time; and where
all places are taken, whoever has not sent a whole request makes room.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from factmark.errors import InputError, library_words

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_PROGRESS = 64 * 1024  # bytes that a client reads in `write_seconds`, or all there are
BACKLOG = 50
"""Connections let in at once: fewer than fit, so that the first of them is read in time."""
_BODY = frozenset({b"content-length", b"transfer-encoding"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorLimits:
    """What connections may take.

    Attributes:
        connections: open at once, in all.
        per_address: of one client address.
        request_seconds: for a whole request to arrive; a connection without one is closed.
        write_seconds: in which a client has to read on.
    """

    connections: int = 500
    per_address: int = 200
    request_seconds: float = 30.0
    write_seconds: float = 30.0


class Door:
    """Lets connections in, and puts out those that take too long."""

    def __init__(self, limits: DoorLimits | None = None) -> None:
        self.limits = limits or DoorLimits()
        self._inside: dict[tuple[str, int], Connection] = {}

    def watched(self, make: Callable[..., asyncio.Protocol]) -> Callable[..., Connection]:
        """Returns a factory of a server's protocols, each with its connection behind this door."""
        return lambda *args, **names: Connection(self, make(*args, **names))

    def connection(self, peer: object) -> Connection | None:
        """Returns the connection of a client, by its address and port; None if it is not inside."""
        return self._inside.get(_address_and_port(peer))

    def asgi(self, app: ASGIApp) -> ASGIApp:
        """Returns the app, which tells the door when a request is whole and when it is answered."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            connection = self.connection(scope.get("client"))
            if scope["type"] != "http" or connection is None:
                await app(scope, receive, send)
                return

            async def received() -> Message:
                message = await receive()
                if not message.get("more_body"):
                    connection.arrived()
                return message

            if not any(name in _BODY for name, _ in scope["headers"]):
                connection.arrived()
            try:
                await app({**scope, "factmark.connection": connection}, received, send)
            finally:
                connection.answered()

        return answer

    def enter(self, connection: Connection) -> bool:
        """Lets a connection in, if need be in the place of the one that has waited longest; returns
        whether there was room.

        Who is signed in is asked last.
        """
        places = list(self._inside.values())
        crowd = []
        for place in places:
            if place.address == connection.address:
                crowd.append(place)
        if len(crowd) < self.limits.per_address:
            crowd = []
            if len(places) >= self.limits.connections:
                crowd = places
        if crowd:
            waiting = []
            for place in crowd:
                if not place.busy:
                    waiting.append(place)
            if not waiting:
                return False
            min(waiting, key=lambda place: (place.signed_in, place.since)).end()
        self._inside[connection.key] = connection
        return True

    def leave(self, connection: Connection) -> None:
        """Gives the place back; may be called twice."""
        if self._inside.get(connection.key) is connection:
            del self._inside[connection.key]


class Connection(asyncio.Protocol):
    """A server's protocol for one connection, with clocks.

    Attributes:
        busy: whether a whole request is being answered.
        signed_in: whether it sent a request that only a known person can send.
    """

    def __init__(self, door: Door, inner: asyncio.Protocol) -> None:
        self._door = door
        self._inner = inner
        self._loop = asyncio.get_running_loop()
        self._request_clock: asyncio.TimerHandle | None = None
        self._write_clock: asyncio.TimerHandle | None = None
        self._refused = self.busy = self.signed_in = False
        self.since = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Takes a place, or ends at once where there is none."""
        self._transport: Any = transport
        self.key = _address_and_port(transport.get_extra_info("peername"))
        self.address = self.key[0]
        self._refused = not self._door.enter(self)
        if self._refused:
            self.end()
            return
        self._inner.connection_made(transport)
        self.answered()

    def data_received(self, data: bytes) -> None:
        """Passes on what arrived."""
        if not self._refused:
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        """Passes on that the client sends no more."""
        if self._refused:
            return None
        return self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Gives the place back."""
        self._door.leave(self)
        self._stop(self._request_clock, self._write_clock)
        if not self._refused:
            self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """Starts to watch a client that does not read as fast as the server writes."""
        self._inner.pause_writing()
        self._watch_reading()

    def resume_writing(self) -> None:
        """Stops watching: the client has read what there was."""
        self._stop(self._write_clock)
        self._inner.resume_writing()

    def arrived(self) -> None:
        """Notes that a whole request has arrived."""
        self.busy = True
        self._stop(self._request_clock)

    def answered(self) -> None:
        """Notes that the request is answered, and starts the clock for the next one."""
        self.busy, self.since = False, self._loop.time()
        self._stop(self._request_clock)
        self._request_clock = self._loop.call_later(self._door.limits.request_seconds, self.end)

    def end(self) -> None:
        """Closes the connection now, whatever is still to be sent."""
        self._door.leave(self)
        self._transport.abort()

    def _watch_reading(self) -> None:
        """Ends the connection unless the client reads on within the time it has."""
        left = self._transport.get_write_buffer_size()

        def check() -> None:
            if left - self._transport.get_write_buffer_size() < _PROGRESS:
                self.end()
            else:
                self._watch_reading()

        self._write_clock = self._loop.call_later(self._door.limits.write_seconds, check)

    @staticmethod
    def _stop(*clocks: asyncio.TimerHandle | None) -> None:
        """Stops the clocks."""
        for clock in clocks:
            if clock is not None:
                clock.cancel()


def _address_and_port(peer: object) -> tuple[str, int]:
    """Returns a client's address and port, without what IPv6 adds."""
    if isinstance(peer, tuple):
        return (str(peer[0]), int(peer[1]))
    return ("", 0)


class Turns:
    """So many places; whoever waits for one gets it in turn, address by address."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def place_for(self, address: str) -> AsyncIterator[None]:
        """Waits for a place for a client of that address, and holds it for the block."""
        if self._free:
            self._free -= 1
        else:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(address, deque()).append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if not turn.cancelled():  # the place came as the client left
                    self._pass_on()
                raise
        try:
            yield
        finally:
            self._pass_on()

    def _pass_on(self) -> None:
        """Gives the place to the next who waits, each address in turn."""
        while self._waiting:
            address = next(iter(self._waiting))
            turns = self._waiting.pop(address)
            turn = turns.popleft()
            if turns:
                self._waiting[address] = turns  # behind the other addresses
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


def listening_socket(host: str, port: int, *, hint: str) -> socket.socket:
    """Returns a socket that listens.

    Args:
        port: 0 for any free one.
        hint: what the user can do where it cannot.

    Raises:
        InputError: the address cannot be listened on.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(128)
        except BaseException:
            listening.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        why = library_words(error)
        raise InputError(f"cannot listen on {host} port {port} ({why}); {hint}.") from error
    return listening


@contextmanager
def stop_event() -> Iterator[asyncio.Event]:
    """Yields an event that is set when the process is asked to stop (SIGINT, SIGTERM).

    Where signals cannot be had it is never set; one that is ignored stays so.
    """
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            for number, handler in before.items():
                if loop.remove_signal_handler(number):
                    signal.signal(number, handler)
