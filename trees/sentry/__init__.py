"""A sentry who is calm, alarmed or tired, and plans when that changes."""
