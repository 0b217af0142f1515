"""vaultmem: a memory for agents that a person can open, because it is a folder of markdown."""
