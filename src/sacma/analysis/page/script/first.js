// First screen: run lengths of all functions, and mean ranks beside them.

if (byId("first-ranks")) {
  const { budgets, ranks } = data.summary;
  const place = byId("first-ranks");
  const dimension = byId("first-dimension");
  const budget = byId("first-budget");
  const Ds = Object.keys(ranks);
  fill(dimension, Ds.map((D) => [D, `${D}-D`]));
  dimension.value = Ds[Ds.length - 1];
  const fillBudgets = () => fill(
    budget, Object.keys(budgets).filter((name) => ranks[dimension.value][name]).map((name) => [name, symbols(name)]),
  );
  fillBudgets();
  const fixed = [...budget.options].map((option) => option.value).filter((name) => budgets[name] !== null);
  budget.value = fixed[fixed.length - 1] ?? budget.value;

  const drawRanks = () => {
    const of = ranks[dimension.value][budget.value];
    const names = Object.keys(of).sort((a, b) => of[a][0] - of[b][0]);
    const width = place.clientWidth;
    const letters = width < 480 ? 18 : 30;
    const left = 12 + 7.4 * Math.max(...names.map((name) => middle(name, letters).length));
    const [right, row, top, bottom] = [44, 26, 8, 40];
    const height = top + row * names.length + bottom;
    const ends = names.flatMap((name) => of[name].filter((value) => value !== null));
    const low = Math.floor(Math.min(...ends));
    const high = Math.max(Math.ceil(Math.max(...ends)), low + 1);
    const at = (value) => left + ((value - low) / (high - low)) * (width - left - right);
    const said = names.map((name) => `${name} ${of[name][0].toFixed(2)}`).join(", ");
    const picture = svgOf("svg", {
      viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `Mean ranks in ${dimension.value}-D after ${symbols(budget.value)} evaluations: ${said}.`,
    });
    const write = (x, y, text, anchor = "middle", more = {}) =>
      picture.append(svgOf("text", { x, y, fill: css("--text"), "font-size": 12, "text-anchor": anchor, ...more }, text));
    const every = Math.max(1, Math.ceil((26 * (high - low)) / (width - left - right)));
    for (let rank = low; rank <= high; rank += every) {
      const x = at(rank);
      picture.append(svgOf("line", { x1: x, x2: x, y1: top, y2: top + row * names.length, stroke: css("--line") }));
      write(x, height - bottom + 16, String(rank));
    }
    write(left + (width - left - right) / 2, height - 8, "mean rank, 1 is best");
    names.forEach((name, n) => {
      const y = top + row * (n + 0.5);
      const [mean, from, to] = of[name];
      const stroke = colourOf(name);
      const weight = n === 0 ? { "font-weight": 600 } : {};
      write(left - 8, y + 4, middle(name, letters), "end", weight);
      if (from !== null) picture.append(svgOf("line", { x1: at(from), x2: at(to), y1: y, y2: y, stroke, "stroke-width": 2 }));
      const point = svgOf("circle", { cx: at(mean), cy: y, r: 5, fill: stroke });
      point.append(svgOf("title", {}, `${name}: ${mean.toFixed(2)}`));
      picture.append(point);
      write(width - 4, y + 4, mean.toFixed(2), "end", weight);
    });
    place.replaceChildren(picture);
    place.dataset.order = names.join(" ");
  };

  let curves = null;
  if (byId("first-chart")) {
    data.algorithms.first = data.algorithms.ecdf;
    curves = chart("first", {
      label: "share of targets reached",
      yLog: false,
      line: () => budgets[budget.value],
      curves: () => {
        const { x, groups } = data.ecdf[dimension.value] ?? { groups: {} };
        const lines = groups.all ?? {};
        return { x, lines: Object.fromEntries(Object.entries(lines).map(([key, p]) => [key, [null, p, null]])) };
      },
      describe: ([, share], idx) => shown(share[idx]),
    });
  }
  const draw = () => {
    drawRanks();
    if (curves) curves.redraw();
  };
  dimension.addEventListener("change", () => { fillBudgets(); draw(); });
  budget.addEventListener("change", draw);
  drawRanks();
  charts.push({
    redraw: draw,
    restyle: () => {
      drawRanks();
      if (curves) curves.restyle();
    },
  });
}
