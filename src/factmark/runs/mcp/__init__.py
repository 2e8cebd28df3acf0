"""An MCP client: tools of a server that a model may call."""
