"""The store that a path or a URL names: beside `store`, which its kinds import in turn."""

from __future__ import annotations

import os

from factmark.errors import InputError
from factmark.stores.endpoint import HttpEndpoint
from factmark.stores.folder import FolderStore
from factmark.stores.store import Store


def open_store(
    *,
    path: str | os.PathLike[str] | None = None,
    url: str | None = None,
    workers: int = 1,
    union_default_graph: bool = True,
    user_env: str | None = None,
    password_env: str | None = None,
) -> Store:
    """Returns a store for the folder or RDF file at `path`, or for the endpoint at `url`.

    Args:
        workers, union_default_graph: of a path, see `factmark.stores.folder.FolderStore`.
        user_env, password_env: of a URL, see `factmark.stores.endpoint.HttpEndpoint`.

    Raises:
        InputError: not exactly one of `path` and `url` is given, or the URL is none.
        StoreError: the path is missing or is no store.
    """
    if url is not None and path is None:
        return HttpEndpoint(url, user_env=user_env, password_env=password_env)
    if path is None or url is not None:
        raise InputError("name either a store on disk or an endpoint's URL")
    return FolderStore(path, workers=workers, union_default_graph=union_default_graph)
