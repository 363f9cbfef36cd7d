"""The results folder: records of trials, failures, and derived files."""
