"""Outside documents: taken in, searched, read, matched, and let go."""
