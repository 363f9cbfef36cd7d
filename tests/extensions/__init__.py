"""Kinds of parts as a stranger would write them, one a file; see ``tests/test_extending.py``."""
