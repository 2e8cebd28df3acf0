"""`python -m factmark`: the command `factmark`."""

from factmark.cli.main import main

if __name__ == "__main__":
    main()
