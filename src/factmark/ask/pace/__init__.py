"""How many requests a server is sent at a time, and how soon one after the other."""

from factmark.ask.pace.pace import Pace, Rates, SilentError

__all__ = ["Pace", "Rates", "SilentError"]
