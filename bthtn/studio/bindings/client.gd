# Written by bthtn bindings. When the character has changed, write it again.
#
#     const Bthtn = preload("res://gatekeeper.gd")
#     var client = Bthtn.Client.new()
#     client.start()
#     client.spawn("Bob", [Bob.new()])   # class Bob extends Bthtn.Gatekeeper
#     client.frame(delta)                # in each _process

extends ${refcounted}

${enums}
# A step that bthtn has started, until you say how it ended.
class Step:
	extends ${refcounted}
	var number: int
	var agent: String
	var task: String
	var template: String
	var args: Dictionary
	# How long it is expected to take, null if that is not known.
	var seconds
	var ticks
	var is_aborted := false
	var _character: WeakRef

	func _init(character, told):
		_character = weakref(character)
		number = int(told["step"])
		agent = told["agent"]
		task = told["task"]
		template = told["template"]
		args = told["args"]
		seconds = told.get("seconds")
		ticks = told.get("ticks")

	func succeed():
		_end(true)

	func fail(reason := ""):
		if reason == "":
			_end(false)
		else:
			_end(reason)

	# How far it is, from 0 to 1, or in words; for people who watch.
	func progress(far):
		var character = _character.get_ref()
		if character != null and character.open.has(number):
			character.progress[str(number)] = far

	func _end(outcome):
		var character = _character.get_ref()
		if character != null:
			character.ended[str(number)] = outcome
			character.open.erase(number)


# What all agents have: what they tell bthtn, and what it asks of them.
class Agent:
	extends ${refcounted}
	var agent_name: String
	var _said := {}
	var _told := {}
	var _untold := {}

	# Do a step.
	func start(step):
		step.fail("these bindings do not know the task '" + step.task + "'")

	# A step is given up: stop doing it.
	func on_abort(_step):
		pass

	# Make a belief unknown.
	func forget(fluent: String):
		tell(fluent, "unknown")

	# Send what is told next even if it is what was told before.
	func retell():
		_told.clear()

	func tell(fluent: String, value):
		var text = ${write}(value${exact})
		if _told.get(fluent) == text:
			_untold.erase(fluent)
		else:
			_untold[fluent] = text

	# Tell one of a family of beliefs, whose index has these parts.
	func tell_member(fluent: String, index: Array, value):
		var name = _name(fluent, index)
		_said[name] = value
		tell(name, value)

	# What was told last of one of a family.
	func said(fluent: String, index: Array, at_first):
		return _said.get(_name(fluent, index), at_first)

	# The beliefs that have changed, as JSON, and from now on are told; empty if there are none.
	func take_untold() -> String:
		var text := ""
		for fluent in _untold:
			text += ("," if text != "" else "") + ${write}(fluent${exact}) + ":" + _untold[fluent]
			_told[fluent] = _untold[fluent]
		_untold.clear()
		return text

	func _name(fluent: String, index: Array) -> String:
		var text := ""
		for part in index:
			text += (", " if text != "" else "") + ("none" if part == null else ${write}(part${exact}))
		return fluent + "[" + text + "]"


${classes}
# A character that bthtn decides for: one agent, or several.
class Character:
	extends ${refcounted}
	var name: String
	var agents: Array
	var tick := 0
	var status := "INVALID"
	var finished := false
	# In how many seconds it has to be ticked if it is told nothing, null for never.
	var due = 0
	var open := {}
	var ended := {}
	var progress := {}

	func _init(its_name, its_agents):
		name = its_name
		agents = its_agents

	# What there is to tell, as an item of a frame; empty if it is nothing and not asked for.
	func take_item(always: bool) -> String:
		var beliefs := ""
		for agent in agents:
			var own = agent.take_untold()
			if own == "":
				continue
			if agents.size() > 1:
				own = ${write}(agent.agent_name${exact}) + ":{" + own + "}"
			beliefs += ("," if beliefs != "" else "") + own
		if not always and beliefs == "" and ended.size() == 0 and progress.size() == 0:
			return ""
		var item = "{\"character\":" + ${write}(name${exact})
		if beliefs != "":
			item += ",\"beliefs\":{" + beliefs + "}"
		if ended.size() > 0:
			item += ",\"ended\":" + ${write}(ended${exact})
			# The effects of a step that ends may change what was told.
			retell()
		if progress.size() > 0:
			item += ",\"progress\":" + ${write}(progress${exact})
		ended.clear()
		progress.clear()
		return item + "}"

	func retell():
		for agent in agents:
			agent.retell()

	# Take over what a frame has answered, and call the agents.
	func hear(item, aborts: Array):
		tick = int(item["tick"])
		status = item["status"]
		finished = item["finished"]
		due = item.get("due", 0)  # only frame asks
		give_up(item, aborts)
		var steps = []
		for told in item["starts"]:
			steps.append(Step.new(self, told))
			open[steps[-1].number] = steps[-1]
		for step in steps:
			_agent_of(step).start(step)

	# Let the agents stop steps; those of some tasks stay open until you say that they have ended.
	func give_up(item, staying: Array):
		for number in item["aborts"]:
			var step = open.get(int(number))
			if step == null:
				continue  # it ended while bthtn was giving it up
			step.is_aborted = true
			if not staying.has(step.task):
				open.erase(int(number))
			_agent_of(step).on_abort(step)

	func _agent_of(step):
		for agent in agents:
			if agent.agent_name == step.agent:
				return agent
		return null


# A connection to bthtn serve. It waits for each answer.
class Client:
	extends ${refcounted}
	# Something is wrong that does not stop the game.
	signal warned(text)
	const TREE := ${tree}
	const HASH := ${hash}
	# How many seconds bthtn serve may take to start.
	const PATIENCE := 20
	# The tasks whose aborts take time: say when such a step has ended. Set it before the start.
	var aborts := []
	var characters := {}
	# What was wrong with the last request, empty if nothing.
	var error := ""
	var _peer := StreamPeerTCP.new()
	var _child := 0

	# Start bthtn serve, and connect to it; whether that worked.
	func start(command := "bthtn", tree := TREE) -> bool:
		var file = OS.get_user_data_dir() + "/bthtn-" + str(OS.get_process_id()) + ".json"
		var arguments = ["serve", tree, "--tcp", "0", "--once", "--announce", file]
		${remove}(file)
		_child = ${start}
		var told = ""
		for _i in range(PATIENCE * 50):
			OS.delay_msec(20)
			told = _read(file)
			if told != "":
				break
		if told == "":
			return _wrong("nothing is served after " + str(PATIENCE) + " seconds")
		${remove}(file)
		var announced = ${read}(told)${result}
		return connect_to(int(announced["tcp"].split(":")[2]), announced["token"])

	# Connect to bthtn serve --tcp, which has printed the port and a token; whether that worked.
	func connect_to(port: int, token: String, host := "127.0.0.1") -> bool:
		if _peer.connect_to_host(host, port) != OK:
			return _wrong("there is no bthtn serve at port " + str(port))
		while _status() == StreamPeerTCP.STATUS_CONNECTING:
			OS.delay_msec(1)
		if _status() != StreamPeerTCP.STATUS_CONNECTED:
			return _wrong("there is no bthtn serve at port " + str(port))
		_peer.set_no_delay(true)
		var hello = ask("hello", {"protocol": "bthtn-engine/1", "token": token, "aborts": aborts})
		if hello == null:
			return false
		if hello["hash"] != HASH:
			warn(hello["tree"] + " has changed since its bindings were written: write them again")
		return true

	# Let a character live, whose agents are these; null if it cannot.
	func spawn(name: String, agents: Array, its_seed = null):
		var asked = {"character": name}
		if its_seed != null:
			asked["seed"] = its_seed
		var items = ask("spawn", [asked])
		if items == null:
			return null
		if items[0].has("error"):
			_wrong(_as_text(items[0]["error"]))
			return null
		var needed = items[0]["agents"].duplicate()
		var given = []
		for agent in agents:
			given.append(agent.agent_name)
		needed.sort()
		given.sort()
		if needed != given:
			ask("dismiss", [name])
			_wrong(name + " has the agents " + str(needed) + "; these were given: " + str(given))
			return null
		characters[name] = Character.new(name, agents)
		return characters[name]

	# Let a character live no more; whether that worked.
	func dismiss(character) -> bool:
		characters.erase(character.name)
		var items = ask("dismiss", [character.name])
		if items == null:
			return false
		if items[0].has("error"):
			return _wrong(_as_text(items[0]["error"]))
		character.give_up(items[0], [])
		return true

	# Tick the characters that have something to tell, and those that are due.
	func frame(seconds := 0.0) -> bool:
		return _pass(seconds, false)

	# Tick all characters.
	func tick_all(seconds := 0.0) -> bool:
		return _pass(seconds, true)

	# Ask anything of the protocol, such as ask("save", ["Bob"]); null if there is an error.
	func ask(verb: String, value):
		return _request(verb, "{" + ${write}(verb${exact}) + ":" + ${write}(value${exact}) + "}")

	# End the connection, and the bthtn serve that was started.
	func close():
		_peer.disconnect_from_host()
		if _child != 0:
			OS.kill(_child)
			_child = 0

	func warn(text: String):
		push_warning(text)
		emit_signal("warned", text)

	func _pass(seconds: float, all: bool) -> bool:
		var items = ""
		for character in characters.values():
			var item = character.take_item(all)
			if item != "":
				items += ("," if items != "" else "") + item
		var line = "{\"frame\":[" + items + "]"
		if seconds > 0.0:
			line += ",\"seconds\":" + ${write}(seconds${exact})
		if not all:
			line += ",\"due\":true"
		var answers = _request("frame", line + "}")
		if answers == null:
			return false
		for item in answers:
			var character = characters.get(item.get("character"))
			if character == null:
				continue  # it was dismissed in the meantime
			var faults = [item["error"]] if item.has("error") else item.get("refused", [])
			for fault in faults:
				warn(_as_text(fault))
			if faults.size() > 0:
				character.retell()
			if not item.has("error"):
				character.hear(item, aborts)
		return true

	func _request(verb: String, line: String):
		error = ""
		if _status() != StreamPeerTCP.STATUS_CONNECTED:
			_wrong("there is no connection to bthtn serve")
			return null
		_peer.put_data((line + "\n").${utf8}())
		var text = _receive()
		if text == "":
			_wrong("bthtn serve has ended")
			return null
		var answer = ${read}(text)${result}
		if answer.has("error"):
			_wrong(_as_text(answer["error"]))
			return null
		return answer[verb]

	# The answer to the one request that was sent, empty if the connection is over.
	func _receive() -> String:
		var line := ${bytes}()
		while line.size() == 0 or line[line.size() - 1] != 10:
			var is_over = _status() != StreamPeerTCP.STATUS_CONNECTED
			var there = _peer.get_available_bytes()
			if there > 0:
				line.append_array(_peer.get_data(there)[1])
			elif is_over:
				return ""
			else:
				OS.delay_usec(50)
		return line.get_string_from_utf8()

	func _status() -> int:
${poll}		return _peer.get_status()

	func _read(path: String) -> String:
${open}
		return text if text.ends_with("}\n") else ""

	func _wrong(text: String) -> bool:
		error = text
		push_error(text)
		return false

	func _as_text(told) -> String:
		var text = "[" + told["code"] + "] " + told["message"]
		for part in ["where", "hint"]:
			if told[part] != "":
				text += "\n  " + part + ": " + told[part]
		return text
