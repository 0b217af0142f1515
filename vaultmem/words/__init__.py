"""Floor 1: pure values and rules. No disk, no clock, no network."""
