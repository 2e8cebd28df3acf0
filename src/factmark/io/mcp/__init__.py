"""The Model Context Protocol: tools of other servers for models, and our own for others."""
