// Charts

const charts = [];
const unchosen = new Set(); // algorithms, in all charts at once
const leftOut = new Set(); // functions, in all charts of several functions
const instancesOut = new Set(); // instances, where trials are told apart
// A name that all objects have, such as constructor, may be an algorithm's.
const own = (of, key) => (Object.hasOwn(of, key) ? of[key] : undefined);
const symbols = (text) => text.replace("#FE_t", "#FEₜ");

// Entries are a value, its text, and whether it cannot be chosen.
const fill = (select, entries) => {
  const before = select.value;
  select.replaceChildren(...entries.map(([value, text, unknown = false]) =>
    Object.assign(new Option(text, value), { disabled: unknown })));
  if (entries.some(([value]) => value === before)) select.value = before;
};

// The last of the dimensions in which most algorithms are; ``of`` gives theirs by function, or the like.
const usual = (Ds, of) => {
  const count = (D) => new Set(Object.values(of(D)).flatMap((each) => Object.keys(each))).size;
  return Ds.reduce((best, D) => (count(D) >= count(best) ? D : best));
};

const titleOf = (f) => `f${f} ${data.names[f] ?? ""}`.trim();

const colourOf = (name) => data.styles[name][document.documentElement.dataset.shade === "dark" ? "dark" : "light"];

const swatch = (name) => {
  const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  line.setAttribute("class", "swatch");
  line.setAttribute("viewBox", "0 0 30 10");
  const stroke = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const { dash } = data.styles[name];
  for (const [key, value] of Object.entries({ x1: 0, x2: 30, y1: 5, y2: 5, "stroke-width": 2.5, stroke: colourOf(name) }))
    stroke.setAttribute(key, value);
  if (dash.length) stroke.setAttribute("stroke-dasharray", dash.join(" "));
  line.append(stroke);
  return line;
};

const shown = (value) => {
  if (value === null || value === undefined) return "–";
  return value >= 0.001 && value < 10000 ? String(Number(value.toPrecision(4))) : value.toExponential(2);
};

// On log axes: powers of ten, and on short ones what is between them.
const powers = (_, axis, low, high) => {
  const among = (digits) => {
    const splits = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high) + 1e-9; power += 1)
      splits.push(...digits.map((digit) => digit * 10 ** power));
    return splits.filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
  };
  return [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]].map(among).find((splits) => splits.length > 2) ?? [low, high];
};
const steps = (self, axis, low, high) => {
  const splits = [];
  const room = self.bbox.width / devicePixelRatio / Math.log10(high / low); // pixels of a decade
  const every = Math.max(1, Math.ceil(36 / room));
  for (let power = Math.ceil(Math.log10(low) / every - 1) * every; power <= Math.log10(high); power += every)
    for (const digit of room > 130 ? [1, 2, 5] : [1]) splits.push(digit * 10 ** power);
  return splits.filter((value) => value >= low * 0.999 && value <= high * 1.001);
};
const all = (_, splits) => splits;
const labels = (_, splits) => splits.map((value) => {
  if (value === null) return null;
  const power = Math.log10(value);
  if (value >= 0.009 && value < 10000) return String(Number(value.toPrecision(3)));
  return Math.abs(power - Math.round(power)) < 1e-9 ? `1e${Math.round(power)}` : value.toExponential(1);
});

// The axis of evaluations; others say what differs.
const evaluations = { label: "true evaluations / D", splits: steps, values: labels, where: (x) => `after ${shown(x)}·D:` };

const checkbox = (value, checked, changed, ...content) => {
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.value = value;
  box.checked = checked;
  box.addEventListener("change", () => changed(box.checked));
  label.append(box, ...content);
  return label;
};

// Buttons that choose all or none of many.
const MANY_BOXES = 4;
const allOrNone = (number, choose) => (number <= MANY_BOXES ? [] : [["all", true], ["none", false]].map(([text, checked]) => {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "several", textContent: text });
  button.addEventListener("click", () => choose(checked));
  return button;
}));

// What is chosen in one chart is chosen in all others.
const fillAlgorithms = (name, redraw) => {
  const place = byId(`${name}-algorithms`);
  const algorithms = data.algorithms[name];
  const changed = () => {
    redraw();
    for (const each of charts) each.rechoose?.(name);
  };
  const boxes = algorithms.map((algorithm) =>
    checkbox(algorithm, !unchosen.has(algorithm), (checked) => {
      if (checked) unchosen.delete(algorithm); else unchosen.add(algorithm);
      changed();
    }, swatch(algorithm), algorithm));
  place.replaceChildren(...boxes, ...allOrNone(algorithms.length, (checked) => {
    for (const algorithm of algorithms) if (checked) unchosen.delete(algorithm); else unchosen.add(algorithm);
    for (const box of boxes) box.control.checked = checked;
    changed();
  }));
};

// A chart of one line an algorithm, with or without a band, that says what is below the pointer. `curves` returns the
// places x, ascending, the lines of the algorithms that are checked, and the axis along x, where it is another; `behind`
// the set of those that are drawn faintly behind the others, where there are some.
const chart = (name, { curves, label, yLog, describe, stepped = !yLog, points = false, line = () => null, atLeast = () => 270, behind = () => new Set() }) => {
  const place = byId(`${name}-chart`);
  const readout = byId(`${name}-readout`);
  let plot = null;

  // With the arrow keys, as with the pointer.
  place.tabIndex = 0;
  place.setAttribute("role", "group");
  place.addEventListener("focus", () => readout.setAttribute("aria-live", "polite"));
  place.addEventListener("blur", () => readout.setAttribute("aria-live", "off"));
  place.addEventListener("keydown", (event) => {
    const step = ({ ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0) * (plot?.scales.x.dir ?? 1);
    if (!plot || !step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const at = plot.data[0];
    const next = Math.min(at.length - 1, Math.max(0, (plot.cursor.idx ?? (step > 0 ? -1 : at.length)) + step));
    plot.setCursor({ left: plot.valToPos(at[next], "x"), top: 1 });
  });

  const redraw = () => {
    plot?.destroy();
    plot = null;
    place.replaceChildren();
    const faint = behind();
    readout.textContent = "";
    const checked = new Set(data.algorithms[name].filter((algorithm) => !unchosen.has(algorithm)));
    const { x, lines, across = evaluations } = curves(checked);
    const names = Object.keys(lines).filter((algorithm) => checked.has(algorithm));
    place.dataset.lines = String(names.length);
    place.dataset.behind = String(names.filter((algorithm) => faint.has(algorithm)).length);
    if (!x || !names.length) {
      place.textContent = "No data here.";
      place.setAttribute("aria-label", `${label}: no data here`);
      return;
    }
    const last = names.map((algorithm) => `${algorithm} ${describe(lines[algorithm], x.length - 1)}`).join(", ");
    place.setAttribute("aria-label", `${label} by ${names.length} algorithms; ${across.where(x[x.length - 1])} ${last}.`);
    const columns = [x];
    const series = [{}];
    const bands = [];
    for (const algorithm of [...names].sort((a, b) => faint.has(b) - faint.has(a))) {
      const colour = colourOf(algorithm);
      const [low, middle, high] = lines[algorithm];
      if (low) {
        const at = columns.length;
        columns.push(high, low);
        const hidden = { stroke: "transparent", width: 0, points: { show: false } };
        series.push(hidden, hidden);
        bands.push({ series: [at, at + 1], fill: `${colour}26` });
      }
      columns.push(middle);
      series.push({
        label: algorithm, stroke: colour, width: faint.has(algorithm) ? 1 : 2, alpha: faint.has(algorithm) ? 0.4 : 1, dash: data.styles[algorithm].dash,
        points: points ? { show: true, size: 6, fill: colour } : { show: false },
        paths: stepped ? uPlot.paths.stepped({ align: 1 }) : undefined,
      });
    }
    const axis = { stroke: css("--text"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") } };
    plot = new uPlot({
      width: place.clientWidth,
      height: Math.max(atLeast(), Math.min(480, Math.round(place.clientWidth * 0.5))),
      series,
      bands,
      legend: { show: false },
      cursor: { drag: { x: true, y: true, uni: 20 }, points: { size: 6 } },
      scales: {
        x: { time: false, distr: 3, dir: across.falls ? -1 : 1, range: (_, low, high) => (low < high ? [low, high] : [low / 2, low * 2]) },
        y: yLog ? { distr: 3, range: (_, low, high) => [low / 1.5, high * 1.5] } : { range: [0, 1] },
      },
      axes: [
        { ...axis, label: across.label, splits: across.splits, filter: all, values: across.values, labelSize: 22, size: 40 },
        { ...axis, label, ...(yLog ? { splits: powers, filter: all, values: labels } : {}), labelSize: 22, size: 58 },
      ],
      hooks: {
        draw: [(self) => {
          const at = line();
          if (at === null || at < self.scales.x.min || at > self.scales.x.max) return;
          const { ctx, bbox } = self;
          const place = Math.round(self.valToPos(at, "x", true));
          ctx.save();
          ctx.strokeStyle = css("--faint");
          ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
          ctx.lineWidth = devicePixelRatio;
          ctx.beginPath();
          ctx.moveTo(place, bbox.top);
          ctx.lineTo(place, bbox.top + bbox.height);
          ctx.stroke();
          ctx.restore();
        }],
        setCursor: [(self) => {
          if (Number.isInteger(self.cursor.idx)) tell(self.cursor.idx);
        }],
      },
    }, columns, place);
    // Those of strong lines; at first at the upright line or the end, so that nothing below moves when the chart is pointed at.
    const told = names.filter((algorithm) => !faint.has(algorithm));
    const tell = (idx) => {
      const spans = told.map((algorithm) => {
        const part = document.createElement("span");
        const title = document.createElement("b");
        title.textContent = algorithm;
        part.append(title, ` ${describe(lines[algorithm], idx)}`);
        return part;
      });
      const where = document.createElement("span");
      where.textContent = across.where(x[idx]);
      const hint = "The lowest mean ranks have strong lines; point at another mean rank to see its curve.";
      readout.replaceChildren(where, ...spans, ...(faint.size ? [hint] : []));
      readout.style.minHeight = `${readout.offsetHeight}px`;
    };
    readout.style.minHeight = "";
    tell(line() === null ? (across.falls ? 0 : x.length - 1) : Math.max(0, x.findLastIndex((value) => value <= line() * (1 + 1e-9))));
  };

  const fillBoxes = () => fillAlgorithms(name, redraw);
  fillBoxes();
  redraw();
  const restyle = () => { fillBoxes(); redraw(); };
  return { redraw, restyle, rechoose: (changed) => { if (changed !== name) restyle(); } };
};
