"""`python -m vaultmem`, the same as `vaultmem`."""

from vaultmem.doors.cli import main

if __name__ == "__main__":
    main()
