"""A page of our own over a campaign: annotators open their link and answer; a Starlette app."""

from factmark.io.page.server import annotator_links, serve_page
from factmark.io.page.site import Site, site_of

__all__ = ["Site", "annotator_links", "serve_page", "site_of"]
