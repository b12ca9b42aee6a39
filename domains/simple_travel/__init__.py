"""People who walk, or take a taxi that they have to pay: GTPyhop's first example."""
