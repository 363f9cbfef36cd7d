"""Errors that a user can mend."""


class SacmaError(Exception):
    """An error of the input or the surroundings: one line with the cause and the remedy."""

    exit_code = 2


class RunError(SacmaError):
    """A failure while running, with input that was right."""

    exit_code = 1
