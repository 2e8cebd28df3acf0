"""The data space as an MCP server."""
