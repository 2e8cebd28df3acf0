"""Pieces of text that markdown, tokens and patterns have to cope with in any order and number."""

PROSE = ("The asthma cohort has 40 patients. ", "alpha of beta of ", "A and B C D ", "i ", "not ",
    "based on the context ", "please check ", "to ", "if you ", "? ", "! ", ", ", "; ", ": ",
    "use ", "or ", "Research and Development ", "Synthetic Asthma ", "a.", "a'", "'s ", "研究",
    "😀",
)  # fmt: skip
MARKUP = ("(", ")", "[", "](", "*", "**", "_", "`", "``` ", "```\n", "~~~\n", "|",
    "|a|b|\n|-|-|\n", "|a|\n|-|\n|b|\n\n", "\n", "\n- ", "\n1. ", "# ", "> ", "<", "<b ", "</b>",
    "_a", "=", "[1]", "【",
)  # fmt: skip
NUMBERS = ("1,234 ", "1 to ", "10%", "-", "–", "twenty one hundred ", "million ", "1 January 2000 ",
    "2000-01-01", "31/12/2023", "10 mg/dL ", "(EU) ", "http://a", "odrl:use ",
)  # fmt: skip
CONTROLS = ("\x00", "\x1f", "\r", "\t", "\u202e", "\ud800")

PIECES = (*PROSE, *MARKUP, *NUMBERS, *CONTROLS)
