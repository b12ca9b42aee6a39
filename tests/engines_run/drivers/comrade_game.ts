// The game of three comrades, as game.py has it; over a WebSocket, in a browser or in Node.
import { Character, Client, Comrade, Step } from "./comrade_bindings.js";

const lines: string[] = [];
const say = (...words: (string | number)[]): void => {
  lines.push(words.join(" "));
};

class Friend extends Comrade {
  onRunTo(step: Step, whom: string): void {
    say("start", step.number, step.agent, step.task, whom);
  }
  onHelpUp(step: Step): void {
    say("start", step.number, step.agent, step.task);
  }
  onStrike(step: Step): void {
    say("start", step.number, step.agent, step.task);
  }
  onIdle(step: Step): void {
    say("start", step.number, step.agent, step.task);
  }
  onAbort(step: Step): void {
    say("abort", step.number, step.agent, step.task);
  }
}

let last = 1;
function draw(below: number): number {
  last = (last * 75 + 74) % 65537;
  return last % below;
}

export async function play(websocket: string, token: string, ticks: number): Promise<string> {
  const client = await Client.overWebSocket(websocket, token);
  client.warn = (text) => say(text);
  for (const name of ["Al", "Bo", "Cy"]) await client.spawn(name, [new Friend()], 7);
  for (let tick = 0; tick < ticks; tick++) {
    if (tick % 25 === 0) await client.ask(tick % 50 === 0 ? "pause" : "resume", ["Al"]);
    for (const character of client.characters.values()) {
      const friend = character.agents[0] as Friend;
      if (draw(12) === 0) friend.friendIsDown = draw(2) === 0;
      if (draw(12) === 0) friend.danger = draw(4) * 30;
      if (draw(6) === 0) friend.blows = draw(4);
      if (character.name !== "Al" || tick % 50 >= 25) endSteps(character);
    }
    if (tick % 3 === 2) await client.frame(0.25);
    else await client.tickAll(0.25);
    for (const one of client.characters.values()) {
      const due = one.due === null ? "never" : Math.trunc(one.due * 1000 + 0.5);
      say(tick, one.name, one.tick, one.status, one.finished ? "True" : "False", due);
    }
  }
  client.close();
  return lines.join("\n") + "\n";
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
