"""The studio: what people look at, ask and test characters with. No character needs it."""
