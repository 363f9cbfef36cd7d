"""Optimizers on problems from the literature and from libraries' data: problems, competitors, runs and statistics."""
