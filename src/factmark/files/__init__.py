"""Reading and writing files: rows in and out, problems told with file and line."""
