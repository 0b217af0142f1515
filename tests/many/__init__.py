"""What happens to a vault that many read and write at once."""
