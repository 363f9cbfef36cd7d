// Drawings of points

const KINDS = [["#0072B2", "#6db6e8"], ["#D55E00", "#f0955a"], ["#009E73", "#4fcba5"], ["#882255", "#d58ab3"], ["#6B4A00", "#d9b45c"], ["#555555", "#b5b5b5"]];

const svgOf = (tag, attributes, text) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
};

// A name that is cut in its middle where it is long.
const middle = (name, most) => (name.length > most ? `${name.slice(0, most - Math.floor(most / 2) - 1)}…${name.slice(-Math.floor(most / 2))}` : name);

// The same of several names, longer where they must be to differ; what is alike at twice the length is numbered.
const middles = (names, most, longest = 2 * most) => {
  const found = names.map((name) => middle(name, most));
  const alike = (n) => found.filter((text) => text === found[n]).length > 1;
  if (names.every((_, n) => !alike(n))) return found;
  if (most < longest) return middles(names, most + 2, longest);
  return found.map((text, n) => (alike(n) ? `${middle(names[n], most - 3)} ${n + 1}` : text));
};

// Pairs of values on log axes with the diagonal; infinite ones are at the border.
const scatter = (place, { points, across, up, above, below, kinds }) => {
  const size = Math.max(200, Math.min(place.clientWidth, 560));
  const [left, bottom, rim] = [56, 46, 14];
  const side = size - left - rim;
  place.replaceChildren();
  const known = points.flatMap(({ x, y }) => [x, y]).filter(Number.isFinite);
  if (!known.length) {
    place.textContent = "No data here.";
    return;
  }
  const [low, high] = [Math.log10(Math.min(...known)) - 0.1, Math.log10(Math.max(...known)) + 0.25];
  const at = (value) => (Number.isFinite(value) ? Math.min(1, (Math.log10(value) - low) / (high - low)) : 1) * side;
  const dark = document.documentElement.dataset.shade === "dark" ? 1 : 0;
  const picture = svgOf("svg", {
    viewBox: `0 0 ${size} ${rim + side + bottom}`, width: size, height: rim + side + bottom, role: "img",
    "aria-label": `${up} over ${across}. ${above}. ${below}.`,
  });
  const line = (x1, y1, x2, y2, stroke) => picture.append(svgOf("line", { x1, y1, x2, y2, stroke, "stroke-width": 1 }));
  const write = (x, y, text, more) =>
    picture.append(svgOf("text", { x, y, fill: css("--text"), "font-size": 12, "text-anchor": "middle", ...more }, text));
  for (let power = Math.ceil(low); power <= high; power += 1) {
    const step = at(10 ** power);
    line(left + step, rim, left + step, rim + side, css("--line"));
    line(left, rim + side - step, left + side, rim + side - step, css("--line"));
    const text = labels(null, [10 ** power])[0];
    write(left + step, rim + side + 16, text);
    write(left - 6, rim + side - step + 4, text, { "text-anchor": "end" });
  }
  line(left, rim + side, left + side, rim, css("--faint"));
  write(left + side / 2, rim + side + 36, across);
  write(0, 0, up, { transform: `translate(13 ${rim + side / 2}) rotate(-90)` });
  for (const { x, y, kind, title } of points) {
    const point = svgOf("circle", {
      cx: left + at(x), cy: rim + side - at(y), r: 3.2, fill: KINDS[kind % KINDS.length][dark], "fill-opacity": 0.75,
    });
    point.append(svgOf("title", {}, title));
    picture.append(point);
  }
  write(left + 8, rim + 16, above, { "text-anchor": "start", class: "said" });
  write(left + side - 8, rim + side - 8, below, { "text-anchor": "end", class: "said" });
  const key = document.createElement("div");
  key.className = "controls";
  kinds.forEach((kind, n) => {
    const item = document.createElement("span");
    const dot = svgOf("svg", { viewBox: "0 0 10 10", width: 10, height: 10, "aria-hidden": "true" });
    dot.append(svgOf("circle", { cx: 5, cy: 5, r: 4, fill: KINDS[n % KINDS.length][dark] }));
    item.append(dot, ` ${kind}`);
    key.append(item);
  });
  place.append(picture, key);
};
