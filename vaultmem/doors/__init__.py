"""Floor 6: where people and agents come in. Parse, one call on `Memory`, print."""
