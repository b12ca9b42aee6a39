// Game: everybody and everything in the arena, and the rules; no pictures, no pages.

import { Guard } from "./guard.js";
import { Intruder } from "./intruder.js";
import { BODY, SIZE, World, along, angleTo, distance } from "./world.js";

const WALLS = [
  [4.2, 3.2, 4.6, 0.9], [11.2, 2.2, 0.9, 4.2], [16.2, 4.1, 4.4, 0.9], [23.6, 2.6, 0.9, 4.4],
  [3.4, 8.4, 0.9, 4.6], [8.0, 10.6, 4.2, 0.9], [15.4, 9.0, 0.9, 4.2], [19.4, 11.4, 4.6, 0.9],
];
const ROUNDS = {
  Ada: [[2.2, 1.8], [9.8, 1.6], [9.6, 6.8], [2.2, 6.6]],
  Bo: [[26.2, 1.8], [26.0, 8.6], [21.6, 8.4], [21.8, 1.6]],
  Cleo: [[6.2, 9.2], [13.6, 8.8], [13.4, 13.8], [5.8, 13.6]],
  Dan: [[25.8, 15.2], [17.4, 15.0], [17.8, 10.2], [25.6, 10.0]],
};
const APART = 4; // metres between the places that two guards search
const SPACE = 2; // metres that guards leave between them if they can
const STEP_ASIDE = 2; // metres in a second
const ENTRANCE = { x: 1.6, y: 15.4 };

const point = ([x, y]) => ({ x, y });

export class Game {
  constructor(seed = 1) {
    this.time = 0;
    this.random = randomFrom(seed);
    this.world = new World(WALLS.map(([x, y, width, height]) => ({ x, y, width, height })));
    this.intruder = new Intruder(ENTRANCE, this);
    this.guards = Object.entries(ROUNDS).map(([name, posts]) => new Guard(name, posts.map(point), this));
    this.holder = null; // the guard who has the intruder's attention
    this.sights = []; // what is to be seen for a moment: {kind, from, …, at}
  }

  move(seconds) {
    this.time += seconds;
    this.intruder.move(seconds);
    this.holder = this.chooseHolder();
    for (const guard of this.guards) guard.move(seconds);
    this.spread(seconds);
    this.makeRoom();
    this.sights = this.sights.filter((sight) => this.time - sight.at < sight.lasts);
  }

  // The one who fights from the front stays it for as long as he knows where the intruder is.
  chooseHolder() {
    if (this.holder?.knowsWhere) return this.holder;
    const able = this.guards.filter((guard) => guard.knowsWhere);
    return able.sort((a, b) => distance(a, this.intruder) - distance(b, this.intruder))[0] ?? null;
  }

  // Guards who are close to each other step aside, but not out of cover, and not out of sight of the intruder.
  spread(seconds) {
    for (const one of this.guards) {
      if (one.isDown) continue;
      for (const other of this.guards) {
        const far = distance(one, other);
        if (one === other || far >= SPACE || far === 0) continue;
        const next = along(one, angleTo(other, one), STEP_ASIDE * seconds * (1 - far / SPACE));
        const isWorse = (one.sees && !this.world.isClear(next, this.intruder)) || (one.at === "cover" && !one.isHidden(next));
        if (isWorse || !this.world.isFree(next)) continue;
        [one.x, one.y] = [next.x, next.y];
      }
    }
  }

  // Nobody stands in a wall, or in another one.
  makeRoom() {
    for (const one of this.intruder.isThere ? [this.intruder, ...this.guards] : this.guards) {
      for (const other of this.guards) {
        const far = distance(one, other);
        if (one === other || far >= 2 * BODY || far === 0) continue;
        const next = along(other, angleTo(one, other) + 0.6, (2 * BODY - far) / 2); // to the right, so that they pass
        if (this.world.isFree(next)) [other.x, other.y] = [next.x, next.y];
      }
      if (!this.world.isFree(one, BODY - 0.12)) Object.assign(one, pick(this.world.free(one)));
    }
  }

  moveWall(wall, { x, y }) {
    wall.x = Math.min(SIZE.width - wall.width, Math.max(0, x));
    wall.y = Math.min(SIZE.height - wall.height, Math.max(0, y));
    this.world.moved();
  }

  shoot(from, target) {
    const isHit = this.random() < (target === this.intruder ? 0.6 : target.speed > 2 ? 0.4 : 0.6);
    const off = isHit ? 0 : (this.random() < 0.5 ? -1 : 1) * (0.12 + 0.1 * this.random());
    const angle = angleTo(from, target) + off;
    const far = isHit ? distance(from, target) : this.world.reach(from, angle, 14);
    this.sights.push({ kind: "shot", from: pick(from), to: along(from, angle, far), isHit, isGuard: from !== this.intruder, at: this.time, lasts: 0.22 });
    target.isShotAt(pick(from), isHit ? (target === this.intruder ? 7 : 13) : 0);
    for (const guard of this.guards) if (guard !== from && from === this.intruder) guard.hears(pick(from));
  }

  say(guard, text, mood) {
    this.sights = this.sights.filter((sight) => sight.kind !== "word" || sight.guard !== guard);
    this.sights.push({ kind: "word", guard, text, mood, at: this.time, lasts: 1.3 });
  }

  ring(from, far) {
    this.sights.push({ kind: "ring", from: pick(from), far, at: this.time, lasts: 0.9 });
  }

  // places

  // From the side of the guard who fights, with the intruder in sight.
  sidePlaces(target) {
    if (this.holder === null) return [];
    const front = angleTo(target, this.holder);
    const angles = [1.1, 1.5, 1.9, -1.1, -1.5, -1.9].map((off) => front + off);
    return angles.flatMap((angle) => [4, 5.5].map((far) => along(target, angle, far)))
      .filter((place) => this.world.isFree(place) && this.world.isClear(place, target));
  }

  // Where the intruder was last, and then somewhere near; each searches where no other guard is or goes to.
  trailPoint(guard) {
    const last = guard.lastSeen ?? guard;
    const others = this.guards.filter((other) => other !== guard).map((other) => other.path.at(-1) ?? other);
    const room = (place) => Math.min(APART, ...others.map((other) => distance(other, place)));
    const isFirst = guard.isTrailNew;
    guard.isTrailNew = false;
    if (isFirst && room(last) === APART) return last;
    const begin = this.random() * 2 * Math.PI;
    const near = [3, 5, 7].flatMap((far) => [...Array(8).keys()].map((step) => this.world.free(along(last, begin + (step * Math.PI) / 4, far))));
    return near.sort((a, b) => room(b) - room(a))[0]; // the nearest of those with room
  }

  awayFrom(guard, threat) {
    const places = [...Array(16).keys()].map((step) => this.world.free(along(guard, (step * Math.PI) / 8, 6)));
    const worth = (place) => distance(place, threat) + (this.world.isClear(place, threat) ? 0 : 6);
    return places.sort((a, b) => worth(b) - worth(a))[0];
  }

  unseenPlace() {
    const corners = [ENTRANCE, { x: 26.4, y: 15.4 }, { x: 1.6, y: 1.6 }, { x: 26.4, y: 1.6 }].map((place) => this.world.free(place));
    const nearest = (place) => Math.min(...this.guards.map((guard) => distance(guard, place)));
    return corners.sort((a, b) => nearest(b) - nearest(a))[0];
  }
}

const pick = ({ x, y }) => ({ x, y });

// The same numbers for the same seed, between 0 and 1 (mulberry32).
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
