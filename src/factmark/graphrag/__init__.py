"""Is a knowledge graph of use for answering? `factmark.graphrag()` stands in `factmark.api`."""

import sys
from types import ModuleType
from typing import Any


class _Called(ModuleType):
    """Makes the module callable: the folder bears the name of the public function, and passes calls
    on to it once it is imported."""

    def __call__(self, *given: Any, **options: Any) -> Any:
        """Returns what `factmark.api.graphrag` does."""
        from factmark.api import graphrag

        return graphrag(*given, **options)


sys.modules[__name__].__class__ = _Called
