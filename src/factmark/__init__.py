"""factmark measures how factual answers, summaries and knowledge graphs are."""

__version__ = "0.1.0"

__all__ = ["__version__"]
