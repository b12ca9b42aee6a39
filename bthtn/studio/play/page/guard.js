// Guard: the body of a character that thinks in bthtn. It senses, and does the steps that it is asked to do.
//
//   guard.take(answer)      what bthtn wants: steps to begin and to give up
//   guard.news()            what bthtn has to be told: an item of a frame, or null for nothing new
//   guard.move(seconds)     lets time pass
//
// Each step is a generator, which is resumed in every frame of the screen and returns true, or why it failed.

import { BODY, along, angleTo, distance, turn } from "./world.js";

export const SIGHT = { far: 9.5, angle: 1.75, close: 1.6 }; // how far, how wide, and all around
export const RANGE = 7.5; // of a gun
const MEMORY = 3; // seconds for which one knows where somebody is who was seen there
const WALK = 1.7;
const RUN = 3.7;
const TURN = 6.5; // radians in a second
const LEAST_HEARD = 13; // how far a shot is heard
const CALL_HEARD = 18;

export class Guard {
  constructor(name, posts, game) {
    Object.assign(this, { name, posts, game });
    this.post = 0;
    [this.x, this.y] = [posts[0].x, posts[0].y];
    this.speed = 0;
    this.facing = angleTo(posts[0], posts[1]);
    this.look = this.facing; // where he looks if there is nothing else to look at
    this.health = 100;
    this.rounds = 6;
    this.roundsBefore = 6; // bthtn counts those of a burst itself, and is told a frame later, not to count them twice
    this.at = "post";
    this.called = false;
    this.alerted = false;
    this.notice = 0; // 1 when he has made out the intruder
    this.sees = false;
    this.seenAt = -Infinity;
    this.shotAt = -Infinity;
    this.lastSeen = null;
    this.hidingPlace = null;
    this.sidePlace = null;
    this.shotFrom = null;
    this.isTrailNew = false;
    this.goal = "";
    this.path = [];
    this.steps = new Map(); // number: {task, run, progress}
    this.ended = {};
    this.told = {};
    this.thinkAt = 0;
  }

  get isDown() {
    return this.health === 0;
  }

  get knowsWhere() {
    return !this.isDown && this.game.time - this.seenAt < MEMORY;
  }

  get inRange() {
    return this.sees && distance(this, this.game.intruder) < RANGE;
  }

  does(...tasks) {
    return [...this.steps.values()].some((step) => tasks.includes(step.task));
  }

  // between bthtn and the body

  take({ starts, aborts }) {
    for (const number of aborts) this.steps.delete(number);
    for (const { step, task, args } of starts) {
      const one = { task, args, progress: null };
      one.run = STEPS[task](this, args, one);
      this.steps.set(step, one);
    }
    if (!this.does("walk", "close_in", "flank", "take_cover", "fall_back")) this.path = [];
  }

  news() {
    const believed = {
      knows_where: this.knowsWhere,
      in_range: this.inRange,
      alerted: this.alerted,
      under_fire: this.game.time - this.shotAt < 2,
      wall_near: this.hidingPlace !== null,
      comrade_fights: this.game.holder !== null && this.game.holder !== this,
      way_round: this.sidePlace !== null,
      at: this.at,
      health: this.health,
      rounds: this.roundsBefore,
      called: this.called,
    };
    this.roundsBefore = this.rounds;
    const beliefs = Object.fromEntries(Object.entries(believed).filter(([name, value]) => this.told[name] !== value));
    const { ended } = this;
    if (!Object.keys(beliefs).length && !Object.keys(ended).length) return null;
    this.told = believed;
    this.ended = {};
    return { character: this.name, beliefs, ended };
  }

  // senses

  sense(seconds) {
    const { intruder, world } = this.game;
    const far = distance(this, intruder);
    const off = Math.abs(turn(this.facing, angleTo(this, intruder)));
    const isInSight = far < SIGHT.close || (far < SIGHT.far && off < (this.knowsWhere ? Math.PI / 1.6 : SIGHT.angle / 2));
    const isVisible = !this.isDown && intruder.isThere && isInSight && world.isClear(this, intruder);
    const pace = isVisible ? 2.6 + 4 * (1 - far / SIGHT.far) : -0.9;
    this.notice = Math.min(1, Math.max(0, this.notice + pace * seconds));
    const saw = this.sees;
    this.sees = isVisible && (this.notice === 1 || this.knowsWhere);
    if (!this.sees) return;
    if (!saw && !this.knowsWhere) this.game.say(this, "!", "fight");
    this.seenAt = this.game.time;
    this.alert(intruder, "");
  }

  // Somebody is there, or was.
  alert(point, word = "?") {
    if (this.isDown) return;
    if (!this.alerted && word) this.game.say(this, word, "search");
    this.alerted = true;
    this.lastSeen = { x: point.x, y: point.y };
    this.isTrailNew = true;
  }

  hears(point) {
    if (!this.knowsWhere && distance(this, point) < LEAST_HEARD) this.alert(point);
  }

  isShotAt(point, damage) {
    this.shotAt = this.game.time;
    this.shotFrom = point;
    this.hears(point);
    if (!damage || this.isDown) return;
    this.health = Math.max(0, this.health - damage);
    if (this.isDown) [this.sees, this.notice, this.seenAt, this.at] = [false, 0, -Infinity, "open"];
  }

  // Where one could hide, and from which side one could come; looked for a few times in a second.
  think() {
    if (this.game.time < this.thinkAt) return;
    this.thinkAt = this.game.time + 0.2;
    this.lookForPlaces();
    if (this.at === "cover" && !this.isHidden(this)) this.at = "open";
  }

  lookForPlaces() {
    const { threat } = this;
    this.hidingPlace = threat === null ? null : this.nearest(this.game.world.hidingPlaces(threat), 9);
    this.sidePlace = threat === null ? null : this.nearest(this.game.sidePlaces(threat), 14);
  }

  isHidden(point) {
    return this.threat === null || !this.game.world.isClear(this.threat, point);
  }

  get threat() {
    return this.sees ? this.game.intruder : this.lastSeen;
  }

  nearest(places, far) {
    let [best, least] = [null, far];
    for (const place of places) {
      const isTaken = this.game.guards.some((other) => other !== this && distance(other.path.at(-1) ?? other, place) < 1.6);
      const length = distance(this, place);
      if (length < least && !isTaken) [best, least] = [place, length];
    }
    return best;
  }

  // motion

  move(seconds) {
    this.sense(seconds);
    this.think();
    this.speed = 0;
    for (const [number, step] of this.steps) {
      const { done, value } = step.run.next(seconds);
      if (!done) continue;
      this.steps.delete(number);
      this.ended[number] = value;
    }
    this.turnHead(seconds);
  }

  turnHead(seconds) {
    if (this.isDown) return;
    const isShot = this.game.time - this.shotAt < 1 && this.shotFrom;
    const wanted = this.sees ? angleTo(this, this.game.intruder) : isShot ? angleTo(this, this.shotFrom) : this.look;
    const off = turn(this.facing, wanted);
    this.facing += Math.sign(off) * Math.min(Math.abs(off), TURN * seconds * Math.min(1, 0.25 + Math.abs(off)));
  }

  // Somebody else stands where he wants to go, and he is close enough.
  isCrowded(point) {
    return distance(this, point) < 1.6 && this.game.guards.some((other) => other !== this && distance(other, point) < 1);
  }

  *go(point, speed, isEnough = () => false) {
    const { world } = this.game;
    let version = -1;
    for (;;) {
      if (isEnough() || this.isCrowded(point)) return true;
      const isPushedAside = this.path.length && !world.isClear(this, this.path[0], BODY / 2);
      if (version !== world.version || isPushedAside) {
        version = world.version;
        this.path = world.path(this, point);
        if (!this.path.length) return "there is no way";
      }
      const seconds = yield;
      let left = speed * seconds;
      while (left > 0 && this.path.length) {
        const far = distance(this, this.path[0]);
        this.look = far > 0.05 ? angleTo(this, this.path[0]) : this.look;
        const next = far <= left ? this.path.shift() : along(this, this.look, left);
        [this.x, this.y] = [next.x, next.y];
        left -= Math.max(far, 1e-6);
      }
      this.speed = speed;
      if (!this.path.length) return true;
    }
  }

  // To where the intruder was last; if he is not there any more, nobody knows where he is.
  *comeInRange() {
    const result = yield* this.go(this.lastSeen, RUN, () => this.sees && distance(this, this.game.intruder) < RANGE * 0.85);
    if (result !== true || this.inRange) return result;
    this.seenAt = -Infinity;
    return "he is not there any more";
  }
}

function* wait(seconds, step = null, each = () => {}) {
  for (let past = 0; past < seconds; past += yield) {
    if (step) step.progress = past / seconds;
    each(past);
  }
}

// What bthtn asks for. A step that is given up is not resumed any more.
const STEPS = {
  *walk(guard, { to }) {
    if (to === "post") guard.post = (guard.post + 1) % guard.posts.length;
    const speed = to === "post" ? WALK : guard.isTrailNew ? RUN * 0.8 : WALK * 1.3;
    const result = yield* guard.go(to === "post" ? guard.posts[guard.post] : guard.game.trailPoint(guard), speed);
    if (result === true) guard.at = to;
    return result;
  },

  *close_in(guard) {
    guard.at = "open";
    return yield* guard.comeInRange();
  },

  *flank(guard) {
    const place = guard.sidePlace;
    if (place === null) return "there is no way round";
    const result = yield* guard.go(place, RUN);
    if (result !== true) return result;
    guard.at = "side";
    return yield* guard.comeInRange();
  },

  *take_cover(guard) {
    for (let tries = 0; tries < 5; tries += 1) {
      const place = guard.hidingPlace;
      if (place === null) return "there is no wall to hide behind";
      const result = yield* guard.go(place, RUN, () => !guard.isHidden(place));
      if (result !== true) return result;
      if (guard.isHidden(guard)) {
        guard.at = "cover";
        return true;
      }
      guard.lookForPlaces(); // the intruder has moved
    }
    return "nothing hides him";
  },

  *fall_back(guard) {
    guard.at = "open";
    return yield* guard.go(guard.game.awayFrom(guard, guard.threat ?? guard), RUN);
  },

  *call_others(guard, _, step) {
    guard.game.say(guard, "Over here!", "fight");
    guard.game.ring(guard, CALL_HEARD);
    yield* wait(0.6, step);
    for (const other of guard.game.guards) {
      if (other !== guard && !other.knowsWhere && distance(guard, other) < CALL_HEARD) other.alert(guard.lastSeen ?? guard);
    }
    guard.called = true;
    return true;
  },

  *fire(guard) {
    for (let shot = 0; shot < 2; shot += 1) {
      yield* wait(0.34);
      if (!guard.inRange) return "he is out of sight";
      guard.game.shoot(guard, guard.game.intruder);
    }
    yield* wait(0.2);
    guard.rounds -= 2;
    return true;
  },

  *reload(guard, _, step) {
    yield* wait(1.6, step);
    guard.rounds = 6;
    return true;
  },

  *bandage(guard, _, step) {
    yield* wait(2.6, step);
    guard.health = 100;
    return true;
  },

  *keep_watch(guard) {
    const ahead = guard.look;
    yield* wait(2.4, null, (past) => {
      guard.look = ahead + Math.sin(past * 2.6) * 0.7;
    });
    return true;
  },

  *look_around(guard) {
    const ahead = guard.look;
    yield* wait(2.6, null, (past) => {
      guard.look = ahead + past * 2.4;
    });
    return true;
  },

  *stand_down(guard) {
    guard.game.say(guard, "Nobody here", "patrol");
    yield* wait(0.5);
    [guard.alerted, guard.called, guard.lastSeen] = [false, false, null];
    return true;
  },

  *come_to(guard, _, step) {
    yield* wait(5, step);
    guard.health = 60;
    return true;
  },
};
