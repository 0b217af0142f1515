"""Documents to text: one module a family of kinds, and a process of its own to do it in."""
