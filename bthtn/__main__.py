"""The program ``bthtn``, also as ``python -m bthtn``.

It decides about signals before anything is imported that takes time.
"""

import sys

from bthtn.studio.cli.signals import end_at_once


def main() -> None:
    """Call the command, and exit with its exit code."""
    end_at_once()
    try:
        from bthtn.studio.cli.main import run  # noqa: PLC0415 - takes time: not before end_at_once
    except ModuleNotFoundError as error:
        if error.name not in ("rich", "typer"):
            raise
        from bthtn.errors import InputError  # noqa: PLC0415 - likewise

        lacks = f"the command needs {error.name}, which is not installed"
        fault = InputError("BT418", lacks, "bthtn", 'pip install "bthtn[cli]"')
        sys.stderr.write(f"{fault}\n")
        sys.exit(2)
    run()


if __name__ == "__main__":
    main()
