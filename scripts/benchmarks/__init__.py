"""What `scripts/bench` measures: one module a benchmark, beside what they share."""

NAMES = ("agents", "core", "git", "hosts", "knowledge", "noise", "retrieval", "soak", "speed")
"""The benchmarks; each is a module here with `FIGURES`."""
