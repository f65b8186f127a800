"""The ways in which a command ends early, each one sentence for the user."""


class UsageError(Exception):
    """What was asked for cannot be: wrong name, wrong value. Exit code 2, nothing was done."""


class WorkError(Exception):
    """Work had begun and something failed. Exit code 1, what was done is kept."""


class StillRunning(WorkError):
    """Work goes on elsewhere and cannot be reached now: nothing is stored, a later call will."""


class Stopped(BaseException):
    """The user pressed Ctrl-C. Not an `Exception`, so that no handler of those swallows it."""
