"""What can be wrong with a vault, and what mends it: one module for each place it is found in."""
