"""Is a claim supported by its evidence? `factmark.claims()` stands in `factmark.api`."""

import sys
from types import ModuleType
from typing import Any


class _CalledClaims(ModuleType):
    """Makes the module callable: the folder bears the name of the public function, and passes calls
    on to it once it is imported."""

    def __call__(self, *given: Any, **options: Any) -> Any:
        """Returns what `factmark.api.claims` does."""
        from factmark.api import claims

        return claims(*given, **options)


sys.modules[__name__].__class__ = _CalledClaims
