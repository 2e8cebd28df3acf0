"""What the servers share: a port that is taken, and the wish to stop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from factmark.errors import InputError

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def listening(host: str, port: int, *, hint: str) -> socket.socket:
    """A socket that listens.

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
        made = socket.socket(family, kind, protocol)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
            made.listen(128)
        except BaseException:
            made.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        raise InputError(f"cannot listen on {host} port {port} ({error}); {hint}.") from error
    return made


@contextmanager
def stopping() -> Iterator[asyncio.Event]:
    """An event that is set when the process is asked to stop (SIGINT, SIGTERM).

    Where signals cannot be had it is never set.
    """
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        for number in _SIGNALS:
            loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            for number in _SIGNALS:
                loop.remove_signal_handler(number)
