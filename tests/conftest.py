"""Property tests draw the same examples in every run; `make fuzz` draws new ones. None is timed."""

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("fuzz", derandomize=False, deadline=None, print_blob=True)
settings.load_profile("same")
