"""Attacks from one template: come near if it is far, then strike."""
