// Intruder: whom the player moves, by dragging or with the keys; who walks by himself until then.

import { BODY, SIZE, along, angleTo, distance } from "./world.js";

const SPEED = 3.4;
const STROLL = 2.3;
const KEYS = { arrowleft: [-1, 0], a: [-1, 0], arrowright: [1, 0], d: [1, 0], arrowup: [0, -1], w: [0, -1], arrowdown: [0, 1], s: [0, 1] };
export const MOVES = (key) => key.toLowerCase() in KEYS;

export class Intruder {
  constructor(place, game) {
    this.game = game;
    [this.x, this.y] = [place.x, place.y];
    this.facing = -Math.PI / 2;
    this.health = 100;
    this.walksAlone = true;
    this.shootsBack = true;
    this.keys = new Set();
    this.path = [];
    this.isHeld = false;
    this.restUntil = 1.2;
    this.shotAt = 0;
    this.goneUntil = 0;
    this.caught = 0;
  }

  // Whether he can be seen; he is gone for a moment after he was caught.
  get isThere() {
    return this.game.time >= this.goneUntil;
  }

  move(seconds) {
    if (!this.isThere) return;
    this.health = Math.min(100, this.health + 2.5 * seconds);
    if (this.keys.size) this.steer(seconds);
    else if (this.walksAlone && !this.isHeld) this.stroll(seconds);
    if (this.shootsBack) this.shoot();
  }

  steer(seconds) {
    const way = [...this.keys].map((key) => KEYS[key]).reduce(([x, y], [dx, dy]) => [x + dx, y + dy], [0, 0]);
    const length = Math.hypot(...way) || 1;
    const step = (SPEED * seconds) / length;
    for (const [dx, dy] of [[way[0], 0], [0, way[1]]]) { // one after the other, so that he slides along walls
      const next = { x: this.x + dx * step, y: this.y + dy * step };
      if (this.game.world.isFree(next, BODY)) [this.x, this.y] = [next.x, next.y];
    }
    if (way[0] || way[1]) this.facing = Math.atan2(way[1], way[0]);
  }

  stroll(seconds) {
    const { game } = this;
    const hunters = game.guards.filter((guard) => guard.sees);
    if (game.time < this.restUntil && !hunters.length) return;
    if (!this.path.length || this.version !== game.world.version) {
      this.version = game.world.version;
      this.path = game.world.path(this, this.whereTo(hunters));
      this.restUntil = game.time + (hunters.length ? 0 : game.random());
    }
    let left = (hunters.length ? SPEED : STROLL) * seconds;
    while (left > 0 && this.path.length) {
      const far = distance(this, this.path[0]);
      if (far > 0.05) this.facing = angleTo(this, this.path[0]);
      const next = far <= left ? this.path.shift() : along(this, this.facing, left);
      [this.x, this.y] = [next.x, next.y];
      left -= Math.max(far, 1e-6);
    }
  }

  whereTo(hunters) {
    const { world, random } = this.game;
    if (hunters.length && random() < 0.7) {
      const places = world.hidingPlaces(hunters[0]).filter((place) => distance(this, place) > 1);
      if (places.length) return places[Math.floor(random() * places.length)];
    }
    return world.free({ x: 1 + random() * (SIZE.width - 2), y: 1 + random() * (SIZE.height - 2) });
  }

  shoot() {
    const { game } = this;
    if (game.time < this.shotAt) return;
    const inSight = game.guards.filter((guard) => guard.knowsWhere && distance(this, guard) < 8.5 && game.world.isClear(this, guard));
    if (!inSight.length) return;
    inSight.sort((a, b) => distance(this, a) - distance(this, b));
    this.shotAt = game.time + 0.55 + 0.3 * game.random();
    if (!this.path.length) this.facing = angleTo(this, inSight[0]);
    game.shoot(this, inSight[0]);
  }

  isShotAt(_, damage) {
    this.health -= damage;
    if (this.health > 0) return;
    this.caught += 1;
    this.health = 100;
    this.path = [];
    this.isHeld = false;
    this.goneUntil = this.game.time + 2.4;
    const away = this.game.unseenPlace();
    [this.x, this.y] = [away.x, away.y];
  }
}
