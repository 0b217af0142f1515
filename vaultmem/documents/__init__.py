"""Material that comes from outside of the vault, read and taken apart; nothing here writes."""
