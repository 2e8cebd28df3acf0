"""Property tests draw the same examples in every run; `make fuzz` draws new ones."""

from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.register_profile("fuzz", derandomize=False, print_blob=True)
settings.load_profile("same")
