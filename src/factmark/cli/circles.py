"""How often Python looks for circles of objects, in a process of ours."""

import gc


def look_rarely_for_circles() -> None:
    """Has Python look through all objects less often: who judges holds what it reads until the end,
    and to look through it again and again, as Python does after every 700 records, takes a fifth
    of the time."""
    gc.set_threshold(100_000, 20, 100)
