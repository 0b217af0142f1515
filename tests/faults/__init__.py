"""What happens to a vault when the disk fails, or the process dies, at any call."""
