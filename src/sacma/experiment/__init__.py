"""Experiments: trials run in parallel, in one process or on a cluster, each to a committed record."""
