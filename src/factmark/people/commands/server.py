"""`factmark annotate labelstudio-up`: a Label Studio server on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def labelstudio_up(
    data_dir: Annotated[
        Path, typer.Option(help="The folder that keeps its database and its owner's credentials.")
    ] = Path("labelstudio"),
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port on 127.0.0.1.")] = 8080,
) -> None:
    """Run a Label Studio server on this machine until Ctrl-C (extra `labelstudio`)."""
    from factmark.cli.console import print_line, say
    from factmark.errors import EndpointError
    from factmark.people.labelstudio.local import running

    try:
        with running(data_dir, port=port, tell=say) as server:
            print_line(f"Label Studio runs at {server.url} (Ctrl-C ends)")
            print_line(f"Its owner's e-mail address, password and token: {server.credentials}")
            print_line(
                "Put that token into the environment as LABEL_STUDIO_API_KEY, and go on with"
            )
            print_line(f"  factmark annotate push LEDGER --url {server.url}")
            server.wait()
            log = server.credentials.with_name("server.log")
            raise EndpointError(f"Label Studio ended on its own; its last words are in {log}.")
    except KeyboardInterrupt:
        say("Label Studio has ended.")
