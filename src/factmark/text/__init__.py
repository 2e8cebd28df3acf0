"""Words, sentences and Markdown of natural text. Pure."""
