// Compiles what has hostile names.
#include "hostile_bindings.hpp"

#include <iostream>

int main() { std::cout << na_sty_tree_x::Client::tree.size() << "\n"; }
