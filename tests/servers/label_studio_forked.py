"""A Label Studio whose serving process can be killed and replaced without loading it all again.

Runs in Label Studio's own Python in the place of its command, which it loads and prepares as the
command does; only the serving itself is done in a forked process, whose id stands in the file
`serving` of the data folder. When that is killed, a new one is forked on SIGUSR1. A kill takes all
that a server keeps in memory, as that of the whole does; what is not done anew is the loading.
"""

import os
import signal
import sys
from pathlib import Path

from django.db import connections
from label_studio import server

serve = server._app_run


def serve_in_forks(host: str, port: int) -> None:
    """Takes the place of the function that serves for ever."""
    folder = Path(os.environ["LABEL_STUDIO_BASE_DATA_DIR"])
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    while True:
        connections.close_all()
        child = os.fork()
        if child == 0:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])
            try:
                serve(host, port)
            finally:
                os._exit(1)
        partial = folder / "serving.part"
        partial.write_text(str(child))
        partial.replace(folder / "serving")
        os.waitpid(child, 0)
        signal.sigwait([signal.SIGUSR1])


server._app_run = serve_in_forks
if __name__ == "__main__":
    sys.exit(server.main())
