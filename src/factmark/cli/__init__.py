"""The command line: options in, exit status out; what it does is done elsewhere."""
