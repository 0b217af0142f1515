"""Floor 4: what can be asked for, one module a verb."""
