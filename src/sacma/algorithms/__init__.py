"""Algorithms that can be benchmarked: a name, settings, and a function of a counted, budgeted problem."""
