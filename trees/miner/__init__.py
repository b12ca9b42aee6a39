"""A miner who collects ore, drops it at the camp, and loses his tool."""
