"""How fast is it, and next to whom? Problems, peers, and the tool that measures them."""
