"""Words, sentences and Markdown of natural text, in English (`english.toml`). Pure."""
