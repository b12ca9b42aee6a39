# The game of three comrades, as game.py has it.
extends SceneTree

const Bthtn = preload("res://comrade_bindings.gd")

var lines := []
var last := 1


class Friend:
	extends Bthtn.Comrade
	var lines: Array

	func _init(its_lines):
		lines = its_lines

	func say(what: String, step):
		lines.append("%s %d %s %s" % [what, step.number, step.agent, step.task])

	func on_run_to(step, whom: String):
		lines.append("start %d %s %s %s" % [step.number, step.agent, step.task, whom])

	func on_help_up(step):
		say("start", step)

	func on_strike(step):
		say("start", step)

	func on_idle(step):
		say("start", step)

	func on_abort(step):
		say("abort", step)


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


func _init():
	var client = Bthtn.Client.new()
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
	for name in ["Al", "Bo", "Cy"]:
		client.spawn(name, [Friend.new(lines)], 7)
	for tick in range(int(OS.get_environment("TICKS"))):
		if tick % 25 == 0:
			client.ask("pause" if tick % 50 == 0 else "resume", ["Al"])
		for character in client.characters.values():
			var comrade = character.agents[0]
			if draw(12) == 0:
				comrade.friend_is_down = draw(2) == 0
			if draw(12) == 0:
				comrade.danger = draw(4) * 30
			if draw(6) == 0:
				comrade.blows = draw(4)
			if character.name != "Al" or tick % 50 >= 25:
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
