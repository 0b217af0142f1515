"""Floor 3: what is derived from the vault and may be deleted at any time."""
