// Drawings as SVG, of each kind of chart.

const byId = (id) => document.getElementById(id);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const own = (of, key) => (Object.hasOwn(of, key) ? of[key] : undefined); // an algorithm may be called constructor
const element = (tag, properties = {}, ...content) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...content);
  return made;
};
const svgOf = (tag, attributes, ...content) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
  made.append(...content);
  return made;
};

// Light and dark

const root = document.documentElement;
const preferred = matchMedia("(prefers-color-scheme: dark)");
const shade = () => { root.dataset.shade = root.dataset.theme ?? (preferred.matches ? "dark" : "light"); };
shade();

// Numbers and names

const STEPS = 1000; // of a unit or decade
const COARSE = 40; // of single trials
const whole = (steps, log, unit = STEPS) => { // each less the last before it that is finite
  let total = 0;
  return steps.map((step) => {
    if (step === null) return null;
    total += step;
    return log ? 10 ** (total / unit) : total / unit;
  });
};
const shown = (value) => {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  return value === 0 || (size >= 0.001 && size < 10000) ? String(Number(value.toPrecision(4))) : value.toExponential(2);
};
const power = (value) => {
  if (value >= 0.009 && value < 20000) return String(Number(value.toPrecision(3)));
  return `1e${Math.round(Math.log10(value))}`;
};
const middle = (name, most) => // a long name is cut in its middle
  (name.length > most ? `${name.slice(0, most - Math.floor(most / 2) - 1)}…${name.slice(-Math.floor(most / 2))}` : name);

const strong = (name) => name === choice.baseline;
const lookOf = (name, position = 0) => own(data.styles, name) ?? data.others[position % data.others.length];
const colourOf = (name, position) => lookOf(name, position)[root.dataset.shade];
const strokeOf = (name, position) => ({
  stroke: colourOf(name, position),
  "stroke-width": strong(name) ? 3.5 : 1.8,
  "stroke-dasharray": strong(name) ? "none" : lookOf(name, position).dash.join(" ") || "none",
});
const swatch = (name, position) => svgOf("svg", { class: "swatch", viewBox: "0 0 30 10", width: 30, height: 10, "aria-hidden": "true" },
  svgOf("line", { x1: 0, x2: 30, y1: 5, y2: 5, ...strokeOf(name, position) }));
const block = (name, position) => svgOf("svg", { class: "swatch", viewBox: "0 0 30 10", width: 30, height: 10, "aria-hidden": "true" },
  svgOf("rect", { x: 8, y: 0, width: 14, height: 10, fill: colourOf(name, position) }));
const keyOf = (names, sign = swatch) => element("div", { className: "controls key" },
  ...names.map((name, n) => element("span", {}, sign(name, n), ` ${name}`)));
const textOf = (x, y, text, more = {}) =>
  svgOf("text", { x, y, fill: css("--text"), "font-size": 12, "text-anchor": "middle", ...more }, text);

// Axes

// Numbers at an axis of so many pixels, evenly on its scale.
const ticks = (axis, low, high, pixels) => {
  const most = Math.max(2, pixels / 50);
  if (axis.log) {
    const every = Math.max(1, Math.ceil((Math.log10(high) - Math.log10(low)) / most));
    const found = (digits, step = 1) => {
      const places = [];
      for (let n = Math.floor(Math.log10(low)); n <= Math.log10(high); n += 1)
        if (n % step === 0) places.push(...digits.map((digit) => digit * 10 ** n));
      return places.filter((place) => place >= low * 0.999 && place <= high * 1.001);
    };
    const decades = Array.from({ length: every }, (_, n) => found([1], every - n));
    return [...decades, found([1, 2, 5]), found([1, 1.5, 2, 3, 4, 5, 6, 8])].find((places) => places.length > 1) ?? [low, high];
  }
  const rough = (high - low) / most;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough);
  return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, n) => (n + Math.ceil(low / step)) * step);
};
// The place of a value between two ends, on the scale of an axis.
const scaleOf = (axis, values, from, to) => {
  const on = axis.log ? Math.log10 : (value) => value;
  const fixed = axis.limits && axis.limits[0] < axis.limits[1];
  let [low, high] = axis.limits ?? [Infinity, -Infinity];
  if (!axis.limits) for (const value of values) // there may be more than a call can take
    if (value !== null && value !== undefined && (!axis.log || value > 0)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (low > high) [low, high] = [1, 10];
  const room = 0.04 * (on(high) - on(low)) || 0.3;
  if (!fixed) [low, high] = axis.log ? [low / 10 ** room, high * 10 ** room] : [low - room, high + room];
  if (axis.falls) [from, to] = [to, from];
  const at = (value) => (value === null ? to : from + ((on(value) - on(low)) / (on(high) - on(low))) * (to - from));
  const back = (place) => {
    const value = on(low) + ((place - from) / (to - from)) * (on(high) - on(low));
    return axis.log ? 10 ** value : value;
  };
  return { at, back, places: ticks(axis, low, high, Math.abs(to - from)), write: axis.log ? power : shown };
};
const pictureOf = (place, width, height, label) => {
  const picture = svgOf("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, "font-family": "sans-serif" });
  place.replaceChildren(picture);
  return picture;
};
// Those of them with a number: whole powers of ten before others, where not all have room.
const written_ = ({ places, at, write }, room) => {
  const whole_ = (value) => Number(Number.isInteger(Number(Math.log10(value).toFixed(9))));
  const found = [];
  for (const value of [...places].sort((a, b) => whole_(b) - whole_(a)))
    if (found.every((other) => Math.abs(at(value) - at(other)) >= room(write(value), write(other)))) found.push(value);
  return found;
};
const across = (picture, axis, scale, top, bottom, centre) => {
  const told = written_(scale, (a, b) => 3.5 * (a.length + b.length) + 4);
  for (const value of scale.places) {
    const x = scale.at(value);
    picture.append(svgOf("line", { x1: x, x2: x, y1: top, y2: bottom, stroke: css("--line") }));
    if (told.includes(value)) picture.append(textOf(x, bottom + 15, scale.write(value), { class: "tick" }));
  }
  if (centre !== undefined) picture.append(textOf(centre, bottom + 34, axis.label));
};
const upwards = (picture, axis, scale, left, right, centre) => {
  const told = written_(scale, () => 13);
  for (const value of scale.places) {
    const y = scale.at(value);
    picture.append(svgOf("line", { x1: left, x2: right, y1: y, y2: y, stroke: css("--line") }));
    if (told.includes(value)) picture.append(textOf(left - 5, y + 4, scale.write(value), { "text-anchor": "end", class: "tick" }));
  }
  if (centre !== undefined) picture.append(textOf(0, 0, axis.label, { transform: `translate(12 ${centre}) rotate(-90)` }));
};
const widthOf = (place) => Math.max(place.clientWidth, 140);

// Each kind draws a panel into a place; a small one is one of many.
const kinds = {
  rows(place, chart, panel) {
    const rows = panel.rows.filter(([name]) => seen(name));
    const width = widthOf(place);
    const letters = width < 480 ? 18 : 30;
    const left = 14 + 7.4 * Math.max(...rows.map(([name]) => middle(name, letters).length));
    const row = Math.max(17, Math.min(28, 360 / rows.length));
    const [right, top] = [50 + 4 * Math.max(4, panel.alike.length), 6];
    const bottom = top + row * rows.length;
    const label = `${chart.x.label}: ${rows.map(([name, x]) => `${name} ${shown(x)}`).join(", ")}.`;
    const picture = pictureOf(place, width, bottom + 42, label);
    const scale = scaleOf(chart.x, rows.flatMap(([, ...values]) => values), left, width - right);
    across(picture, chart.x, scale, top, bottom, (left + width - right) / 2);
    const places = rows.map((_, n) => top + row * (n + 0.5));
    rows.forEach(([name, x, ...ends], n) => {
      const y = places[n];
      const stroke = colourOf(name);
      const heavy = strong(name) ? { "font-weight": 700 } : {};
      [[ends[2], ends[3], 1], [ends[0], ends[1], strong(name) ? 5 : 3]].forEach(([low, high, thick]) => {
        if (low !== undefined && low !== null)
          picture.append(svgOf("line", { x1: scale.at(low), x2: scale.at(high), y1: y, y2: y, stroke, "stroke-width": thick }));
      });
      picture.append(svgOf("circle", { cx: scale.at(x), cy: y, r: strong(name) ? 6 : 5, fill: stroke }, svgOf("title", {}, `${name}: ${shown(x)}`)));
      picture.append(textOf(left - 8, y + 4, middle(name, letters), { "text-anchor": "end", ...heavy }));
      picture.append(textOf(width - 4, y + 4, shown(x), { "text-anchor": "end", ...heavy }));
    });
    panel.alike.forEach(([first, last], level) => { // a bar beside those that are alike
      const x = width - right + 6 + 4 * level;
      picture.append(svgOf("line", { x1: x, x2: x, y1: places[first] - 6, y2: places[last] + 6, stroke: css("--text"), "stroke-width": 2, class: "alike" }));
    });
  },
  bars(place, chart, panel) {
    const rows = panel.filter(([name]) => seen(name));
    const width = widthOf(place);
    const left = 14 + 7.4 * Math.max(...rows.map(([name]) => middle(name, 24).length));
    const [row, right, top] = [22, 60, 6];
    const bottom = top + row * rows.length;
    const totals = rows.map(([, ...parts]) => sum(parts));
    const label = `${chart.x.label}: ${rows.map(([name], n) => `${name} ${shown(totals[n])}`).join(", ")}.`;
    const picture = pictureOf(place, width, bottom + 42, label);
    const scale = scaleOf({ ...chart.x, limits: [0, Math.max(...totals)] }, totals, left, width - right);
    across(picture, chart.x, scale, top, bottom, (left + width - right) / 2);
    rows.forEach(([name, ...parts], n) => {
      let total = 0;
      parts.forEach((part, i) => {
        const from = scale.at(total);
        total += part ?? 0;
        const bar = { x: from, y: top + row * n + 3, width: scale.at(total) - from, height: row - 6, fill: colourOf(chart.parts[i], i) };
        picture.append(svgOf("rect", bar, svgOf("title", {}, `${name}, ${chart.parts[i]}: ${shown(part)}`)));
      });
      const heavy = strong(name) ? { "font-weight": 700 } : {};
      picture.append(textOf(left - 8, top + row * (n + 0.5) + 4, middle(name, 24), { "text-anchor": "end", ...heavy }));
      picture.append(textOf(scale.at(total) + 6, top + row * (n + 0.5) + 4, shown(total), { "text-anchor": "start", ...heavy }));
    });
    place.append(keyOf(chart.parts, block));
  },
  scatter(place, chart, panel, { small = false } = {}) {
    const names = [...new Set(panel.map(([name]) => name))];
    const points = panel.filter(([name]) => seen(name));
    const size = Math.min(widthOf(place), 520);
    const [left, bottom] = small ? [38, size - 20] : [60, size - 48];
    const picture = pictureOf(place, size, size, `${chart.y.label} over ${chart.x.label}: ${points.length} points.`);
    const values = points.flatMap(([, , x, y]) => [x, y]);
    const [x, y] = [scaleOf(chart.x, values, left, size - 14), scaleOf(chart.y, values, bottom, 14)];
    across(picture, chart.x, x, 14, bottom, small ? undefined : (left + size) / 2);
    upwards(picture, chart.y, y, left, size - 14, small ? undefined : bottom / 2);
    picture.append(svgOf("line", { x1: left, y1: bottom, x2: size - 14, y2: 14, stroke: css("--faint") }));
    for (const [name, label, a, b] of points) {
      const at = { cx: x.at(a), cy: y.at(b), r: small ? 2.2 : 3.2, fill: colourOf(name, names.indexOf(name)), "fill-opacity": 0.75 };
      const values_ = [a, b].map((value) => (value === null ? "∞" : shown(value))).join(" and ");
      picture.append(svgOf("circle", at, svgOf("title", {}, `${name}, ${label}: ${values_}`)));
    }
    if (!small) place.append(keyOf(names));
  },
  cells(place, chart, panel) {
    const table = element("table", { className: panel.names.length > data.many ? "many" : "" });
    const heading = (row, text, scope) => row.append(element("th", { scope }, element("span", {}, text)));
    const head = table.createTHead().insertRow();
    for (const text of ["function", ...panel.names]) heading(head, text, "col");
    for (const cell of head.cells) if (strong(cell.textContent)) cell.className = "strong";
    const own_ = panel.names.indexOf(choice.baseline);
    const body = table.createTBody();
    for (const [title, cells] of panel.rows) {
      const row = body.insertRow();
      heading(row, title, "row");
      cells.forEach(([text, best, strength], n) => {
        const cell = row.insertCell();
        cell.classList.toggle("strong", n === own_);
        cell.append(element(best ? "b" : "span", {}, text));
        cell.style.setProperty("--share", `${Math.round(40 * Math.abs(strength))}%`);
        cell.classList.toggle("behind", strength < 0);
      });
    }
    place.replaceChildren(table);
    place.tabIndex = 0; // it may scroll
    place.setAttribute("role", "region");
  },
};

// Lines: of a panel, whole numbers at last.
const unpackedLines = new WeakMap();
const linesOf = (chart, panel) => {
  if (!unpackedLines.has(panel)) {
    unpackedLines.set(panel, panel.map(([name, end, x, ...columns]) => {
      const [y, low, high] = columns.map((column) => whole(column, chart.y.log));
      return { name, end, x: whole(x, chart.x.log), y, low, high };
    }));
  }
  return unpackedLines.get(panel);
};
// A line, cut where its data end.
const cut = (line, end) => {
  if (end === null) return line;
  const there = line.x.filter((x) => x <= end * 1.0005).length;
  return there === line.x.length ? line : { ...line, x: line.x.slice(0, there), y: line.y.slice(0, there) };
};
const pathOf = (line, column, x, y, stepped, until) => { // a stepped one until some x at least
  let [path, last] = ["", null];
  line.x.forEach((value, n) => {
    if (column[n] === null) return;
    const [a, b] = [x.at(value).toFixed(1), y.at(column[n]).toFixed(1)];
    if (last === null) path += `M${a} ${b}`;
    else path += stepped ? `H${a}V${b}` : `L${a} ${b}`;
    last = b;
  });
  if (stepped && last !== null && until > line.x.at(-1)) path += `H${x.at(until).toFixed(1)}`;
  return path;
};
// Heights of texts that are as near as can be to those wanted, in order, and not on one another.
const apart = (wanted, gap, top, bottom) => {
  const found = [];
  for (const y of wanted) found.push(Math.max(y, top, found.length ? found.at(-1) + gap : top));
  let limit = bottom;
  for (let n = found.length - 1; n >= 0; n -= 1) {
    found[n] = Math.min(found[n], limit);
    limit = found[n] - gap;
  }
  return found;
};
const LETTER = 7.3; // pixels of a letter of a label, in capitals
kinds.lines = (place, chart, panel, { small = false, trials = null, zoom = null } = {}) => {
  const beyond = Boolean(choice.beyond) || !chart.ends;
  const there = linesOf(chart, panel).filter(({ name }) => seen(name));
  const longest = Math.max(...there.map(({ end }) => end ?? 0)) || null; // of data; a reference has none, and ends there
  const lines = there.map((line) => cut(line, beyond ? null : line.end ?? longest)).filter(({ x }) => x.length);
  const width = widthOf(place);
  const letters = width < 480 ? 14 : 24;
  const labelled = small ? 0 : Math.max(...lines.map(({ name }) => middle(name, letters).length));
  const height = small ? Math.round(width * 0.62) : Math.max(300, Math.min(470, Math.max(52 + 11 * lines.length, Math.round(width * 0.52))));
  const [left, right, top, bottom] = small ? [38, width - 13, 6, height - 20] : [62, width - 34 - LETTER * labelled, 8, height - 44];
  const xs = [...new Set(lines.flatMap(({ x }) => x))].sort((a, b) => a - b);
  const x = scaleOf({ ...chart.x, limits: zoom?.x ?? [xs[0], Math.max(xs.at(-1), beyond ? 0 : longest ?? 0)] }, [], left, right);
  const limits = zoom?.y ?? chart.y.limits;
  const y = scaleOf({ ...chart.y, limits }, lines.flatMap(({ y: of, low, high }) => [...of, ...(low && lines.length <= data.many ? [...low, ...high] : [])]), bottom, top);
  const picture = pictureOf(place, width, height, `${chart.y.label} over ${chart.x.label}`);
  across(picture, chart.x, x, top, bottom, small ? undefined : (left + right) / 2);
  upwards(picture, chart.y, y, left, right, small ? undefined : (top + bottom) / 2);
  const clip = `clip-${place.dataset.number ??= String(kinds.number = (kinds.number ?? 0) + 1)}`;
  picture.append(svgOf("clipPath", { id: clip }, svgOf("rect", { x: left - 4, y: top - 3, width: right - left + 8, height: bottom - top + 6 })));
  const inside = svgOf("g", { "clip-path": `url(#${clip})`, fill: "none", "stroke-linejoin": "round" });
  picture.append(inside);
  const marked = [...lines].sort((a, b) => strong(a.name) - strong(b.name)); // the strongest last: above all
  const last = chart.x.falls ? xs[0] : xs.at(-1);
  for (const line of marked) {
    const position = panel.findIndex(([other]) => other === line.name);
    const stroke = small ? { ...strokeOf(line.name, position), "stroke-width": strong(line.name) ? 2.6 : 1.3 } : strokeOf(line.name, position);
    const group = svgOf("g", { "data-name": line.name });
    inside.append(group);
    if (trials) {
      for (const [name, grid, of] of trials) {
        if (name !== line.name) continue;
        const at = whole(grid, chart.x.log);
        for (const steps of of) {
          const path = pathOf({ x: at }, whole(steps, chart.y.log, COARSE), x, y, false);
          group.append(svgOf("path", { d: path, stroke: stroke.stroke, "stroke-width": 0.8, "stroke-opacity": 0.4, class: "trial" }));
        }
      }
    } else if (line.low && lines.length <= data.many) {
      const back = { x: [...line.x].reverse() };
      const area = pathOf(line, line.low, x, y) + pathOf(back, [...line.high].reverse(), x, y).replace("M", "L");
      group.append(svgOf("path", { d: `${area}Z`, fill: stroke.stroke, "fill-opacity": 0.14 }));
    }
    group.append(svgOf("path", { d: pathOf(line, line.y, x, y, chart.stepped, beyond ? null : line.end ?? longest), ...stroke }));
    const shown_ = (value) => !zoom?.x || (chart.x.falls ? value >= zoom.x[0] : value <= zoom.x[1]);
    const n = Math.max(0, line.y.findLastIndex((value, i) => value !== null && shown_(line.x[i])));
    line.at = [beyond || zoom?.x ? line.x[n] : line.end ?? longest ?? line.x[n], line.y[n]];
    const cross = line.end !== null ? [line.end, line.y[line.x.findLastIndex((value) => value <= line.end)]] : [line.x.at(-1), line.y.at(-1)];
    if (line.end !== null || (!chart.ends && cross[0] !== last && cross[1] !== null)) {
      const [a, b] = [x.at(cross[0]), y.at(cross[1])];
      const s = small ? 3 : 4.5;
      group.append(svgOf("path", { d: `M${a - s} ${b - s}l${2 * s} ${2 * s}m0 ${-2 * s}l${-2 * s} ${2 * s}`, stroke: stroke.stroke, "stroke-width": small ? 1.4 : 2, class: "cross" }));
    }
  }
  if (!small) {
    const order = [...lines].sort((a, b) => y.at(a.at[1]) - y.at(b.at[1]) || b.at[0] - a.at[0]);
    const gap = Math.min(13, Math.max(11, (bottom - top) / order.length));
    const labels = order.filter(({ name }, n) => n < (bottom - top) / gap || strong(name));
    const clipped = (value) => Math.max(top, Math.min(bottom, value));
    const heights = apart(labels.map(({ at }) => clipped(y.at(at[1]))), gap, top + 2, bottom);
    labels.forEach(({ name, at }, n) => {
      const position = panel.findIndex(([other]) => other === name);
      const [from, y_] = [Math.min(x.at(at[0]), right), clipped(y.at(at[1]))];
      // Of many, those to a label farther off would be one band.
      const crowded = labels.length > 12;
      if (!crowded || Math.abs(heights[n] - y_) < 2 * gap) picture.append(svgOf("path", {
        d: `M${from + 4} ${y_}L${right + 6} ${y_}L${right + 16} ${heights[n]}`,
        fill: "none", stroke: colourOf(name, position), "stroke-width": crowded ? 0.5 : 0.8, "stroke-opacity": crowded ? 0.5 : 1, class: "leader",
      }));
      picture.append(
        svgOf("path", { d: `M${right + 16} ${heights[n]}H${right + 26}`, ...strokeOf(name, position), "stroke-dasharray": "none" }),
        textOf(right + 29, heights[n] + 4, middle(name, letters), { "text-anchor": "start", class: "end", "font-size": 11.5, "font-weight": strong(name) ? 700 : undefined }),
      );
    });
  }
  // The value of each line at a place of x: one that is stepped keeps its own until its data end.
  const at = (line, column, value) => {
    if (!chart.stepped) return column[line.x.indexOf(value)] ?? null;
    const n = line.x.findLastIndex((other) => other <= value * (1 + 1e-12));
    return n >= 0 && (beyond || line.end === null || value <= line.end * 1.0005) ? column[n] : null;
  };
  const values = (value) => lines.map((line) => [line.name, at(line, line.y, value), ...(line.low ? [at(line, line.low, value), at(line, line.high, value)] : [])]);
  return { xs, x, y, values, left, right, top, bottom, picture, inside, whole: last };
};
