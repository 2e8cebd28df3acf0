"""Records as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from factmark.model import Estimate


def plain(value: Any) -> Any:
    """A record, mapping or sequence as JSON values; an estimate with its signature."""
    if is_dataclass(value) and not isinstance(value, type):
        found = {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        if isinstance(value, Estimate):
            found |= {"n_effective": value.n_effective, "signature": value.signature}
        return found
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, (list, tuple)) else value
