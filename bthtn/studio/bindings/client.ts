// Written by bthtn bindings. When the character has changed, write it again.

/** A step that bthtn has started, until you say how it ended. */
export class Step {
  isAborted = false;

  constructor(
    private readonly character: Character,
    readonly number: number,
    readonly agent: string,
    readonly task: string,
    readonly template: string,
    readonly args: Record<string, any>,
    /** How long it is expected to take, if that is known. */
    readonly seconds?: number,
    readonly ticks?: number,
  ) {}

  succeed(): void {
    this.character.end(this, true);
  }

  fail(reason = ""): void {
    this.character.end(this, reason === "" ? false : reason);
  }

  /** How far it is, from 0 to 1, or in words; for people who watch. */
  progress(far: number | string): void {
    this.character.note(this, far);
  }
}

/** What all agents have: what they tell bthtn, and what it asks of them. */
export abstract class Agent {
  /** The character that it belongs to, once it is spawned. */
  character?: Character;
  private readonly values = new Map<string, unknown>();
  private told = new Map<string, string>();
  private untold = new Map<string, string>();

  constructor(readonly agentName: string) {}

  /** Do a step. */
  abstract start(step: Step): void;

  /** A step is given up: stop doing it. */
  onAbort(_step: Step): void {}

  /** Make a belief unknown. */
  forget(fluent: string): void {
    this.tell(fluent, "unknown");
    this.values.delete(fluent);
  }

  /** Send what is told next even if it is what was told before. */
  retell(): void {
    this.told.clear();
  }

  /** What was told last. */
  said<T>(fluent: string, atFirst: T): T {
    return this.values.has(fluent) ? (this.values.get(fluent) as T) : atFirst;
  }

  tell(fluent: string, value: unknown): void {
    const text = JSON.stringify(value);
    this.values.set(fluent, value);
    if (this.told.get(fluent) === text) this.untold.delete(fluent);
    else this.untold.set(fluent, text);
  }

  /** The beliefs that have changed, as JSON, and from now on are told; empty if there are none. */
  takeUntold(): string {
    const untold = [...this.untold];
    for (const [fluent, text] of untold) this.told.set(fluent, text);
    this.untold.clear();
    return untold.map(([fluent, text]) => JSON.stringify(fluent) + ":" + text).join(",");
  }
}

/** Beliefs that there is one of for each index: value.set("Jab", 3). */
export class Family<Index, T> {
  constructor(
    private readonly agent: Agent,
    private readonly fluent: string,
    private readonly atFirst: T,
  ) {}

  get(index: Index): T {
    return this.agent.said(this.name(index), this.atFirst);
  }

  set(index: Index, value: T): void {
    this.agent.tell(this.name(index), value);
  }

  forget(index: Index): void {
    this.agent.forget(this.name(index));
  }

  private name(index: Index): string {
    const parts: unknown[] = Array.isArray(index) ? index : [index];
    const texts = parts.map((part) => (part === null ? "none" : JSON.stringify(part)));
    return this.fluent + "[" + texts.join(", ") + "]";
  }
}

$types
/** A character that bthtn decides for: one agent, or several. */
export class Character {
  tick = 0;
  status = "INVALID";
  finished = false;
  /** In how many seconds it has to be ticked if it is told nothing, null for never. */
  due: number | null = 0;
  readonly open = new Map<number, Step>();
  private ended: Record<number, boolean | string> = {};
  private progress: Record<number, number | string> = {};

  constructor(
    readonly name: string,
    readonly agents: readonly Agent[],
  ) {
    for (const agent of agents) agent.character = this;
  }

  end(step: Step, outcome: boolean | string): void {
    this.ended[step.number] = outcome;
    this.open.delete(step.number);
  }

  note(step: Step, far: number | string): void {
    if (this.open.has(step.number)) this.progress[step.number] = far;
  }

  /** What there is to tell, as an item of a frame; empty if it is nothing and not asked for. */
  takeItem(always: boolean): string {
    const told = this.agents.map((agent) => agent.takeUntold());
    let beliefs = told[0];
    if (this.agents.length > 1) {
      const own = this.agents.map((agent, i) => JSON.stringify(agent.agentName) + ":{" + told[i] + "}");
      beliefs = own.filter((_, i) => told[i] !== "").join(",");
    }
    const hasEnded = Object.keys(this.ended).length > 0;
    const hasProgress = Object.keys(this.progress).length > 0;
    if (!always && beliefs === "" && !hasEnded && !hasProgress) return "";
    let item = '{"character":' + JSON.stringify(this.name);
    if (beliefs !== "") item += ',"beliefs":{' + beliefs + "}";
    if (hasEnded) item += ',"ended":' + JSON.stringify(this.ended);
    if (hasProgress) item += ',"progress":' + JSON.stringify(this.progress);
    // The effects of a step that ends may change what was told.
    if (hasEnded) this.retell();
    this.ended = {};
    this.progress = {};
    return item + "}";
  }

  retell(): void {
    for (const agent of this.agents) agent.retell();
  }

  /** Take over what a frame has answered, and call the agents. */
  hear(item: any, stays: (task: string) => boolean): void {
    this.tick = item.tick;
    this.status = item.status;
    this.finished = item.finished;
    this.due = item.due === undefined ? 0 : item.due; // only frame asks
    this.giveUp(item.aborts, stays);
    const steps = item.starts.map(
      (told: any) =>
        new Step(
          this, told.step, told.agent, told.task, told.template, told.args, told.seconds, told.ticks,
        ),
    );
    for (const step of steps) this.open.set(step.number, step);
    for (const step of steps) this.agentOf(step).start(step);
  }

  /** Let the agents stop steps; those of some tasks stay open until you say that they have ended. */
  giveUp(numbers: number[], stays: (task: string) => boolean): void {
    for (const number of numbers) {
      const step = this.open.get(number);
      if (step === undefined) continue; // it ended while bthtn was giving it up
      step.isAborted = true;
      if (!stays(step.task)) this.open.delete(number);
      this.agentOf(step).onAbort(step);
    }
  }

  private agentOf(step: Step): Agent {
    return this.agents.find((agent) => agent.agentName === step.agent) as Agent;
  }
}

/** An error that bthtn has answered. */
export class BthtnError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

function asText(error: any): string {
  const lines = ["[" + error.code + "] " + error.message];
  if (error.where) lines.push("  where: " + error.where);
  if (error.hint) lines.push("  hint: " + error.hint);
  return lines.join("\n");
}

interface Waiting {
  resolve: (answer: any) => void;
  reject: (error: Error) => void;
}

/** What a child process of Node looks like. */
export interface Child {
  stdin: { write(text: string): unknown; end(): unknown } | null;
  stdout: { setEncoding(encoding: "utf8"): unknown; on(event: string, hear: (text: string) => void): unknown } | null;
  on(event: string, hear: (error: Error) => void): unknown;
}

/** A connection to bthtn serve. */
export class Client {
  static readonly tree = $tree;
  static readonly hash = $hash;
  /** Hears of what is wrong and does not stop the game. */
  warn: (text: string) => void = console.warn;
  readonly characters = new Map<string, Character>();
  private readonly waiting: Waiting[] = [];
  private gone: Error | undefined;

  private constructor(
    private readonly send: (line: string) => void,
    private readonly end: () => void,
    private readonly aborts: readonly string[],
  ) {}

  /**
   * Over the pipes of a child process: Client.overChild(spawn("bthtn", ["serve", Client.tree])).
   * The aborts of the tasks that aborts names take time: say when such a step has ended.
   */
  static async overChild(child: Child, aborts: readonly string[] = []): Promise<Client> {
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) throw new Error("the child needs pipes");
    const client = new Client((line) => stdin.write(line + "\n"), () => stdin.end(), aborts);
    let rest = "";
    stdout.setEncoding("utf8");
    stdout.on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() as string;
      lines.forEach((line) => client.hear(line));
    });
    stdout.on("close", () => client.lose(new Error("bthtn serve has ended")));
    child.on("error", (error) => client.lose(error));
    await client.greet();
    return client;
  }

  /** Over a WebSocket, with the token that bthtn serve --websocket has printed. */
  static async overWebSocket(url: string, token: string, aborts: readonly string[] = []): Promise<Client> {
    const socket = new WebSocket(url);
    const client = new Client((line) => socket.send(line), () => socket.close(), aborts);
    socket.onmessage = (event) => client.hear(String(event.data));
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = () => reject(new Error("there is no bthtn serve at " + url));
    });
    socket.onclose = () => client.lose(new Error("bthtn serve has closed the connection"));
    await client.greet(token);
    return client;
  }

  /** Let a character live, whose agents are these. */
  async spawn(name: string, agents: readonly Agent[], seed?: number): Promise<Character> {
    const asked = seed === undefined ? { character: name } : { character: name, seed };
    const [item] = await this.ask("spawn", [asked]);
    if (item.error !== undefined) throw new BthtnError(item.error.code, asText(item.error));
    const given = agents.map((agent) => agent.agentName);
    if ([...given].sort().join("\n") !== [...item.agents].sort().join("\n")) {
      await this.ask("dismiss", [name]);
      throw new Error(name + " has the agents " + item.agents.join(", ") + "; these were given: " + given.join(", "));
    }
    const character = new Character(name, agents);
    this.characters.set(name, character);
    return character;
  }

  /** Let a character live no more. */
  async dismiss(character: Character): Promise<void> {
    this.characters.delete(character.name);
    const [item] = await this.ask("dismiss", [character.name]);
    if (item.error !== undefined) throw new BthtnError(item.error.code, asText(item.error));
    character.giveUp(item.aborts, () => false);
  }

  /** Tick the characters that have something to tell, and those that are due. */
  async frame(seconds = 0): Promise<void> {
    await this.pass(seconds, false);
  }

  /** Tick all characters. */
  async tickAll(seconds = 0): Promise<void> {
    await this.pass(seconds, true);
  }

  /** Ask anything of the protocol, such as ask("save", ["Bob"]); what is answered. */
  async ask(verb: string, value: unknown): Promise<any> {
    return this.request(verb, "{" + JSON.stringify(verb) + ":" + JSON.stringify(value) + "}");
  }

  close(): void {
    this.end();
  }

  private async pass(seconds: number, all: boolean): Promise<void> {
    const items = [...this.characters.values()].map((character) => character.takeItem(all));
    let line = '{"frame":[' + items.filter((item) => item !== "").join(",") + "]";
    if (seconds > 0) line += ',"seconds":' + seconds;
    if (!all) line += ',"due":true';
    for (const item of await this.request("frame", line + "}")) {
      const character = this.characters.get(item.character);
      if (character === undefined) continue; // it was dismissed in the meantime
      const faults = item.error === undefined ? (item.refused ?? []) : [item.error];
      for (const fault of faults) this.warn(asText(fault));
      if (faults.length > 0) character.retell();
      if (item.error === undefined) character.hear(item, (task) => this.aborts.includes(task));
    }
  }

  private async greet(token?: string): Promise<void> {
    const hello = await this.ask("hello", { protocol: "bthtn-engine/1", aborts: this.aborts, token });
    if (hello.hash !== Client.hash) {
      this.warn(hello.tree + " has changed since its bindings were written: write them again");
    }
  }

  private async request(verb: string, line: string): Promise<any> {
    if (this.gone !== undefined) throw this.gone;
    const answer = await new Promise<any>((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.send(line);
    });
    if (answer.error !== undefined) throw new BthtnError(answer.error.code, asText(answer.error));
    return answer[verb];
  }

  private hear(line: string): void {
    this.waiting.shift()?.resolve(JSON.parse(line));
  }

  private lose(error: Error): void {
    this.gone ??= error;
    for (const one of this.waiting.splice(0)) one.reject(error);
  }
}
