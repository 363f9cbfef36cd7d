"""What can go wrong that a user can mend."""


class SacmaError(Exception):
    """The user's input or surroundings are at fault: one line that says what, and how to mend it."""

    exit_code = 2


class RunError(SacmaError):
    """The input was right, but something failed while running."""

    exit_code = 1
