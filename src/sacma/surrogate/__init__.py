"""The surrogate: archive of true evaluations, training set, Gaussian process. Knows no CMA-ES."""
