"""The exit statuses of all commands. `docs/commands.md` lists them from here."""

from __future__ import annotations

PROBLEM = 1
BAD_INPUT = 2
INCOMPLETE = 3
SIGNALLED = 128  # and the number of the signal, as shells have it

MEANINGS = {
    0: "done",
    PROBLEM: "something drifted or failed (`groundtruth`), a question has no ground truth "
    "(`score`, `run`; all others are scored), nothing could be judged or imported, or whoever read "
    "the output went away",
    BAD_INPUT: "bad input, or output that cannot be written; one message says what to do",
    INCOMPLETE: "not complete: calls failed, a budget was used up, or labels are of units that "
    "nobody knows; what came in is scored and kept, and the same command goes on from there",
    SIGNALLED + 1: "ended by SIGHUP, as its terminal was closed; else as 130",
    SIGNALLED + 2: "interrupted by Ctrl-C; a line says what is kept, and a command that asks a "
    "model goes on from there when it is given again",
    SIGNALLED + 15: "ended by SIGTERM; else as 130",
}
"""Exit status -> when a command ends with it."""
