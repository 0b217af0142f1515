"""Files, questions and messages that mean harm or merely trip over themselves."""
