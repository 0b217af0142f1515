"""The command line: `vaultmem VERB`. Data on stdout, talk on stderr, exit code 0, 1 or 2."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. A refusal is one sentence on stderr and exit code 1."""
    if sys.argv[1:2] == ["hook"] and len(sys.argv) > 3:
        from vaultmem.doors import hook

        return hook.main(sys.argv[2:])
    return _chosen()


def _chosen() -> None:
    import click

    from vaultmem.doors.cli.group import vaultmem
    from vaultmem.words.errors import VaultmemError
    from vaultmem.words.safe import shown

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        vaultmem(prog_name="vaultmem")
    except VaultmemError as error:
        click.echo(f"vaultmem: {shown(str(error))}", err=True)
        sys.exit(1)
