"use strict";
// Makes tables sortable, draws what can be chosen, and nothing else. All data are in the page.
(async () => {
  const byId = (id) => document.getElementById(id);

  const unpacked = async (text) => {
    const bytes = Uint8Array.from(atob(text.trim()), (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

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
      const button = document.createElement("button");
      button.className = "sort";
      button.type = "button";
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

  if (typeof DecompressionStream === "undefined") {
    for (const place of document.querySelectorAll(".chart")) place.textContent = "Charts need a browser of 2023 or later.";
    return;
  }
  const data = await unpacked(byId("payload").textContent);

  // Figures that were made beforehand, one of which is shown

  // Characters are drawn by outlines, which all figures share.
  const withGlyphs = (svg) => {
    const used = new Set([...svg.matchAll(/href="#(DejaVuSans[\w-]*)"/g)].map(([, id]) => id));
    const outlines = [...used].map((id) => data.glyphs[id] ?? "").join("");
    return svg.replace("<defs>", () => `<defs>${outlines}`);
  };

  for (const chooser of document.querySelectorAll("select[data-figures]")) {
    const figures = data.figures[chooser.dataset.figures];
    const image = byId(`figure-${chooser.dataset.figures}`);
    const show = () => {
      const figure = figures[chooser.value];
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(withGlyphs(figure.svg))}`;
      image.alt = figure.title;
    };
    chooser.addEventListener("change", show);
    show();
  }

  // Charts

  const fill = (select, entries) => {
    const before = select.value;
    select.replaceChildren(...entries.map(([value, text]) => new Option(text, value)));
    if (entries.some(([value]) => value === before)) select.value = before;
  };

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
    const splits = [];
    for (let power = Math.ceil(Math.log10(low) - 1e-9); power <= Math.log10(high) + 1e-9; power += 1)
      splits.push(10 ** power);
    return splits.length > 1 ? splits : [low, high];
  };
  const steps = (self, axis, low, high) => {
    const splits = [];
    const roomy = self.bbox.width / devicePixelRatio / Math.log10(high / low) > 130;
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1)
      for (const digit of roomy ? [1, 2, 5] : [1]) splits.push(digit * 10 ** power);
    return splits.filter((value) => value >= low * 0.999 && value <= high * 1.001);
  };
  const all = (_, splits) => splits;
  const labels = (_, splits) => splits.map((value) => {
    if (value === null) return null;
    const power = Math.log10(value);
    if (value >= 0.009 && value < 10000) return String(Number(value.toPrecision(3)));
    return Math.abs(power - Math.round(power)) < 1e-9 ? `1e${Math.round(power)}` : value.toExponential(1);
  });

  // A chart of one line an algorithm, with or without a band, that says what is below the pointer.
  const chart = (name, { curves, label, yLog, describe }) => {
    const place = byId(`${name}-chart`);
    const readout = byId(`${name}-readout`);
    const boxes = byId(`${name}-algorithms`);
    const checked = new Set(data.algorithms[name]);
    let plot = null;

    const redraw = () => {
      if (plot) plot.destroy();
      place.replaceChildren();
      readout.textContent = "Point at the chart to read its values.";
      const { x, lines } = curves();
      const names = Object.keys(lines).filter((algorithm) => checked.has(algorithm));
      place.dataset.lines = String(names.length);
      if (!x || !names.length) {
        place.textContent = "No data here.";
        return;
      }
      const columns = [x];
      const series = [{}];
      const bands = [];
      for (const algorithm of names) {
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
          label: algorithm, stroke: colour, width: 2, dash: data.styles[algorithm].dash, points: { show: false },
          paths: low ? undefined : uPlot.paths.stepped({ align: 1 }),
        });
      }
      const axis = { stroke: css("--text"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") } };
      plot = new uPlot({
        width: place.clientWidth,
        height: Math.max(270, Math.min(480, Math.round(place.clientWidth * 0.5))),
        series,
        bands,
        legend: { show: false },
        cursor: { drag: { x: true, y: true, uni: 20 }, points: { size: 6 } },
        scales: {
          x: { time: false, distr: 3, range: (_, low, high) => [low, high] },
          y: yLog ? { distr: 3, range: (_, low, high) => [low / 1.5, high * 1.5] } : { range: [0, 1] },
        },
        axes: [
          { ...axis, label: "true evaluations / D", splits: steps, filter: all, values: labels, labelSize: 22, size: 40 },
          { ...axis, label, ...(yLog ? { splits: powers, filter: all, values: labels } : {}), labelSize: 22, size: 58 },
        ],
        hooks: {
          setCursor: [(self) => {
            const { idx } = self.cursor;
            if (idx === null || idx === undefined) return;
            const parts = names.map((algorithm) => {
              const part = document.createElement("span");
              const title = document.createElement("b");
              title.textContent = algorithm;
              part.append(title, ` ${describe(lines[algorithm], idx)}`);
              return part;
            });
            const where = document.createElement("span");
            where.textContent = `after ${shown(x[idx])}·D:`;
            readout.replaceChildren(where, ...parts);
          }],
        },
      }, columns, place);
    };

    const fillBoxes = () => {
      boxes.replaceChildren(...data.algorithms[name].map((algorithm) => {
        const label = document.createElement("label");
        const box = document.createElement("input");
        box.type = "checkbox";
        box.value = algorithm;
        box.checked = checked.has(algorithm);
        box.addEventListener("change", () => {
          if (box.checked) checked.add(algorithm); else checked.delete(algorithm);
          redraw();
        });
        label.append(box, swatch(algorithm), algorithm);
        return label;
      }));
    };

    fillBoxes();
    redraw();
    return { redraw, restyle: () => { fillBoxes(); redraw(); } };
  };

  const charts = [];
  const between = (low, high) => (low === null ? "–" : `${shown(low)} … ${shown(high)}`);

  if (byId("convergence-chart")) {
    const dimension = byId("convergence-dimension");
    const chosen = byId("convergence-function");
    const band = byId("convergence-band");
    const source = data.convergence;
    fill(dimension, Object.keys(source).map((D) => [D, `${D}-D`]));
    const fillFunctions = () => fill(
      chosen, Object.keys(source[dimension.value].functions).map((f) => [f, `f${f} ${data.names[f] ?? ""}`.trim()]),
    );
    fillFunctions();
    const convergence = chart("convergence", {
      label: "Δf: median trial, quartiles",
      yLog: true,
      curves: () => {
        const { x, functions } = source[dimension.value];
        const lines = functions[chosen.value] ?? {};
        if (band.checked) return { x, lines };
        return { x, lines: Object.fromEntries(Object.entries(lines).map(([key, [, m]]) => [key, [m, m, m]])) };
      },
      describe: ([low, median, high], idx) =>
        (band.checked ? `${shown(median[idx])} (${between(low[idx], high[idx])})` : shown(median[idx])),
    });
    dimension.addEventListener("change", () => { fillFunctions(); convergence.redraw(); });
    chosen.addEventListener("change", convergence.redraw);
    band.addEventListener("change", convergence.redraw);
    charts.push(convergence);
  }

  if (byId("ecdf-chart")) {
    const dimension = byId("ecdf-dimension");
    const group = byId("ecdf-group");
    const source = data.ecdf;
    fill(dimension, Object.keys(source).map((D) => [D, `${D}-D`]));
    const fillGroups = () => fill(group, Object.keys(source[dimension.value].groups).map((key) => [key, key]));
    fillGroups();
    if ([...group.options].some((option) => option.value === "all")) group.value = "all";
    const ecdf = chart("ecdf", {
      label: "proportion of targets reached",
      yLog: false,
      curves: () => {
        const { x, groups } = source[dimension.value];
        const lines = groups[group.value] ?? {};
        return { x, lines: Object.fromEntries(Object.entries(lines).map(([key, p]) => [key, [null, p, null]])) };
      },
      describe: ([, proportion], idx) => shown(proportion[idx]),
    });
    dimension.addEventListener("change", () => { fillGroups(); ecdf.redraw(); });
    group.addEventListener("change", ecdf.redraw);
    charts.push(ecdf);
  }

  // Light and dark

  const preferred = matchMedia("(prefers-color-scheme: dark)");
  const shade = () => {
    const chosen = document.documentElement.dataset.theme;
    document.documentElement.dataset.shade = chosen ?? (preferred.matches ? "dark" : "light");
    for (const each of charts) each.restyle();
  };
  byId("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = document.documentElement.dataset.shade === "dark" ? "light" : "dark";
    shade();
  });
  preferred.addEventListener("change", shade);
  shade();

  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) {
      width = innerWidth;
      for (const each of charts) each.redraw();
    }
  });
  document.documentElement.dataset.ready = "yes";
})();
