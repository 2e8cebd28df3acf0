"""What `factmark serve mcp` serves, and where."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.temporary import temporary_folder
from factmark.stores.store import Store, open_store

_ADDRESS = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:/\[\]]+)):(?P<port>\d{1,5})")


@asynccontextmanager
async def tool_store(
    path: Path | None,
    endpoint: str | None,
    *,
    user_env: str | None = None,
    password_env: str | None = None,
    workers: int = 2,
) -> AsyncIterator[Store]:
    """A folder or file, an endpoint, or, if neither is named, the replica at the demo's scale.

    The replica is built in a temporary folder, which goes when the block ends. What is damaged or
    cannot be reached is told at once.

    Raises:
        InputError: both are named, or credentials without an endpoint.
        FactmarkError: what was named cannot be queried.
    """
    if path is not None and endpoint is not None:
        raise InputError("Give a store or --endpoint, not both.")
    if endpoint is None and (user_env or password_env):
        raise InputError("--user-env and --password-env are for an --endpoint. Name it.")
    if path is None and endpoint is None:
        from factmark.ehds.write import DEMO_SCALE, build_store

        with temporary_folder() as folder:
            built = folder / "ehds-replica"
            await _whole(asyncio.to_thread(build_store, built, scale=DEMO_SCALE))
            async with open_store(path=built, workers=workers) as opened:
                yield opened
        return
    async with open_store(
        path=path, url=endpoint, workers=workers, user_env=user_env, password_env=password_env
    ) as opened:
        await opened.query("ASK {}")
        yield opened


async def _whole(work: Coroutine[Any, Any, object]) -> None:
    """Awaits work in a thread to its end; after it, SIGTERM has cancelled who waits."""
    loop, waiting = asyncio.get_running_loop(), asyncio.current_task()
    handled = False
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        if waiting is not None:
            loop.add_signal_handler(signal.SIGTERM, waiting.cancel)
            handled = True
    working = asyncio.create_task(work)
    try:
        await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait({working})
        raise
    finally:
        if handled:
            loop.remove_signal_handler(signal.SIGTERM)


def host_and_port(text: str) -> tuple[str, int]:
    """An address such as `127.0.0.1:8000` or `[::1]:8000`; raises InputError for none."""
    found = _ADDRESS.fullmatch(text.strip())
    if found is None or int(found["port"]) > 65_535:
        raise InputError(
            f"--http {text[:80]!r} is no address; write HOST:PORT, such as 127.0.0.1:8000."
        )
    return found["six"] or found["host"], int(found["port"])
