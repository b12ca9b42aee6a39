# Compiles what has hostile names.
extends SceneTree

const Bthtn = preload("res://hostile_bindings.gd")


func _init():
	print(Bthtn.Client.TREE.length())
	quit()
