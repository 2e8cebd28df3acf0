"""Labels and verdicts that come in from people, sheets and other programs."""
