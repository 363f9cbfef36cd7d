"""Statistics of comparisons of algorithms: tables of values in, numbers and data frames out.

Rows are problems, columns algorithms, lower is better. ``ranks`` tests whether algorithms differ, ``posthoc`` which
pairs do; ``pairwise`` has wins, effect sizes and the tests of a single pair.
"""
