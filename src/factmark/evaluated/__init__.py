"""What judges and people said of units, as one table: kinds of columns, words and their worth."""
