// Pan and zoom: the wheel and dragging move the picture, Ctrl with the wheel magnifies.
//
// `extent()` gives the sides {left, right, top, bottom} of what there is to see; `smallest` is the least scale for `fit`.

export const SMALLEST_READABLE = 0.92; // then the smallest texts of tree.css have 11 pixels
const MARGIN = 20;
const DRAG_FROM = 5; // pixels; less is a click

export function camera(svg, scene, extent, smallest) {
  let [x, y, scale] = [0, 0, 1];
  let isMoved = false; // whether the user has moved it

  function show() {
    scene.setAttribute("transform", `translate(${x},${y}) scale(${scale})`);
  }

  // Show everything, as long as it can be read; otherwise the left side. False without a size.
  function fit() {
    const { width, height } = svg.getBoundingClientRect();
    if (!width || !height) return false;
    const { left, right, top, bottom } = extent();
    const wanted = Math.min((width - 2 * MARGIN) / (right - left), (height - 2 * MARGIN) / (bottom - top), 1);
    scale = Math.max(wanted, smallest);
    const isWide = (right - left) * scale > width - MARGIN;
    const isHigh = (bottom - top) * scale > height - MARGIN;
    x = isWide ? MARGIN - left * scale : (width - (left + right) * scale) / 2;
    y = isHigh ? height / 2 : (height - (top + bottom) * scale) / 2;
    show();
    return true;
  }

  // Whether everything there is can be seen.
  function holdsAll() {
    const { width, height } = svg.getBoundingClientRect();
    const { left, right, top, bottom } = extent();
    return x + left * scale >= 0 && x + right * scale <= width && y + top * scale >= 0 && y + bottom * scale <= height;
  }

  function zoomAt(factor, atX, atY) {
    isMoved = true;
    const before = scale;
    scale = Math.min(3, Math.max(0.08, scale * factor));
    x = atX - ((atX - x) * scale) / before;
    y = atY - ((atY - y) * scale) / before;
    show();
  }

  function zoom(factor) {
    const { width, height } = svg.getBoundingClientRect();
    zoomAt(factor, width / 2, height / 2);
  }

  // Move as little as is needed to see a box around `to`.
  function reveal({ to, width, height }) {
    const frame = svg.getBoundingClientRect();
    if (!frame.width) return;
    const [half, tall] = [(width / 2) * scale + MARGIN, (height / 2) * scale + MARGIN];
    const [boxX, boxY] = [x + to.x * scale, y + to.y * scale];
    const byX = Math.max(0, half - boxX) || Math.min(0, frame.width - half - boxX);
    const byY = Math.max(0, tall - boxY) || Math.min(0, frame.height - tall - boxY);
    if (!byX && !byY) return;
    isMoved = true;
    [x, y] = [x + byX, y + byY];
    show();
  }

  function onWheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const { left, top } = svg.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) {
      zoomAt(Math.exp(-event.deltaY * unit * 0.004), event.clientX - left, event.clientY - top);
      return;
    }
    isMoved = true;
    x -= event.deltaX * unit;
    y -= event.deltaY * unit;
    show();
  }

  function onDown(down) {
    if (down.button !== 0) return;
    const [startX, startY] = [x, y];
    let isDragging = false;
    const stop = new AbortController();
    const drag = (event) => {
      const [byX, byY] = [event.clientX - down.clientX, event.clientY - down.clientY];
      if (!isDragging && Math.hypot(byX, byY) < DRAG_FROM) return;
      if (!isDragging) svg.setPointerCapture(down.pointerId);
      isDragging = isMoved = true;
      [x, y] = [startX + byX, startY + byY];
      show();
    };
    svg.addEventListener("pointermove", drag, { signal: stop.signal });
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
      svg.addEventListener(name, () => stop.abort(), { signal: stop.signal });
    }
  }

  svg.addEventListener("wheel", onWheel, { passive: false });
  svg.addEventListener("pointerdown", onDown);
  show();
  return { fit, zoom, reveal, holdsAll, isMoved: () => isMoved };
}
