"""OpenAI's Responses API: its wire format, and when a model is asked by it."""
