"""Is a knowledge graph of use for answering? `factmark.graphrag()` stands in `factmark.api`."""

from factmark.lazily import make_callable

make_callable(__name__)
