"""The tests of bthtn: a package, since opensimplex installs another one of this name."""
