"""What can be benchmarked: a name, its settings, and a callable on a counted, budgeted problem."""
