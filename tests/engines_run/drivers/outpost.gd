# The game of two outposts, as game.py has it.
extends SceneTree

const Bthtn = preload("res://outpost_bindings.gd")
const SECTORS := ["NORTH", "EAST", "SOUTH_EAST"]

var lines := []
var last := 1


class Guard:
	extends Bthtn.Ann
	var lines: Array

	func _init(its_name, its_lines):
		agent_name = its_name
		lines = its_lines

	func say(step, args := []):
		var line = "start %d %s %s" % [step.number, step.agent, step.task]
		for arg in args:
			line += " " + str(arg)
		lines.append(line)

	func on_walk(step, to: Array, pace: float):
		say(step, [to[0], to[1], int(pace * 100)])

	func on_shoot(step, at: int, how: int):
		say(step, [SECTORS[at], "standing" if how == Bthtn.Stance.STANDING else "lying down"])

	func on_call(step, whom: String, about):
		say(step, [whom, "none" if about == null else SECTORS[about]])

	func on_reload(step):
		say(step)

	func on_look(step):
		say(step)

	func on_abort(step):
		lines.append("abort %d %s %s" % [step.number, step.agent, step.task])


class Flyer:
	extends Bthtn.Drone
	var lines: Array

	func _init(its_lines):
		lines = its_lines

	func on_fly(step):
		lines.append("start %d %s %s" % [step.number, step.agent, step.task])

	func on_charge(step):
		lines.append("start %d %s %s" % [step.number, step.agent, step.task])

	func on_abort(step):
		lines.append("abort %d %s %s" % [step.number, step.agent, step.task])


func draw(below: int) -> int:
	last = (last * 75 + 74) % 65537
	return last % below


func end_steps(character):
	for step in character.open.values():
		match draw(6):
			0:
				step.progress(0.5)
			1:
				step.progress("so, so")
			2, 3:
				step.succeed()
			4:
				step.fail("no \"luck\" ✓")


func play(guard):
	if draw(6) == 0:
		guard.alarm = draw(2) == 0
	if draw(6) == 0:
		guard.enemy = [null, 0, 1, 2][draw(4)]
	if draw(6) == 0:
		guard.watching = draw(3)
	if draw(3) == 0:
		guard.distance = draw(20) / 2.0
	if draw(8) == 0:
		guard.rounds = draw(3)
	if draw(20) == 0:
		guard.forget("rounds")
	if draw(8) == 0:
		guard.stance = draw(2)
	if draw(8) == 0:
		guard.post = [draw(3), 1]
	if draw(8) == 0:
		guard.set_trust("Zoë, 2nd", draw(10) / 10.0)
	if draw(8) == 0:
		guard.set_seen(["B", Bthtn.Sector.EAST], draw(2) == 0)


func settle(client, name: String):
	client.spawn(name, [Guard.new("Ann", lines), Guard.new("Bob", lines), Flyer.new(lines)], 7)


func _init():
	var client = Bthtn.Client.new()
	client.aborts = ["walk"]
	if client.start(OS.get_environment("BTHTN"), OS.get_environment("TREE")):
		game(client)
	client.close()
	var log_file = File.new()
	log_file.open(OS.get_environment("LOG"), File.WRITE)
	for line in lines:
		log_file.store_line(line)
	log_file.close()
	quit()


func game(client):
	settle(client, "post 1")
	settle(client, "post 2")
	for tick in range(int(OS.get_environment("TICKS"))):
		for character in client.characters.values():
			play(character.agents[0])
			play(character.agents[1])
			var drone = character.agents[2]
			if draw(6) == 0:
				drone.charge = draw(5) / 4.0
			if draw(6) == 0:
				drone.alarm = draw(2) == 0
			end_steps(character)
		if tick % 3 == 2:
			client.frame(0.25)
		else:
			client.tick_all(0.25)
		if client.error != "":
			lines.append(client.error)
		for one in client.characters.values():
			var due = "never" if one.due == null else str(int(one.due * 1000 + 0.5))
			lines.append("%d %s %d %s %s %s" % [tick, one.name, one.tick, one.status, one.finished, due])
		if tick % 100 == 99:
			client.dismiss(client.characters["post 2"])
			settle(client, "post 2")
