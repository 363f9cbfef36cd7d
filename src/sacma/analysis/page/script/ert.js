// Expected running times: a chart over targets or dimensions, a table of one function, and two algorithms in a scatter.

// Three digits, without an exponent, as in the tables beside the page.
const short = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(3))) : "∞");

if (byId("ert-chart")) {
  const VIRTUAL = "virtual best";
  const { targets, dimensions: source } = data.ert;
  const several = data.algorithms.ert.length > 1;
  if (several) {
    data.algorithms.ert.push(VIRTUAL);
    data.styles[VIRTUAL] = { light: "#8a8a8a", dark: "#a8a8a8", dash: [2, 3] };
  }
  const over = byId("ert-over");
  const dimension = byId("ert-dimension");
  const target = byId("ert-target");
  const chosen = byId("ert-function");
  const Ds = Object.keys(source);
  const functions = [...new Set(Ds.flatMap((D) => Object.keys(source[D])))].sort((a, b) => a - b);
  fill(dimension, Ds.map((D) => [D, `${D}-D`]));
  dimension.value = usual(Ds, (D) => source[D]);
  fill(target, targets.map((value, n) => [String(n), labels(null, [value])[0]]));
  fill(chosen, functions.map((f) => [f, titleOf(f)]));
  target.value = String(Math.max(0, targets.indexOf(0.1)));

  // ERT/D of an algorithm in a dimension at the n-th target; null where no trial was successful.
  const ertOf = (D, f, name, n) => {
    const cell = own(source[D][f] ?? {}, name);
    return cell && cell[1][n] ? cell[0][n] / cell[1][n] / Number(D) : null;
  };
  const lowest = (values) => {
    const known = values.filter((value) => value !== null);
    return known.length ? Math.min(...known) : null;
  };

  const curves = (checked) => {
    const names = data.algorithms.ert.filter((name) => name !== VIRTUAL && checked.has(name));
    const byTarget = over.value === "target";
    const places = byTarget ? targets.map((_, n) => n).reverse() : Ds.filter((D) => source[D][chosen.value]);
    const at = (name, place) =>
      (byTarget ? ertOf(dimension.value, chosen.value, name, place) : ertOf(place, chosen.value, name, Number(target.value)));
    const lines = {};
    for (const name of names) {
      const values = places.map((place) => at(name, place));
      if (values.some((value) => value !== null)) lines[name] = [null, values, null];
    }
    if (Object.keys(lines).length > 1)
      lines[VIRTUAL] = [null, places.map((_, n) => lowest(Object.values(lines).map(([, values]) => values[n]))), null];
    const across = byTarget
      ? { label: "target Δf", falls: true, splits: steps, values: labels, where: (x) => `to Δf ${labels(null, [x])[0]}:` }
      : { label: "dimension D", splits: () => Ds.map(Number), values: (_, splits) => splits.map(String), where: (x) => `in ${x}-D:` };
    return { x: places.map((place) => (byTarget ? targets[place] : Number(place))), lines, across };
  };

  const ert = chart("ert", {
    label: "ERT / D", yLog: true, points: true, curves, describe: ([, values], idx) => shown(values[idx]),
  });

  const tabulate = () => {
    const of = source[dimension.value][chosen.value] ?? {};
    const names = Object.keys(of).filter((name) => !unchosen.has(name));
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    const heading = (row, text, scope) => {
      const cell = document.createElement("th");
      cell.scope = scope;
      cell.textContent = text;
      row.append(cell);
    };
    heading(head, `f${chosen.value}, ${dimension.value}-D`, "col");
    for (const value of targets) heading(head, labels(null, [value])[0], "col");
    const body = table.createTBody();
    const best = targets.map((_, n) => lowest(names.map((name) => ertOf(dimension.value, chosen.value, name, n))));
    for (const name of names) {
      const row = body.insertRow();
      heading(row, name, "row");
      targets.forEach((_, n) => {
        const value = ertOf(dimension.value, chosen.value, name, n);
        const cell = row.insertCell();
        const place = value !== null && value === best[n] ? document.createElement("b") : cell;
        place.textContent = `${short(value ?? Infinity)} (${of[name][1][n]}/${of[name][2]})`;
        if (place !== cell) cell.append(place);
      });
    }
    byId("ert-table").replaceChildren(table);
  };
  const update = () => {
    const byTarget = over.value === "target";
    target.closest("label").hidden = byTarget;
    ert.redraw();
    tabulate();
  };
  for (const control of [over, dimension, target, chosen]) control.addEventListener("change", update);
  update();
  charts.push({ ...ert, rechoose: (changed) => { ert.rechoose(changed); tabulate(); } });

  // Shares of the virtual best, anew among the algorithms and over the functions that are chosen

  // By algorithm: on how many percent of the problems its ERT is the lowest, how many it reached, median ratio to the lowest.
  const sharesIn = (D, names) => {
    const there = names.filter((name) => Object.values(source[D]).some((of) => own(of, name)));
    if (there.length < 2) return {}; // alone, each is its own best
    const problems = Object.keys(source[D])
      .filter((f) => !leftOut.has(Number(f)) && there.every((name) => own(source[D][f], name)))
      .flatMap((f) => targets.map((_, n) => there.map((name) => ertOf(D, f, name, n))))
      .filter((values) => lowest(values) !== null);
    return Object.fromEntries(there.map((name, i) => {
      const ratios = problems.map((values) => (values[i] ?? Infinity) / lowest(values)).sort((a, b) => a - b);
      const won = problems.map((values) => (values[i] === lowest(values) ? 1 / values.filter((v) => v === values[i]).length : 0));
      const reached = ratios.filter(Number.isFinite).length;
      const [one, other] = [(ratios.length - 1) / 2, ratios.length / 2].map((n) => ratios[Math.floor(n)]);
      const percent = (count) => (100 * count) / problems.length;
      return [name, [percent(won.reduce((sum, value) => sum + value, 0)), percent(reached), (one + other) / 2]];
    }));
  };

  if (byId("ert-shares")) {
    const table = byId("ert-shares").querySelector("table");
    const of = [...table.tHead.rows[0].cells].filter((head) => head.colSpan > 1).map((head) => String(parseInt(head.textContent, 10)));
    const tabulateShares = () => {
      const names = data.algorithms.ert.filter((name) => name !== VIRTUAL && !unchosen.has(name));
      const shares = of.map((D) => sharesIn(D, names));
      for (const head of table.querySelectorAll("[aria-sort]")) head.removeAttribute("aria-sort"); // it was of other values
      for (const row of table.tBodies[0].rows) {
        const { name } = row.dataset;
        row.hidden = unchosen.has(name);
        shares.flatMap((share) => own(share, name) ?? [NaN, NaN, NaN]).forEach((value, n) => {
          const cell = row.cells[n + 1];
          cell.dataset.value = String(value);
          cell.textContent = Number.isNaN(value) ? "–" : Number.isFinite(value) ? fixed(value, n % 3 === 2 ? 2 : 1) : "∞";
        });
      }
    };
    charts.push({ redraw() {}, restyle() {}, rechoose: tabulateShares, reproblem: tabulateShares });
  }

  // Two algorithms

  if (byId("pair-chart")) {
    const names = data.algorithms.ert.filter((name) => name !== VIRTUAL);
    const across = byId("pair-across");
    const up = byId("pair-up");
    const which = byId("pair-dimension");
    for (const select of [across, up]) fill(select, names.map((name) => [name, name]));
    across.value = data.baseline;
    up.value = names.find((name) => name !== data.baseline);
    fill(which, [["", "all"], ...Ds.map((D) => [D, `${D}-D`])]);
    const draw = () => {
      const points = [];
      for (const D of which.value ? [which.value] : Ds) {
        for (const f of Object.keys(source[D])) {
          if (leftOut.has(Number(f)) || ![across, up].every(({ value }) => own(source[D][f], value))) continue;
          targets.forEach((value, n) => {
            const [x, y] = [across, up].map((select) => ertOf(D, f, select.value, n) ?? Infinity);
            if (x === Infinity && y === Infinity) return;
            points.push({ x, y, kind: Ds.indexOf(D), title: `f${f}, ${D}-D, Δf ${labels(null, [value])[0]}: ${short(x)} and ${short(y)}` });
          });
        }
      }
      const wins = (one, other) => points.filter((point) => point[one] < point[other]).length;
      const letters = Math.floor((Math.min(byId("pair-chart").clientWidth, 560) - 90) / 7.4) - 14; // beside a name
      scatter(byId("pair-chart"), {
        points,
        across: `ERT / D of ${middle(across.value, letters)}`,
        up: `ERT / D of ${middle(up.value, letters)}`,
        above: `${middle(across.value, letters)} faster: ${wins("x", "y")}`,
        below: `${middle(up.value, letters)} faster: ${wins("y", "x")}`,
        kinds: Ds.map((D) => `${D}-D`),
      });
    };
    for (const select of [across, up, which]) select.addEventListener("change", draw);
    draw();
    charts.push({ redraw: draw, restyle: draw, reproblem: draw });
  }
}
