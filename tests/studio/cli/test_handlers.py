"""A signal ends the processes that work for a command, and then the command."""

import signal

import pytest
import typer

from bthtn.studio.cli.handlers import working


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_with_its_code(number):
    before = signal.getsignal(number)
    with pytest.raises(typer.Exit) as ended, working(2):
        signal.raise_signal(number)
    assert ended.value.exit_code == 128 + number
    assert signal.getsignal(number) is before


def test_without_other_processes_signals_do_what_they_did():
    before = signal.getsignal(signal.SIGTERM)
    with working(1):
        assert signal.getsignal(signal.SIGTERM) is before
