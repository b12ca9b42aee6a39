"""An archer who keeps away from whoever comes near."""
