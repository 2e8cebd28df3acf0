"""Is a claim supported by its evidence? `factmark.claims()` stands in `factmark.api`."""

from factmark.lazily import make_callable

make_callable(__name__)
