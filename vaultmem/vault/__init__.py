"""Floor 2: the truth on disk. Files are touched here and nowhere else."""
