"""The surrogate: archive of true evaluations, training set, Gaussian process. Knows no CMA-ES."""

SLOW_TO_COMPILE = ("sacma.surrogate.likelihood", "maximise")
"""Module and name of the function that takes longest to compile, by far."""
