"""HOW DOES IT LOOK? Plans, behaviour trees and domains as text and as pictures.

Everything here turns what there is into text; only ``graphviz`` starts a program. Colours on
a terminal are the command line's business.
"""
