"use strict";
// Draws the page's charts, and makes tables sortable. All data are in the page.
(async () => {
const byId = (id) => document.getElementById(id);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const own = (of, key) => (Object.hasOwn(of, key) ? of[key] : undefined); // an algorithm may be called constructor

// Light and dark

const preferred = matchMedia("(prefers-color-scheme: dark)");
const shade = () => {
  document.documentElement.dataset.shade = document.documentElement.dataset.theme ?? (preferred.matches ? "dark" : "light");
};
shade();

// Tables

const valueOf = (row, column) => {
  const cell = row.cells[column];
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  const text = cell.textContent.trim();
  return text === "–" || text === "" ? NaN : text;
};
const compare = (a, b) => {
  if (typeof a === "number" && typeof b === "number") {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return a === b ? 0 : a - b;
  }
  return String(a).localeCompare(String(b), "en", { numeric: true });
};
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = table.tHead.rows[table.tHead.rows.length - 1].cells;
  [...heads].forEach((head, column) => {
    if (head.colSpan > 1) return;
    const button = Object.assign(document.createElement("button"), { className: "sort", type: "button" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => (down ? -1 : 1) * compare(valueOf(a, column), valueOf(b, column)));
      table.tBodies[0].append(...rows);
    });
  });
}

// Charts

if (typeof DecompressionStream === "undefined") {
  for (const place of document.querySelectorAll(".drawing")) place.textContent = "Charts need a browser of 2023 or later.";
  return;
}
const unpacked = async (text) => {
  const bytes = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};
const data = await unpacked(byId("payload").textContent);
const unchosen = new Set(); // algorithms, in all charts at once
const drawn = []; // functions that draw a chart anew
const redraw = () => { for (const draw of drawn) draw(); };

const STEPS = 1000; // of a unit or decade
const whole = (steps, log) => { // each less the last before it that is finite
  let sum = 0;
  return steps.map((step) => {
    if (step === null) return null;
    sum += step;
    return log ? 10 ** (sum / STEPS) : sum / STEPS;
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
const symbols = (text) => text.replace("#FE_t", "#FEₜ");
const styleOf = (name, position = 0) => own(data.styles, name) ?? data.others[position % data.others.length];
const colourOf = (name, position) => styleOf(name, position)[document.documentElement.dataset.shade];

const svgOf = (tag, attributes, ...content) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
};
const textOf = (x, y, text, more = {}) =>
  svgOf("text", { x, y, fill: css("--text"), "font-size": 12, "text-anchor": "middle", ...more }, text);
const middle = (name, most) => // a long name is cut in its middle
  (name.length > most ? `${name.slice(0, most - Math.floor(most / 2) - 1)}…${name.slice(-Math.floor(most / 2))}` : name);
const swatch = (name, position) => svgOf("svg", { class: "swatch", viewBox: "0 0 30 10" }, svgOf("line", {
  x1: 0, x2: 30, y1: 5, y2: 5, "stroke-width": 2.5, stroke: colourOf(name, position), "stroke-dasharray": styleOf(name, position).dash.join(" ") || "none",
}));

// Numbers at an axis of so many pixels, evenly on its scale.
const ticks = (axis, low, high, pixels) => {
  const most = Math.max(2, pixels / 50);
  if (axis.log) {
    const every = Math.max(1, Math.ceil((Math.log10(high) - Math.log10(low)) / most));
    const found = (digits) => {
      const places = [];
      for (let n = Math.floor(Math.log10(low)); n <= Math.log10(high); n += 1)
        if (n % every === 0) places.push(...digits.map((digit) => digit * 10 ** n));
      return places.filter((place) => place >= low * 0.999 && place <= high * 1.001);
    };
    return [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 8]].map(found).find((places) => places.length > 1) ?? [low, high];
  }
  const rough = (high - low) / most;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough);
  return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, n) => (n + Math.ceil(low / step)) * step);
};
// The place of a value between two ends, on the scale of an axis.
const scaleOf = (axis, values, from, to) => {
  const finite = values.filter((value) => value !== null && (!axis.log || value > 0));
  const on = axis.log ? Math.log10 : (value) => value;
  let [low, high] = axis.limits ?? (finite.length ? [Math.min(...finite), Math.max(...finite)] : [1, 10]);
  const room = 0.04 * (on(high) - on(low)) || 0.3;
  if (!axis.limits) [low, high] = axis.log ? [low / 10 ** room, high * 10 ** room] : [low - room, high + room];
  const at = (value) => (value === null ? to : from + ((on(value) - on(low)) / (on(high) - on(low))) * (to - from));
  return { at, places: ticks(axis, low, high, Math.abs(to - from)), write: axis.log ? power : shown };
};
const widthOf = (place) => Math.max(place.clientWidth, 240);
const pictureOf = (place, width, height, label) => {
  const picture = svgOf("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
  place.replaceChildren(picture);
  return picture;
};
const across = (picture, axis, scale, top, bottom, middleOfAxis) => {
  for (const value of scale.places) {
    const x = scale.at(value);
    picture.append(svgOf("line", { x1: x, x2: x, y1: top, y2: bottom, stroke: css("--line") }), textOf(x, bottom + 16, scale.write(value)));
  }
  picture.append(textOf(middleOfAxis, bottom + 36, axis.label));
};

// Each kind draws a panel into a place; `seen` are the series that are chosen.
const kinds = {
  rows(place, chart, panel, seen) {
    const rows = panel.rows.filter(([name]) => seen(name));
    const width = widthOf(place);
    const letters = width < 480 ? 18 : 30;
    const left = 14 + 7.6 * Math.max(...rows.map(([name]) => middle(name, letters).length));
    const row = Math.max(20, Math.min(30, 260 / rows.length));
    const [right, top, bottom] = [50 + 4 * Math.max(4, panel.alike.length), 6, 6 + row * rows.length];
    const label = `${chart.x.label}: ${rows.map(([name, x]) => `${name} ${shown(x)}`).join(", ")}.`;
    const picture = pictureOf(place, width, bottom + 44, label);
    const scale = scaleOf(chart.x, rows.flatMap(([, ...values]) => values), left, width - right);
    across(picture, chart.x, scale, top, bottom, (left + width - right) / 2);
    const places = new Map(rows.map(([name], n) => [name, top + row * (n + 0.5)]));
    for (const [name, x, ...ends] of rows) {
      const y = places.get(name);
      const stroke = colourOf(name);
      [[ends[2], ends[3], 1], [ends[0], ends[1], 3]].forEach(([low, high, thick]) => {
        if (low !== undefined && low !== null)
          picture.append(svgOf("line", { x1: scale.at(low), x2: scale.at(high), y1: y, y2: y, stroke, "stroke-width": thick }));
      });
      picture.append(svgOf("circle", { cx: scale.at(x), cy: y, r: 5, fill: stroke }, svgOf("title", {}, `${name}: ${shown(x)}`)));
      picture.append(textOf(left - 8, y + 4, middle(name, letters), { "text-anchor": "end" }));
      picture.append(textOf(width - 4, y + 4, shown(x), { "text-anchor": "end" }));
    }
    const names = panel.rows.map(([name]) => name);
    panel.alike.forEach(([first, last], level) => { // a bar beside those that are alike
      const group = names.slice(first, last + 1).filter((name) => places.has(name)).map((name) => places.get(name));
      const x = width - right + 6 + 4 * level;
      if (group.length > 1)
        picture.append(svgOf("line", { x1: x, x2: x, y1: group[0] - 6, y2: group.at(-1) + 6, stroke: css("--text"), "stroke-width": 2, class: "alike" }));
    });
  },
  bars(place, chart, panel, seen) {
    const rows = panel.filter(([name]) => seen(name));
    const width = widthOf(place);
    const left = 14 + 7.6 * Math.max(...rows.map(([name]) => middle(name, 24).length));
    const [row, right, top] = [22, 60, 6];
    const bottom = top + row * rows.length;
    const totals = rows.map(([, ...parts]) => parts.reduce((sum, part) => sum + part, 0));
    const label = `${chart.x.label}: ${rows.map(([name], n) => `${name} ${shown(totals[n])}`).join(", ")}.`;
    const picture = pictureOf(place, width, bottom + 44, label);
    const scale = scaleOf({ ...chart.x, limits: [0, Math.max(...totals)] }, totals, left, width - right);
    across(picture, chart.x, scale, top, bottom, (left + width - right) / 2);
    rows.forEach(([name, ...parts], n) => {
      let sum = 0;
      parts.forEach((part, i) => {
        const from = scale.at(sum);
        sum += part ?? 0;
        const bar = { x: from, y: top + row * n + 3, width: scale.at(sum) - from, height: row - 6, fill: colourOf(chart.parts[i], i) };
        picture.append(svgOf("rect", bar, svgOf("title", {}, `${name}, ${chart.parts[i]}: ${shown(part)}`)));
      });
      picture.append(textOf(left - 8, top + row * (n + 0.5) + 4, middle(name, 24), { "text-anchor": "end" }));
      picture.append(textOf(scale.at(sum) + 6, top + row * (n + 0.5) + 4, shown(sum), { "text-anchor": "start" }));
    });
    place.append(keyOf(chart.parts));
  },
  scatter(place, chart, panel, seen) {
    const names = [...new Set(panel.map(([name]) => name))];
    const points = panel.filter(([name]) => seen(name));
    const size = Math.min(widthOf(place), 520);
    const [left, bottom] = [60, size - 48];
    const picture = pictureOf(place, size, size, `${chart.y.label} over ${chart.x.label}: ${points.length} points.`);
    const values = points.flatMap(([, , x, y]) => [x, y]);
    const [x, y] = [scaleOf(chart.x, values, left, size - 14), scaleOf(chart.y, values, bottom, 14)];
    across(picture, chart.x, x, 14, bottom, (left + size) / 2);
    for (const value of y.places) {
      const line = { x1: left, x2: size - 14, y1: y.at(value), y2: y.at(value), stroke: css("--line") };
      picture.append(svgOf("line", line), textOf(left - 6, y.at(value) + 4, y.write(value), { "text-anchor": "end" }));
    }
    picture.append(textOf(0, 0, chart.y.label, { transform: `translate(13 ${bottom / 2}) rotate(-90)` }));
    picture.append(svgOf("line", { x1: left, y1: bottom, x2: size - 14, y2: 14, stroke: css("--faint") }));
    for (const [name, label, a, b] of points) {
      const at = { cx: x.at(a), cy: y.at(b), r: 3.2, fill: colourOf(name, names.indexOf(name)), "fill-opacity": 0.75 };
      const written = [a, b].map((value) => (value === null ? "∞" : shown(value))).join(" and ");
      picture.append(svgOf("circle", at, svgOf("title", {}, `${name}, ${label}: ${written}`)));
    }
    place.append(keyOf(names));
  },
  cells(place, chart, panel, seen) {
    const names = panel.names.filter(seen);
    const table = document.createElement("table");
    table.className = names.length > data.many ? "many" : "";
    const head = table.createTHead().insertRow();
    const heading = (row, text, scope) => {
      const cell = Object.assign(document.createElement("th"), { scope });
      cell.append(Object.assign(document.createElement("span"), { textContent: text }));
      row.append(cell);
    };
    for (const text of [chart.rows, ...names]) heading(head, text, "col");
    const body = table.createTBody();
    for (const [title, cells] of panel.rows) {
      const row = body.insertRow();
      heading(row, title, "row");
      for (const name of names) {
        const [text, best, strength] = own(cells, name) ?? ["–", 0, 0];
        const cell = row.insertCell();
        cell.append(Object.assign(document.createElement(best ? "b" : "span"), { textContent: text }));
        cell.style.setProperty("--share", `${Math.round(0.4 * Math.abs(strength))}%`);
        if (strength < 0) cell.className = "behind";
      }
    }
    place.replaceChildren(table);
    place.tabIndex = 0; // it may scroll
    place.setAttribute("role", "region");
  },
};
const keyOf = (names) => {
  const key = Object.assign(document.createElement("div"), { className: "controls" });
  names.forEach((name, n) => {
    const item = document.createElement("span");
    item.append(svgOf("svg", { viewBox: "0 0 10 10", width: 10, height: 10, "aria-hidden": "true" }, svgOf("circle", { cx: 5, cy: 5, r: 4, fill: colourOf(name, n) })), ` ${name}`);
    key.append(item);
  });
  return key;
};

// Lines, by uPlot: what is below the pointer, or at the place that the arrow keys go to, is written out.
const linesIn = (figure, chart) => {
  const place = figure.querySelector(".drawing");
  const readout = figure.querySelector(".readout");
  let plot = null;
  place.tabIndex = 0;
  place.setAttribute("role", "group");
  place.addEventListener("focus", () => readout.setAttribute("aria-live", "polite"));
  place.addEventListener("blur", () => readout.setAttribute("aria-live", "off"));
  place.addEventListener("keydown", (event) => {
    const step = ({ ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0) * (chart.x.falls ? -1 : 1);
    if (!plot || !step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const at = plot.data[0];
    const next = Math.min(at.length - 1, Math.max(0, (plot.cursor.idx ?? (step > 0 ? -1 : at.length)) + step));
    plot.setCursor({ left: plot.valToPos(at[next], "x"), top: 1 });
  });
  // Lines at the same places x: one that is stepped keeps its value.
  const aligned = (panel) => {
    const whole_ = panel.map(([name, x, ...columns]) => [name, whole(x, chart.x.log), columns.map((column) => whole(column, chart.y.log))]);
    const xs = [...new Set(whole_.flatMap(([, x]) => x))].sort((a, b) => a - b);
    return [xs, whole_.map(([name, x, columns]) => {
      const at = new Map(x.map((value, n) => [value, n]));
      return [name, columns.map((column) => {
        let last = chart.stepped ? 0 : null;
        return xs.map((value) => {
          const n = at.get(value);
          if (n !== undefined) last = column[n];
          return n === undefined && !chart.stepped ? null : last;
        });
      })];
    })];
  };
  return (panel, seen) => {
    plot?.destroy();
    place.replaceChildren();
    const [xs, lines] = aligned(panel.filter(([name]) => seen(name)));
    const write = (idx) => lines.map(([name, [y, low, high]]) =>
      [name, low ? `${shown(y[idx])} (${shown(low[idx])} … ${shown(high[idx])})` : shown(y[idx])]);
    const where = (idx) => `${chart.x.label} ${shown(xs[idx])}:`;
    const columns = [xs];
    const series = [{}];
    const bands = [];
    for (const [name, [y, low, high]] of lines) {
      const style = styleOf(name, panel.findIndex(([other]) => other === name));
      const colour = style[document.documentElement.dataset.shade];
      if (low && lines.length <= data.many) {
        const hidden = { stroke: "transparent", width: 0, points: { show: false } };
        bands.push({ series: [columns.length, columns.length + 1], fill: `${colour}26` });
        columns.push(high, low);
        series.push(hidden, hidden);
      }
      columns.push(y);
      series.push({
        label: name, stroke: colour, width: 2, dash: style.dash, spanGaps: true,
        points: { show: false }, paths: chart.stepped ? uPlot.paths.stepped({ align: 1 }) : undefined,
      });
    }
    const tell = (idx) => {
      const spans = write(idx).map(([name, text]) => {
        const part = document.createElement("span");
        part.append(Object.assign(document.createElement("b"), { textContent: name }), ` ${text}`);
        return part;
      });
      readout.replaceChildren(Object.assign(document.createElement("span"), { textContent: where(idx) }), ...spans);
    };
    const stroke = { stroke: css("--text"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") } };
    const axisOf = (axis, pixels) => ({ ...stroke, label: axis.label, labelSize: 22, ...(axis.log ? {
      splits: (_, n, low, high) => ticks(axis, low, high, pixels), filter: (_, splits) => splits, values: (_, splits) => splits.map(power),
    } : {}) });
    const range = (axis) => (_, low, high) => axis.limits ?? (low < high ? [low / 1.1, high * 1.1] : [low / 2, high * 2]);
    const height = Math.max(270, Math.min(460, Math.round(place.clientWidth * 0.5)));
    plot = new uPlot({
      width: place.clientWidth, height, series, bands, legend: { show: false },
      cursor: { drag: { x: true, y: true, uni: 20 }, points: { size: 6 }, focus: { prox: 24 } },
      focus: { alpha: 0.35 },
      scales: {
        x: { time: false, distr: chart.x.log ? 3 : 1, dir: chart.x.falls ? -1 : 1, range: range(chart.x) },
        y: { distr: chart.y.log ? 3 : 1, range: range(chart.y) },
      },
      axes: [{ ...axisOf(chart.x, place.clientWidth - 80), size: 40 }, { ...axisOf(chart.y, height - 70), size: 58 }],
      hooks: { setCursor: [(self) => { if (Number.isInteger(self.cursor.idx)) tell(self.cursor.idx); }] },
    }, columns, place);
    const end = chart.x.falls ? 0 : xs.length - 1;
    place.setAttribute("aria-label", `${chart.y.label}; ${where(end)} ${write(end).map((pair) => pair.join(" ")).join(", ")}.`);
    tell(end);
  };
};

// A box for each algorithm of a chart; the choice is that of all charts.
const chooseAlgorithms = (place, names) => {
  const boxes = names.map((name, n) => {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", value: name, checked: !unchosen.has(name) });
    box.addEventListener("change", () => {
      if (box.checked) unchosen.delete(name); else unchosen.add(name);
      redraw();
    });
    label.append(box, swatch(name, n), name);
    return label;
  });
  const every = names.length > 4 ? [["all", true], ["none", false]].map(([text, checked]) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "several", textContent: text });
    button.addEventListener("click", () => {
      for (const name of names) if (checked) unchosen.delete(name); else unchosen.add(name);
      redraw();
    });
    return button;
  }) : [];
  place.replaceChildren(...boxes, ...every);
};

const selects = {}; // of all charts, by column
const choosers = (chart, place, draw) => chart.by.map(([column, values]) => {
  const label = Object.assign(document.createElement("label"), { textContent: `${data.words[column] ?? column} ` });
  const select = document.createElement("select");
  select.dataset.column = column;
  select.append(...values.map(([value, text]) => new Option(symbols(text), value)));
  const wanted = data.first[column];
  select.value = values.some(([value]) => value === wanted) ? wanted : values.at(-1)[0];
  (selects[column] ??= []).push([select, draw]);
  select.addEventListener("change", () => { // the same in all charts that have it
    for (const [other, drawOther] of selects[column]) {
      if (![...other.options].some(({ value }) => value === select.value)) continue;
      other.value = select.value;
      drawOther();
    }
  });
  label.append(select);
  label.hidden = values.length < 2;
  place.append(label);
  return select;
});

for (const figure of document.querySelectorAll("figure[data-chart]")) {
  const chart = data.charts[figure.dataset.chart];
  const place = figure.querySelector(".drawing");
  const lines = chart.kind === "lines" ? linesIn(figure, chart) : null;
  const seen = (name) => !unchosen.has(name);
  const namesIn = (panel) => (lines ? panel : panel.rows ?? panel).map(([name]) => name);
  const draw = () => {
    const found = chart.panels.find(([at]) => at.every((value, n) => value === chosen[n].value));
    const panel = found?.[1];
    if (lines) chooseAlgorithms(figure.querySelector(".algorithms"), panel ? [...new Set(namesIn(panel))] : []);
    const there = panel && (chart.kind === "cells" ? panel.names : namesIn(panel)).some(seen);
    figure.dataset.panel = there ? found[0].join("|") : "";
    if (!there) {
      place.textContent = "No data here.";
      figure.querySelector(".readout").textContent = "";
    } else if (lines) lines(panel, seen);
    else kinds[chart.kind](place, chart, panel, seen);
  };
  const chosen = choosers(chart, figure.querySelector(".choice"), draw);
  drawn.push(draw);
  draw();
  document.documentElement.dataset.first ??= String(Math.round(performance.now())); // ms since the page was asked for
  await new Promise((done) => { setTimeout(done); }); // shown before the next one is made
}

// Light, dark and paper

byId("theme")?.addEventListener("click", () => {
  document.documentElement.dataset.theme = document.documentElement.dataset.shade === "dark" ? "light" : "dark";
});
const reshade = () => { shade(); redraw(); };
preferred.addEventListener("change", reshade);
let onScreen;
addEventListener("beforeprint", () => {
  onScreen = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  reshade();
});
addEventListener("afterprint", () => {
  if (onScreen === undefined) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = onScreen;
  reshade();
});
new MutationObserver(reshade).observe(document.documentElement, { attributeFilter: ["data-theme"] }); // or by an embedding page

// Boxes that are wider inside than outside say so.
const boxes = [...document.querySelectorAll(".scroll")];
const sizes = new ResizeObserver(() => {
  const wider = boxes.map((box) => box.scrollWidth > box.clientWidth + 1);
  boxes.forEach((box, n) => box.classList.toggle("overflows", wider[n]));
});
for (const box of boxes) for (const each of [box, ...box.children]) sizes.observe(each);

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  redraw();
});
// Charts have moved what the address names, and may again until all is laid out.
const show = () => document.querySelector(":target")?.scrollIntoView({ behavior: "instant" });
show();
requestAnimationFrame(() => requestAnimationFrame(show));
if (document.readyState !== "complete") addEventListener("load", show, { once: true });
document.documentElement.dataset.ready = "yes";
})();
