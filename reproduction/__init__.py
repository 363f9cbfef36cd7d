"""Scripts of the reproduction: the paper's claims, its open readings, and the differences of text and code."""
