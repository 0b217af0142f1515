"""A disk that fails at the Nth call, a process that dies there, and what must be true after it."""

from .disk import ERRNOS, KILLED, Faulty, killed
from .runs import every_failure, every_kill, matrix, scratch
from .verbs import VERBS
from .world import LOG, Verb, World, read_all

__all__ = [
    "ERRNOS",
    "KILLED",
    "LOG",
    "VERBS",
    "Faulty",
    "Verb",
    "World",
    "every_failure",
    "every_kill",
    "killed",
    "matrix",
    "read_all",
    "scratch",
]
