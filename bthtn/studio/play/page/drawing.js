// Drawing: the arena on a canvas, seen from above.
//
//   view = new View(canvas)
//   view.draw(game, {selected, hovered, hinted})     a frame; the wall `hinted` is to be tried
//   view.at(event)     where in the arena a pointer is
//   view.place(point)  and where on the page a point of the arena is
//
// On a narrow page the arena stands upright: x and y are exchanged.

import { BODY, SIZE, along } from "./world.js";
import { SIGHT } from "./guard.js";
import { doing } from "./words.js";

export const MOODS = {
  patrol: "#4fd6c2", search: "#ffb84d", fight: "#ff5a6e", survive: "#b79bff", hide: "#b79bff", "come round": "#8a97a8",
};
const INTRUDER = "#7cc4ff";
const RAYS = 56;
const FONT = 'system-ui, "Segoe UI", Helvetica, Arial, sans-serif';

export const moodOf = (guard) => MOODS[guard.goal] ?? MOODS.patrol;

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.size = "";
  }

  get isUpright() {
    return this.canvas.clientHeight > this.canvas.clientWidth;
  }

  fit() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const size = `${width} ${height} ${ratio}`;
    this.scale = width / (this.isUpright ? SIZE.height : SIZE.width);
    if (size !== this.size) {
      this.size = size;
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.floor = this.paintFloor(width, height, ratio);
    }
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  at({ offsetX, offsetY }) {
    const [x, y] = [offsetX / this.scale, offsetY / this.scale];
    return this.isUpright ? { x: y, y: x } : { x, y };
  }

  place({ x, y }) {
    return this.isUpright ? { x: y * this.scale, y: x * this.scale } : { x: x * this.scale, y: y * this.scale };
  }

  paintFloor(width, height, ratio) {
    const floor = document.createElement("canvas");
    [floor.width, floor.height] = [this.canvas.width, this.canvas.height];
    const pen = floor.getContext("2d");
    pen.scale(ratio, ratio);
    const light = pen.createRadialGradient(width / 2, height * 0.4, 0, width / 2, height / 2, Math.hypot(width, height) / 1.7);
    light.addColorStop(0, "#1d2836");
    light.addColorStop(1, "#0e141d");
    pen.fillStyle = light;
    pen.fillRect(0, 0, width, height);
    pen.strokeStyle = "rgba(160, 190, 225, .05)";
    pen.lineWidth = 1;
    const lines = new Path2D();
    for (let x = this.scale; x < width; x += this.scale) lines.addPath(new Path2D(`M${Math.round(x) + 0.5} 0V${height}`));
    for (let y = this.scale; y < height; y += this.scale) lines.addPath(new Path2D(`M0 ${Math.round(y) + 0.5}H${width}`));
    pen.stroke(lines);
    return floor;
  }

  draw(game, { selected, hovered, hinted }) {
    this.fit();
    const { pen } = this;
    pen.drawImage(this.floor, 0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    for (const guard of game.guards) if (!guard.isDown) this.drawSight(game, guard, guard === selected);
    if (selected) this.drawIntent(game, selected);
    this.drawRings(game);
    for (const wall of game.world.walls) this.drawWall(wall, wall === hovered);
    if (hinted) this.drawHinted(game, hinted);
    for (const guard of game.guards) this.drawGuard(game, guard, guard === selected, guard === hovered);
    if (game.intruder.isThere) this.drawIntruder(game, hovered === game.intruder);
    this.drawShots(game);
    this.drawLabels(game.guards);
    this.drawWords(game);
  }

  // The part of the floor that a guard sees; walls hide the rest.
  drawSight(game, guard, isSelected) {
    const { pen } = this;
    const wide = SIGHT.angle;
    const shape = new Path2D();
    const start = this.place(guard);
    shape.moveTo(start.x, start.y);
    for (let ray = 0; ray <= RAYS; ray += 1) {
      const angle = guard.facing - wide / 2 + (wide * ray) / RAYS;
      const end = this.place(along(guard, angle, game.world.reach(guard, angle, SIGHT.far)));
      shape.lineTo(end.x, end.y);
    }
    shape.closePath();
    const colour = moodOf(guard);
    const light = pen.createRadialGradient(start.x, start.y, 0, start.x, start.y, SIGHT.far * this.scale);
    light.addColorStop(0, `${colour}${isSelected ? "66" : "4a"}`);
    light.addColorStop(0.65, `${colour}1e`);
    light.addColorStop(1, `${colour}04`);
    pen.fillStyle = light;
    pen.fill(shape);
    if (!isSelected) return;
    pen.strokeStyle = `${colour}55`;
    pen.lineWidth = 1;
    pen.stroke(shape);
  }

  // Where the chosen guard goes, and where he believes that the intruder is.
  drawIntent(game, guard) {
    const { pen } = this;
    pen.save();
    pen.strokeStyle = pen.fillStyle = moodOf(guard);
    pen.lineWidth = 2;
    pen.setLineDash([2, 7]);
    pen.lineCap = "round";
    if (guard.path.length) {
      const way = new Path2D();
      for (const [number, point] of [guard, ...guard.path].entries()) {
        const { x, y } = this.place(point);
        if (number) way.lineTo(x, y);
        else way.moveTo(x, y);
      }
      pen.stroke(way);
      this.disc(guard.path.at(-1), 0.16);
    }
    if (guard.lastSeen && !guard.sees) {
      pen.setLineDash([4, 4]);
      pen.lineDashOffset = -game.time * 10;
      this.circle(guard.lastSeen, 0.55);
      this.text("?", guard.lastSeen, 14, "600");
    }
    pen.restore();
  }

  drawRings(game) {
    for (const { from, far, at, lasts } of game.sights.filter((sight) => sight.kind === "ring")) {
      const part = (game.time - at) / lasts;
      this.pen.strokeStyle = `rgba(255, 90, 110, ${0.5 * (1 - part)})`;
      this.pen.lineWidth = 2.5;
      this.circle(from, far * (1 - (1 - part) ** 2));
    }
  }

  drawWall(wall, isHovered) {
    const { pen } = this;
    const [a, b] = [this.place(wall), this.place({ x: wall.x + wall.width, y: wall.y + wall.height })];
    const [width, height] = [b.x - a.x, b.y - a.y];
    const depth = this.scale * 0.26;
    pen.save();
    pen.shadowColor = "rgba(0, 0, 0, .55)";
    pen.shadowBlur = this.scale * 0.7;
    pen.shadowOffsetY = this.scale * 0.25;
    pen.fillStyle = isHovered ? "#3d5069" : "#2c3a4d";
    pen.beginPath();
    pen.roundRect(a.x, a.y, width, height, 5);
    pen.fill();
    pen.restore();
    const top = pen.createLinearGradient(0, a.y - depth, 0, b.y);
    top.addColorStop(0, isHovered ? "#8ba4c2" : "#66788f");
    top.addColorStop(1, isHovered ? "#6f89a8" : "#4d5d72");
    pen.fillStyle = top;
    pen.beginPath();
    pen.roundRect(a.x, a.y - depth * 0.5, width, height - depth * 0.5, 5);
    pen.fill();
    pen.strokeStyle = "rgba(255, 255, 255, .13)";
    pen.lineWidth = 1;
    pen.stroke();
  }

  drawHinted(game, wall) {
    const { pen } = this;
    const [a, b] = [this.place(wall), this.place({ x: wall.x + wall.width, y: wall.y + wall.height })];
    const room = 6 + 2 * Math.sin(game.time * 5);
    pen.strokeStyle = "#ffe08a";
    pen.lineWidth = 2.5;
    pen.beginPath();
    pen.roundRect(a.x - room, a.y - room - 3, b.x - a.x + 2 * room, b.y - a.y + 2 * room, 9);
    pen.stroke();
  }

  drawGuard(game, guard, isSelected, isHovered) {
    const { pen } = this;
    const colour = moodOf(guard);
    if (isSelected || isHovered) {
      pen.strokeStyle = isSelected ? "#ffffff" : "rgba(255, 255, 255, .5)";
      pen.lineWidth = 2;
      this.circle(guard, BODY + 0.42);
    }
    this.drawBody(guard, colour, guard.isDown);
    this.arc(guard, BODY + 0.17, guard.health / 100, guard.health < 45 ? MOODS.fight : "#dfe8f2");
    const timed = [...guard.steps.values()].find((step) => step.progress !== null);
    if (timed) this.arc(guard, BODY + 0.32, timed.progress, colour);
    if (guard.notice > 0 && !guard.sees && !guard.knowsWhere && !guard.isDown) this.arc(guard, BODY + 0.32, guard.notice, MOODS.search);
  }

  drawIntruder(game, isHovered) {
    const { intruder } = game;
    const glow = 0.12 * Math.sin(game.time * 4);
    this.pen.fillStyle = `${INTRUDER}2a`;
    this.disc(intruder, BODY + 0.5 + glow + (isHovered ? 0.2 : 0));
    this.drawBody(intruder, INTRUDER, false);
    this.arc(intruder, BODY + 0.17, intruder.health / 100, "#ffffff");
    this.pen.fillStyle = "#d9ecff";
    this.text("you", { x: intruder.x, y: intruder.y }, 11, "600", this.scale * 1.05 + 6);
  }

  drawBody(one, colour, isDown) {
    const { pen } = this;
    const middle = this.place(one);
    const radius = BODY * this.scale;
    pen.save();
    pen.translate(middle.x, middle.y);
    pen.rotate(this.isUpright ? Math.PI / 2 - one.facing : one.facing);
    pen.shadowColor = "rgba(0, 0, 0, .6)";
    pen.shadowBlur = radius * 0.7;
    pen.shadowOffsetY = radius * 0.25;
    pen.fillStyle = isDown ? "#4a5564" : colour;
    pen.beginPath();
    pen.arc(0, 0, radius, 0, 2 * Math.PI);
    pen.fill();
    pen.shadowColor = "transparent";
    if (!isDown) {
      pen.fillStyle = "#0e141d";
      pen.beginPath();
      pen.roundRect(radius * 0.35, -radius * 0.17, radius * 1.0, radius * 0.34, 2);
      pen.fill();
      pen.beginPath();
      pen.arc(0, 0, radius * 0.5, 0, 2 * Math.PI);
      pen.fillStyle = "rgba(14, 20, 29, .55)";
      pen.fill();
    }
    pen.restore();
    if (isDown) {
      pen.fillStyle = "#c3ccd8";
      this.text("×", one, this.scale * 0.7, "700");
    }
  }

  // The names below; above, what they do, and the rounds in their guns. No caption covers a guard, a name or another caption.
  drawLabels(guards) {
    const room = (BODY + 0.2) * this.scale;
    const taken = guards.flatMap((guard) => {
      this.pen.fillStyle = "rgba(228, 236, 246, .85)";
      this.text(guard.name, guard, 11, "600", this.scale * 1.05 + 6);
      const { x, y } = this.place(guard);
      return [{ left: x - room, top: y - room, width: 2 * room, height: 2 * room },
        { left: x - 16, top: y + this.scale * 1.05 - 1, width: 32, height: 14 }];
    });
    for (const guard of guards) this.drawCaption(guard, taken);
  }

  drawCaption(guard, taken) {
    const { pen } = this;
    const words = doing(guard);
    if (guard.goal === "patrol" || !words) return;
    pen.font = `500 11px ${FONT}`;
    const { x, y } = this.place(guard);
    const width = pen.measureText(words).width + 14;
    const middle = Math.min(this.canvas.clientWidth - width - 3, Math.max(3, x - width / 2));
    const pips = Math.max(23, y - this.scale * 0.95 - 2);
    const places = [[middle, pips - 20], [middle, pips - 40], [x + this.scale * 0.9, y - 9], [x - this.scale * 0.9 - width, y - 9]]
      .map(([left, top]) => ({ left, top, width, height: 18 }));
    const place = places.find((one) => !taken.some((other) => overlap(other, one))) ?? places[0];
    taken.push(place);
    const { left, top } = place;
    pen.fillStyle = "rgba(10, 15, 22, .82)";
    pen.strokeStyle = `${moodOf(guard)}aa`;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.roundRect(left, top, width, 18, 9);
    pen.fill();
    pen.stroke();
    pen.fillStyle = "#f1f5fa";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(words, left + width / 2, top + 9.5);
    for (let round = 0; round < 6; round += 1) {
      pen.fillStyle = round < guard.rounds ? "#ffe08a" : "rgba(255, 255, 255, .18)";
      pen.fillRect(x - 14.5 + round * 5, pips + 0.5, 3.5, 5);
    }
  }

  drawShots(game) {
    const { pen } = this;
    for (const { from, to, isHit, isGuard, at, lasts } of game.sights.filter((sight) => sight.kind === "shot")) {
      const part = (game.time - at) / lasts;
      const [a, b] = [this.place(from), this.place(to)];
      const line = pen.createLinearGradient(a.x, a.y, b.x, b.y);
      const colour = isGuard ? "255, 226, 150" : "150, 210, 255";
      line.addColorStop(Math.min(1, part), `rgba(${colour}, 0)`);
      line.addColorStop(1, `rgba(${colour}, ${1 - part})`);
      pen.strokeStyle = line;
      pen.lineWidth = 2.2;
      pen.beginPath();
      pen.moveTo(a.x, a.y);
      pen.lineTo(b.x, b.y);
      pen.stroke();
      pen.fillStyle = `rgba(${colour}, ${0.8 * (1 - part)})`;
      if (part < 0.4) this.disc(from, 0.42 * (1 - part));
      if (isHit) this.disc(to, 0.25 + 0.5 * part);
      else this.disc(to, 0.12);
    }
  }

  drawWords(game) {
    for (const { guard, text, mood, at, lasts } of game.sights.filter((sight) => sight.kind === "word")) {
      const part = (game.time - at) / lasts;
      this.pen.globalAlpha = 1 - part ** 3;
      this.pen.fillStyle = MOODS[mood];
      this.pen.strokeStyle = "rgba(8, 12, 18, .8)";
      this.pen.lineWidth = 4;
      this.text(text, guard, text.length > 1 ? 14 : 26, "800", -this.scale * 0.95 - 34 - 16 * part, { outlined: true });
      this.pen.globalAlpha = 1;
    }
  }

  disc(point, radius) {
    const { x, y } = this.place(point);
    this.pen.beginPath();
    this.pen.arc(x, y, radius * this.scale, 0, 2 * Math.PI);
    this.pen.fill();
  }

  circle(point, radius) {
    const { x, y } = this.place(point);
    this.pen.beginPath();
    this.pen.arc(x, y, radius * this.scale, 0, 2 * Math.PI);
    this.pen.stroke();
  }

  arc(point, radius, part, colour) {
    const { pen } = this;
    const { x, y } = this.place(point);
    pen.lineWidth = Math.max(2, this.scale * 0.09);
    pen.lineCap = "round";
    pen.strokeStyle = "rgba(255, 255, 255, .12)";
    pen.beginPath();
    pen.arc(x, y, radius * this.scale, 0, 2 * Math.PI);
    pen.stroke();
    if (part <= 0) return;
    pen.strokeStyle = colour;
    pen.beginPath();
    pen.arc(x, y, radius * this.scale, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * part);
    pen.stroke();
  }

  text(text, point, size, weight, down = 0, { outlined = false } = {}) {
    const { pen } = this;
    const { x, y } = this.place(point);
    pen.font = `${weight} ${size}px ${FONT}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    if (outlined) pen.strokeText(text, x, y + down);
    pen.fillText(text, x, y + down);
  }
}

function overlap(a, b) {
  return a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;
}
