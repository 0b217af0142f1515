"""`python -m vaultmem`, the same as `vaultmem`; as git's merge driver it starts at once."""

import sys


def main() -> None:
    """Run the command line, or merge one note for git, which waits for each."""
    if sys.argv[1:3] == ["git", "merge-driver"] and len(sys.argv) == 7:
        from pathlib import Path

        from vaultmem.vault.threeway import drive

        base, ours, theirs = map(Path, sys.argv[3:6])
        sys.exit(0 if drive(base, ours, theirs) else 1)
    from vaultmem.doors import cli

    cli.main()


if __name__ == "__main__":
    main()
