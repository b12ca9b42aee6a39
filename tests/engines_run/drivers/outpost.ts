// The game of two outposts, as game.py has it.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { Ann, Character, Client, Drone, Sector, Stance, Step } from "./outpost_bindings.js";

const lines: string[] = [];
const hundredths = (value: number): string => String(Math.trunc(value * 100));
const say = (step: Step, ...args: (string | number | null)[]): void => {
  const shown = [step.number, step.agent, step.task, ...args.map((arg) => arg ?? "none")];
  lines.push("start " + shown.join(" "));
};
const sayAbort = (step: Step): void => {
  lines.push("abort " + [step.number, step.agent, step.task].join(" "));
};

class Guard extends Ann {
  onWalk(step: Step, to: [number, number], pace: number): void {
    say(step, to[0], to[1], hundredths(pace));
  }
  onShoot(step: Step, at: Sector, how: Stance): void {
    say(step, at, how);
  }
  onCall(step: Step, whom: string, about: Sector | null): void {
    say(step, whom, about);
  }
  onReload(step: Step): void {
    say(step);
  }
  onLook(step: Step): void {
    say(step);
  }
  onAbort(step: Step): void {
    sayAbort(step);
  }
}

class Flyer extends Drone {
  onFly(step: Step): void {
    say(step);
  }
  onCharge(step: Step): void {
    say(step);
  }
  onAbort(step: Step): void {
    sayAbort(step);
  }
}

let last = 1;
function draw(below: number): number {
  last = (last * 75 + 74) % 65537;
  return last % below;
}

function endSteps(character: Character): void {
  for (const step of [...character.open.values()]) {
    const luck = draw(6);
    if (luck === 0) step.progress(0.5);
    if (luck === 1) step.progress("so, so");
    if (luck === 2 || luck === 3) step.succeed();
    if (luck === 4) step.fail('no "luck" ✓');
  }
}

function play(guard: Guard): void {
  const sectors = [Sector.North, Sector.East, Sector.SouthEast];
  if (draw(6) === 0) guard.alarm = draw(2) === 0;
  if (draw(6) === 0) guard.enemy = [null, ...sectors][draw(4)];
  if (draw(6) === 0) guard.watching = sectors[draw(3)];
  if (draw(3) === 0) guard.distance = draw(20) / 2;
  if (draw(8) === 0) guard.rounds = draw(3);
  if (draw(20) === 0) guard.forget("rounds");
  if (draw(8) === 0) guard.stance = [Stance.Standing, Stance.LyingDown][draw(2)];
  if (draw(8) === 0) guard.post = [draw(3), 1];
  if (draw(8) === 0) guard.trust.set("Zoë, 2nd", draw(10) / 10);
  if (draw(8) === 0) guard.seen.set(["B", Sector.East], draw(2) === 0);
}

function line(tick: number, character: Character): string {
  const due = character.due === null ? "never" : Math.trunc(character.due * 1000 + 0.5);
  const finished = character.finished ? "True" : "False";
  return [tick, character.name, character.tick, character.status, finished, due].join(" ");
}

async function main(): Promise<void> {
  const child = spawn(process.env.BTHTN as string, ["serve", process.env.TREE as string], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const client = await Client.overChild(child, ["walk"]);
  client.warn = (text) => lines.push(text);
  const settle = (name: string): Promise<Character> =>
    client.spawn(name, [new Guard(), new Guard("Bob"), new Flyer()], 7);
  await settle("post 1");
  await settle("post 2");
  for (let tick = 0; tick < Number(process.env.TICKS); tick++) {
    for (const character of client.characters.values()) {
      play(character.agents[0] as Guard);
      play(character.agents[1] as Guard);
      const drone = character.agents[2] as Flyer;
      if (draw(6) === 0) drone.charge = draw(5) / 4;
      if (draw(6) === 0) drone.alarm = draw(2) === 0;
      endSteps(character);
    }
    if (tick % 3 === 2) await client.frame(0.25);
    else await client.tickAll(0.25);
    for (const character of client.characters.values()) lines.push(line(tick, character));
    if (tick % 100 === 99) {
      await client.dismiss(client.characters.get("post 2") as Character);
      await settle("post 2");
    }
  }
  client.close();
  writeFileSync(process.env.LOG as string, lines.join("\n") + "\n");
}

main();
