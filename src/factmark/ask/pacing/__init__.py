"""How many requests a server is sent at a time, and how soon one after the other."""
