"""The replica as data: what is published of the portal, and a generator true to it. Pure."""
