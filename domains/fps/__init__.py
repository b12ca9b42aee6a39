"""The hybrid combat domain: fight from cover or from a distance, reload on the way."""
