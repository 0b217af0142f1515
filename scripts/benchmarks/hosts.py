"""The figures of hosts: what an agent gets on the program that it runs on."""

from __future__ import annotations

from benchmarks import importing

FIGURES = {6: importing.imported}
