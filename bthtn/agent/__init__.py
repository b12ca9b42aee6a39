"""WHO ACTS? An agent: its beliefs and domains, and the operators, sensors and body it has.

Nothing here knows behaviour trees. Trees, and the plans in them, act through an agent.
"""
