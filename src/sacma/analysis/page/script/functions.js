// Functions and algorithms: medians, ranks, or decades gained over one of them.

if (byId("functions-table")) {
  const place = byId("functions-table");
  const [dimension, budget, show, baseline] = ["dimension", "budget", "show", "baseline"].map((name) => byId(`functions-${name}`));
  const { algorithms, parts, values } = data.trials;
  data.algorithms.functions = algorithms;
  fill(dimension, Object.keys(values).map((D) => [D, `${D}-D`]));
  dimension.value = usual(Object.keys(values), (D) => Object.values(values[D]).at(-1));
  const fillBudgets = () => fill(budget, Object.keys(values[dimension.value]).map((name) => [name, name]));
  fillBudgets();
  budget.value = [...budget.options].at(-1).value;
  if (baseline) {
    fill(baseline, algorithms.map((name) => [name, name]));
    baseline.value = data.baseline;
  }
  const element = (tag, text, more = {}) => Object.assign(document.createElement(tag), { textContent: text, ...more });
  const minus = (value, digits) => (Math.abs(value) < 0.5 * 10 ** -digits ? 0 : value).toFixed(digits).replace("-", "\u2212");
  const signed = (value, digits) => (Math.abs(value) < 0.5 * 10 ** -digits ? "0" : `${value > 0 ? "+" : ""}${minus(value, digits)}`);
  const written = {
    median: (value) => (value >= INFINITE / parts ? "∞" : minus(value, 2)),
    rank: (value) => String(Number(value.toFixed(2))),
    gain: (value) => (Math.abs(value) > INFINITE / parts / 2 ? (value > 0 ? "+∞" : "\u2212∞") : signed(value, 2)),
  };
  const starts = new Set(Object.values(data.summary.groups).map((functions) => functions[0]));

  const draw = () => {
    const [D, b, kind] = [dimension.value, budget.value, show.value];
    if (baseline) baseline.closest("label").hidden = kind !== "gain";
    const of = values[D][b];
    // Ranked among each other are those that the first screen ranks; behind them are others, known on few functions.
    const known = algorithms.filter((name) => !unchosen.has(name) && Object.values(of).some((f) => own(f, name)));
    const ranks = own(data.summary.ranks[D] ?? {}, b);
    const ranked = known.filter((name) => !ranks || Object.hasOwn(ranks, name));
    const count = ranked.length;
    const there = [...ranked, ...known.filter((name) => !ranked.includes(name))];
    const functions = Object.keys(of).filter((f) => !leftOut.has(Number(f)));
    const medians = functions.map((f) => there.map((name) => medianOf(D, b, f, name)));
    const whole = medians.map((row) => row.slice(0, count)).filter((row) => !row.includes(null)); // where all are known
    const means = meansIn(whole.map(ranksIn), ranked);
    const order = there.map((_, n) => n).sort((one, other) => (means[one] ?? Infinity) - (means[other] ?? Infinity) || one - other);
    const names = order.map((n) => there[n]);
    if (!names.length || !functions.length) {
      place.textContent = "No data here.";
      return;
    }
    const rowOf = {
      median: (row) => row.map((value) => value && value / parts),
      rank: (row) => {
        const these = row.slice(0, count);
        const found = these.includes(null) ? [] : ranksIn(these);
        return row.map((_, n) => found[n] ?? null);
      },
      gain: (row, f) => {
        const from = medianOf(D, b, f, baseline.value);
        return row.map((value) => (value === null || from === null ? null : (from - value) / parts));
      },
    }[kind];
    const rows = functions.map((f, n) => rowOf(order.map((i) => medians[n][i]), f));
    const most = Math.min(9, Math.max(1, ...rows.flat().map((value) => Math.abs(value ?? 0)))); // decades of the strongest colour
    const many = names.length > data.summary.many;
    const table = element("table", "", { className: many ? "many" : "" });
    const head = table.createTHead().insertRow();
    head.append(element("th", `${D}-D, ${b}`, { scope: "col" }));
    for (const name of names) {
      const cell = element("th", "", { scope: "col", className: many ? "upright" : "" });
      cell.append(element("span", name));
      head.append(cell);
    }
    const body = table.createTBody();
    rows.forEach((row, n) => {
      const line = body.insertRow();
      const f = functions[n];
      if (n && starts.has(Number(f))) line.className = "begins";
      line.append(element("th", titleOf(f), { scope: "row" }));
      const known = row.filter((value) => value !== null);
      const best = kind === "gain" ? Math.max(...known) : Math.min(...known);
      for (const value of row) {
        const cell = line.insertCell();
        if (value === null) { cell.textContent = "–"; continue; }
        cell.append(element(value === best ? "b" : "span", written[kind](value)));
        const share = { median: 0, rank: 1 - (value - 1) / Math.max(1, names.length - 1), gain: Math.min(1, Math.abs(value) / most) }[kind];
        cell.style.setProperty("--share", `${Math.round(40 * share)}%`);
        if (kind === "gain" && value < 0) cell.className = "behind";
      }
    });
    const foot = table.createTFoot();
    const complete = rows.filter((row) => !row.slice(0, count).includes(null));
    const below = (title, texts) => {
      const line = foot.insertRow();
      line.append(element("th", title, { scope: "row" }));
      for (const text of texts) line.insertCell().textContent = text;
    };
    if (complete.length) {
      const asWritten = kind === "rank" ? (value) => fixed(value, 2) : written[kind];
      const meansOfRanked = meansIn(complete, names.slice(0, count)).map(asWritten);
      below(`mean of ${complete.length}`, names.map((_, n) => meansOfRanked[n] ?? "–"));
    }
    if (kind === "gain") {
      below("ahead on", names.map((_, n) => rows.filter((row) => row[n] > 0).length));
      below("behind on", names.map((_, n) => rows.filter((row) => row[n] !== null && row[n] < 0).length));
    }
    place.replaceChildren(table);
  };
  fillAlgorithms("functions", draw);
  dimension.addEventListener("change", () => { fillBudgets(); draw(); });
  for (const select of [budget, show]) select.addEventListener("change", draw);
  baseline?.addEventListener("change", () => {
    draw();
    if (byId("pair-across")) {
      if (byId("pair-up").value === baseline.value) byId("pair-up").value = byId("pair-across").value; // never with itself
      byId("pair-across").value = baseline.value;
      byId("pair-across").dispatchEvent(new Event("change"));
    }
  });
  draw();
  charts.push({
    redraw() {}, // as wide as it is
    restyle() { fillAlgorithms("functions", draw); },
    rechoose(changed) {
      if (changed !== "functions") fillAlgorithms("functions", draw);
      draw();
    },
    reproblem: draw,
  });
}
