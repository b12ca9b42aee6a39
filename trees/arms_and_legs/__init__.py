"""A troll whose arms and legs are planned for apart."""
