"""The program ``bthtn``, also as ``python -m bthtn``.

It decides about signals before anything is imported that takes time.
"""

from bthtn.studio.cli.signals import end_at_once


def main() -> None:
    """Call the command, and exit with its exit code."""
    end_at_once()
    from bthtn.studio.cli.main import run  # noqa: PLC0415 - takes time: not before end_at_once

    run()


if __name__ == "__main__":
    main()
