"""What a caller may ask for: each verb in a few lines, imported when it is first needed."""
