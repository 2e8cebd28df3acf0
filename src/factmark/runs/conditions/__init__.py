"""How a model is grounded: alone, with passages, with tools."""
