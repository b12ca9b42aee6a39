// World: a room with walls, in metres. Who sees whom, which way leads where, and what hides.
//
//   world = new World(walls)          walls: [{x, y, width, height}, …], which may be moved
//   world.moved()                     to be called after a wall was moved
//   world.isClear(a, b, room = 0)     whether nothing lies between, with so much room on each side
//   world.isFree(point, room)         whether somebody has room there
//   world.free(point)                 the nearest point where somebody has room
//   world.path(a, b)                  points to go by, the last of them near b; empty if there is no way
//   world.reach(point, angle, far)    how far one sees in a direction
//   world.hidingPlaces(threat)        points close to walls that are not seen from there

export const SIZE = { width: 28, height: 17 };
export const BODY = 0.42; // radius of whoever walks here
const CELL = 0.5;
const COLUMNS = SIZE.width / CELL;
const ROWS = SIZE.height / CELL;
const NEIGHBOURS = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [1, -1], [-1, 1], [-1, -1]];

export const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
export const angleTo = (a, b) => Math.atan2(b.y - a.y, b.x - a.x);
export const along = (from, angle, far) => ({ x: from.x + Math.cos(angle) * far, y: from.y + Math.sin(angle) * far });

// The turn from one angle to another, between -π and π.
export function turn(from, to) {
  const raw = (to - from) % (2 * Math.PI);
  if (raw > Math.PI) return raw - 2 * Math.PI;
  return raw < -Math.PI ? raw + 2 * Math.PI : raw;
}

export class World {
  constructor(walls) {
    this.walls = walls;
    this.version = 0; // counts the moves of walls
    this.blocked = new Uint8Array(COLUMNS * ROWS);
    this.moved();
  }

  moved() {
    this.version += 1;
    for (let row = 0; row < ROWS; row += 1) {
      for (let column = 0; column < COLUMNS; column += 1) {
        this.blocked[row * COLUMNS + column] = this.isFree(middle(column, row), BODY) ? 0 : 1;
      }
    }
  }

  isFree({ x, y }, room = BODY) {
    if (x < room || y < room || x > SIZE.width - room || y > SIZE.height - room) return false;
    return !this.walls.some((wall) => distance({ x, y }, nearestIn(wall, { x, y })) < room);
  }

  free(point) {
    if (this.isFree(point)) return point;
    for (let far = 0.25; far < SIZE.width; far += 0.25) {
      for (let step = 0; step < 24; step += 1) {
        const found = along(point, (step * Math.PI) / 12, far);
        if (this.isFree(found)) return found;
      }
    }
    return point;
  }

  isClear(a, b, room = 0) {
    return this.walls.every((wall) => entry(a, b, wall, room) === null);
  }

  reach(point, angle, far) {
    const end = along(point, angle, far);
    let nearest = 1;
    for (const wall of this.walls) nearest = Math.min(nearest, entry(point, end, wall, 0) ?? 1);
    return nearest * far;
  }

  path(a, b) {
    const goal = this.free(b);
    if (this.isClear(a, goal, BODY - 0.04)) return [goal];
    const cells = this.cells(this.cellOf(a), this.cellOf(goal));
    if (!cells) return [];
    const points = [...cells.slice(1, -1).map((cell) => middle(cell % COLUMNS, Math.floor(cell / COLUMNS))), goal];
    return this.straightened(a, points);
  }

  // Leave out the points that one need not go by.
  straightened(from, points) {
    const kept = [];
    let here = from;
    for (let at = 0; at < points.length; ) {
      let next = at;
      while (next + 1 < points.length && this.isClear(here, points[next + 1], BODY - 0.04)) next += 1;
      here = points[next];
      kept.push(here);
      at = next + 1;
    }
    return kept;
  }

  // The free cell in which a point lies, or the nearest one.
  cellOf(point) {
    const column = Math.min(COLUMNS - 1, Math.max(0, Math.floor(point.x / CELL)));
    const row = Math.min(ROWS - 1, Math.max(0, Math.floor(point.y / CELL)));
    let best = null;
    let least = Infinity;
    for (let y = Math.max(0, row - 2); y <= Math.min(ROWS - 1, row + 2); y += 1) {
      for (let x = Math.max(0, column - 2); x <= Math.min(COLUMNS - 1, column + 2); x += 1) {
        const far = distance(point, middle(x, y));
        if (this.blocked[y * COLUMNS + x] || far >= least) continue;
        [best, least] = [y * COLUMNS + x, far];
      }
    }
    return best;
  }

  // A*: the cells of the shortest way, or null.
  cells(start, goal) {
    if (start === null || goal === null) return null;
    const cost = new Float32Array(COLUMNS * ROWS).fill(Infinity);
    const before = new Int32Array(COLUMNS * ROWS).fill(-1);
    const far = (cell) => Math.hypot((cell % COLUMNS) - (goal % COLUMNS), Math.floor(cell / COLUMNS) - Math.floor(goal / COLUMNS));
    const open = new Heap();
    cost[start] = 0;
    open.push(far(start), start);
    while (open.size) {
      const cell = open.pop();
      if (cell === goal) return chain(before, goal);
      const column = cell % COLUMNS;
      const row = Math.floor(cell / COLUMNS);
      for (const [dx, dy] of NEIGHBOURS) {
        const [x, y] = [column + dx, row + dy];
        if (x < 0 || y < 0 || x >= COLUMNS || y >= ROWS) continue;
        const next = y * COLUMNS + x;
        if (this.blocked[next] || this.blocked[row * COLUMNS + x] || this.blocked[y * COLUMNS + column]) continue;
        const whole = cost[cell] + Math.hypot(dx, dy);
        if (whole >= cost[next]) continue;
        cost[next] = whole;
        before[next] = cell;
        open.push(whole + far(next), next);
      }
    }
    return null;
  }

  hidingPlaces(threat) {
    const found = [];
    for (const wall of this.walls) {
      for (const point of around(wall, BODY + 0.22)) {
        if (this.isFree(point) && !this.isClear(threat, point) && distance(threat, point) > 2.5) found.push(point);
      }
    }
    return found;
  }
}

const middle = (column, row) => ({ x: (column + 0.5) * CELL, y: (row + 0.5) * CELL });

function chain(before, goal) {
  const cells = [];
  for (let cell = goal; cell !== -1; cell = before[cell]) cells.push(cell);
  return cells.reverse();
}

function nearestIn(wall, { x, y }) {
  return { x: Math.min(wall.x + wall.width, Math.max(wall.x, x)), y: Math.min(wall.y + wall.height, Math.max(wall.y, y)) };
}

// At which part of the way from a to b a wall with so much room around it begins; null if it is not hit.
function entry(a, b, wall, room) {
  let [from, to] = [0, 1];
  const sides = [
    [a.x, b.x - a.x, wall.x - room, wall.x + wall.width + room],
    [a.y, b.y - a.y, wall.y - room, wall.y + wall.height + room],
  ];
  for (const [start, way, low, high] of sides) {
    if (Math.abs(way) < 1e-9) {
      if (start < low || start > high) return null;
      continue;
    }
    const [one, two] = [(low - start) / way, (high - start) / way];
    from = Math.max(from, Math.min(one, two));
    to = Math.min(to, Math.max(one, two));
    if (from > to) return null;
  }
  return from;
}

// Points around a wall, so far from it and less than a metre from each other.
function around({ x, y, width, height }, room) {
  const [left, top, right, bottom] = [x - room, y - room, x + width + room, y + height + room];
  const found = [];
  const columns = Math.ceil((right - left) / 0.9);
  const rows = Math.ceil((bottom - top) / 0.9);
  for (let at = 0; at <= columns; at += 1) {
    const across = left + ((right - left) * at) / columns;
    found.push({ x: across, y: top }, { x: across, y: bottom });
  }
  for (let at = 1; at < rows; at += 1) {
    const down = top + ((bottom - top) * at) / rows;
    found.push({ x: left, y: down }, { x: right, y: down });
  }
  return found;
}

// The least first.
class Heap {
  constructor() {
    this.items = [];
  }

  get size() {
    return this.items.length;
  }

  push(key, value) {
    const { items } = this;
    let at = items.length;
    items.push([key, value]);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (items[above][0] <= items[at][0]) return;
      [items[above], items[at]] = [items[at], items[above]];
      at = above;
    }
  }

  pop() {
    const { items } = this;
    const [, value] = items[0];
    const last = items.pop();
    if (!items.length) return value;
    items[0] = last;
    for (let at = 0; ; ) {
      const below = [2 * at + 1, 2 * at + 2].filter((child) => child < items.length);
      const least = below.sort((a, b) => items[a][0] - items[b][0])[0];
      if (least === undefined || items[least][0] >= items[at][0]) return value;
      [items[least], items[at]] = [items[at], items[least]];
      at = least;
    }
  }
}
