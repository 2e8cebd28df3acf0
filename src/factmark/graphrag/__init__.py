"""Is a knowledge graph of use for answering? `factmark.graphrag()` stands in `factmark.api`."""

import sys
from types import ModuleType
from typing import Any


class _Called(ModuleType):
    """The folder bears the name of the public function; once it is imported it passes calls on."""

    def __call__(self, *given: Any, **options: Any) -> Any:
        from factmark.api import graphrag

        return graphrag(*given, **options)


sys.modules[__name__].__class__ = _Called
