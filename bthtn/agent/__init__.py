"""WHO ACTS? An agent: what it believes, what it can do, and the code and body that do it.

Nothing here knows behaviour trees. Trees, and the plans below them, act on an agent.
"""
