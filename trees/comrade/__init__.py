"""A comrade who revives, kills or idles: whatever is worth most."""
