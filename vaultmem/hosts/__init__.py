"""The hosts that agents run on: where each keeps its settings, and what its hooks say and expect.

What is known of a host is data in `table`. Pure functions make a host's file with our part in it,
or without; `verbs.connect` writes what they decide.
"""
