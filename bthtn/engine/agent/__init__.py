"""Agents: their beliefs, domains, operators, sensors and bodies.

This package does not depend on behaviour trees. Trees, and the plans in them, act through an
agent.
"""
