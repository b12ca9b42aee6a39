// Recorded: the lines of a run, from which the moment of any tick is made. Its length is bounded.
//
//   recorded.add(line)            applies it to recorded.now, the latest moment
//   recorded.at(tick)             the moment of a tick; recorded.now for the latest
//   recorded.events(name)         all events of an agent that are kept
//   recorded.first, recorded.last ticks

import { Moment } from "./moment.js";

const KEY_EVERY = 250; // ticks from one kept moment to the next
const MOST_LINES = 600000;

export class Recorded {
  constructor() {
    this.now = new Moment();
    this.ticks = []; // {tick, lines}
    this.keys = []; // {place in ticks, moment before it}
    this.size = 0;
    this.first = 0;
    this.last = 0;
  }

  add(line) {
    if (line.recording !== undefined && this.ticks.length) {
      // The reader was behind, and the lines in between are missing: what was kept stays.
      this.open(this.now.tick);
    }
    if (line.tick !== undefined && line.event === undefined) {
      if (!this.ticks.length || line.tick > this.last) this.open(line.tick);
    } else if (!this.ticks.length) this.open(0);
    this.ticks[this.ticks.length - 1].lines.push(line);
    this.size += sizeOf(line);
    this.now.apply(line);
  }

  open(tick) {
    const place = this.ticks.length;
    if (!this.keys.length || place - this.keys[this.keys.length - 1].place >= KEY_EVERY) {
      this.keys.push({ place, moment: this.now.copy() });
      this.shorten();
    }
    if (!this.ticks.length) this.first = tick;
    this.ticks.push({ tick, lines: [] });
    this.last = tick;
  }

  shorten() {
    while (this.size > MOST_LINES && this.keys.length > 2) {
      this.keys.shift();
      const gone = this.ticks.splice(0, this.keys[0].place);
      for (const key of this.keys) key.place -= gone.length;
      for (const one of gone) for (const line of one.lines) this.size -= sizeOf(line);
      this.first = this.ticks[0].tick;
    }
  }

  at(tick) {
    if (tick >= this.last) return this.now;
    let place = lastAtMost(this.ticks, tick, (one) => one.tick);
    if (place < 0) place = 0;
    const key = this.keys[lastAtMost(this.keys, place, (one) => one.place)];
    const moment = key.moment.copy();
    for (let i = key.place; i <= place; i += 1) {
      for (const line of this.ticks[i].lines) moment.apply(line);
    }
    moment.tick = this.ticks[place].tick;
    return moment;
  }

  events(name) {
    const found = [];
    for (const { lines } of this.ticks) {
      for (const line of lines) {
        if (line.event !== undefined && line.agent === name) found.push(line);
      }
    }
    return found;
  }

  eventsAt(tick, name) {
    const place = lastAtMost(this.ticks, tick, (one) => one.tick);
    if (place < 0 || this.ticks[place].tick !== tick) return [];
    return this.ticks[place].lines.filter((line) => line.event !== undefined && line.agent === name);
  }
}

// A picture takes as much room as many other lines.
function sizeOf(line) {
  return 1 + Math.floor((line.picture?.length ?? 0) / 300);
}

// The place of the last element whose number is at most this one; -1 if there is none.
function lastAtMost(list, number, numberOf) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numberOf(list[middle]) <= number) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
