"""The results folder: records of trials, failures, and what is derived from them."""
