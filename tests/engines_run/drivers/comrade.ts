// Plays the game of three comrades in Node.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { play } from "./comrade_game.js";

const command = ["serve", process.env.TREE as string, "--websocket", "0"];
const child = spawn(process.env.BTHTN as string, command, { stdio: ["ignore", "pipe", "inherit"] });
const { websocket, token } = JSON.parse(String(await once(child.stdout, "data")));
const log = await play(websocket, token, Number(process.env.TICKS));
child.kill();
writeFileSync(process.env.LOG as string, log);
