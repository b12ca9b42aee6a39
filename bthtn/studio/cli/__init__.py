"""The command line: ``bthtn list | plan | check | render | run``.

Prints for people, and with ``--json`` for programs. Exit codes: 0 done, 1 the answer is no,
2 bad input, with one message that has a code, a place and a hint, and never a traceback.
The modules of a command are imported when it is called.
"""
