// First screen: run lengths of the functions that are chosen, and mean ranks beside them.

if (byId("first-dimension")) {
  const { budgets, ranks, groups, instances } = data.summary;
  const place = byId("first-ranks");
  const dimension = byId("first-dimension");
  const budget = byId("first-budget");
  const group = byId("first-group");
  const Ds = Object.keys(place ? ranks : data.ecdf);
  fill(dimension, Ds.map((D) => [D, `${D}-D`]));
  dimension.value = usual(Ds, (D) => (place ? ranks[D] : data.ecdf[D].functions));

  // Functions: a group of them, or each by itself.
  const everyFunction = [...new Set(Object.values(groups).flat())].sort((a, b) => a - b);
  const functions = () => everyFunction.filter((f) => !leftOut.has(f));
  const boxes = everyFunction.map((f) => {
    const box = checkbox(String(f), true, (checked) => {
      if (checked) leftOut.delete(f); else leftOut.add(f);
      nameGroup();
      rechooseProblems();
    }, `f${f}`);
    box.title = titleOf(f);
    return box;
  });
  byId("first-functions").replaceChildren(...boxes, ...allOrNone(boxes.length, (checked) => {
    for (const f of everyFunction) if (checked) leftOut.delete(f); else leftOut.add(f);
    for (const box of boxes) box.control.checked = checked;
    nameGroup();
    rechooseProblems();
  }));
  const rechooseInstances = () => { fillBudgets(); rechooseProblems(); };
  const boxesOf = instances.map((instance) => checkbox(String(instance), true, (checked) => {
    if (checked) instancesOut.delete(instance); else instancesOut.add(instance);
    rechooseInstances();
  }, String(instance)));
  if (instances.length > 1) byId("first-instances").replaceChildren("instances", ...boxesOf, ...allOrNone(boxesOf.length, (checked) => {
    for (const instance of instances) if (checked) instancesOut.delete(instance); else instancesOut.add(instance);
    for (const box of boxesOf) box.control.checked = checked;
    rechooseInstances();
  }));
  const nameGroup = () => {
    const before = group.value;
    const these = functions().join(" ");
    const same = Object.keys(groups).filter((name) => groups[name].join(" ") === these);
    fill(group, [...Object.keys(groups).map((name) => [name, name]), ...(same.length ? [] : [["", "as below"]])]);
    group.value = [before, "all", ...same].find((name) => same.includes(name)) ?? "";
  };
  const chooseGroup = () => {
    if (!groups[group.value]) return;
    leftOut.clear();
    for (const f of everyFunction) if (!groups[group.value].includes(f)) leftOut.add(f);
    for (const box of boxes) box.control.checked = !leftOut.has(Number(box.control.value));
    nameGroup();
    rechooseProblems();
  };

  const everybody = () => Object.keys(ranks[dimension.value][budget.value] ?? {});
  const chosen = () => everybody().filter((name) => !unchosen.has(name));

  const lastFixed = () => Object.keys(ranks[dimension.value]).filter((name) => budgets[name] !== null).at(-1);
  // #FE_t is of all trials: of some algorithms or instances it may be another number of evaluations.
  const fillBudgets = () => {
    if (!place) return;
    const among = (of) => instancesOut.size || Object.keys(of).some((name) => unchosen.has(name));
    fill(budget, Object.entries(ranks[dimension.value]).map(([name, of]) => {
      const unknown = budgets[name] === null && among(of);
      return [name, symbols(name) + (unknown ? ": of all algorithms and instances" : ""), unknown];
    }));
    if (budget.selectedOptions[0]?.disabled ?? true) budget.value = lastFixed();
  };
  fillBudgets();

  const rerank = (names) => ranksOn(dimension.value, budget.value, names);

  // Of many algorithms the curves of a few stand out: those of the lowest mean ranks, or the one that is pointed at.
  const STRONG = 5;
  let pointedAt = null;
  const behind = () => {
    const names = place ? chosen() : [];
    if (names.length <= data.summary.many) return new Set();
    if (pointedAt !== null) return new Set(names.filter((name) => name !== pointedAt));
    const means = meansIn(rerank(names), names);
    const order = names.map((_, n) => n).sort((a, b) => means[a] - means[b]);
    return new Set(order.slice(STRONG).map((n) => names[n]));
  };
  let strips = {}; // by algorithm, what is behind its mean rank
  const pointAt = (name) => {
    if (chosen().length <= data.summary.many || name === pointedAt) return;
    pointedAt = name;
    for (const [of, strip] of Object.entries(strips))
      strip.setAttribute("fill", of === name ? css("--shade") : "transparent");
    curves?.redraw();
  };

  // Means over functions and their 95 % bootstrap intervals; the random numbers are the same each time.
  const meansOf = (names) => {
    if (names.length === everybody().length && !leftOut.size && !instancesOut.size) return ranks[dimension.value][budget.value];
    const rows = rerank(names);
    const found = meansIn(rows, names);
    let state = 1;
    const random = () => { // mulberry32
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
    const samples = rows.length > 1 && names.length > 1
      ? Array.from({ length: 1000 }, () => meansIn(rows.map(() => rows[Math.floor(random() * rows.length)]), names))
      : [];
    return Object.fromEntries(names.map((name, n) => {
      const sorted = samples.map((sample) => sample[n]).sort((a, b) => a - b);
      return [name, [found[n], sorted[24] ?? null, sorted[974] ?? null]];
    }));
  };
  if (place) budget.value = lastFixed() ?? budget.value;

  // What the headline says is of all; of some this is said.
  const tell = (names, of) => {
    const everything = allChosen();
    byId("first-chosen").hidden = everything || names.length < 2;
    if (everything || names.length < 2) return;
    const lowest = names.filter((name) => of[name][0] === of[names[0]][0]);
    const [mean, low, high] = of[names[0]];
    const interval = low === null ? "" : ` (${fixed(low, 2)} to ${fixed(high, 2)})`;
    const counted = (number, all, what) => `${number} of ${all} ${what}${all === 1 ? "" : "s"}`;
    byId("first-chosen").textContent = `Of what is chosen (${[
      counted(names.length, everybody().length, "algorithm"),
      counted(rerank(names).length, everyFunction.length, "function"),
      counted(instances.length - instancesOut.size, instances.length, "instance"),
    ].join(", ")}), the lowest mean rank in ${dimension.value}-D after ${symbols(budget.value)} evaluations is that of ${lowest.join(" and ")}: ${fixed(mean, 2)}${interval}.`;
  };

  const drawRanks = () => {
    if (!place) return;
    const of = meansOf(chosen());
    const names = Object.keys(of).filter((name) => Number.isFinite(of[name][0])).sort((a, b) => of[a][0] - of[b][0]);
    place.dataset.order = names.join(" ");
    tell(names, of);
    if (!names.length) {
      place.textContent = !chosen().length ? "No algorithm is chosen."
        : instancesOut.size === instances.length ? "No instance is chosen."
          : !functions().length ? "No function is chosen." : "No function is chosen that all algorithms have.";
      return;
    }
    const width = place.clientWidth;
    const letters = width < 480 ? 18 : 30;
    const written = middles(names, letters);
    const left = 14 + 7.8 * Math.max(...written.map((name) => name.length));
    const row = Math.max(20, Math.min(36, 260 / names.length)); // few are as high as the chart beside them
    const [right, top, bottom] = [52, 8, 40];
    const height = top + row * names.length + bottom;
    const ends = names.flatMap((name) => of[name].filter((value) => value !== null));
    const low = Math.floor(Math.min(...ends));
    const high = Math.max(Math.ceil(Math.max(...ends)), low + 1);
    const at = (value) => left + ((value - low) / (high - low)) * (width - left - right);
    const said = names.map((name) => `${name} ${fixed(of[name][0], 2)}`).join(", ");
    const picture = svgOf("svg", {
      viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `Mean ranks in ${dimension.value}-D after ${symbols(budget.value)} evaluations: ${said}.`,
      ...(names.length > data.summary.many ? { tabindex: 0 } : {}),
    });
    let reached = -1; // by the arrow keys
    picture.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (event.key === "Escape") reached = -1;
      else if (step) reached = Math.min(names.length - 1, Math.max(0, reached + step));
      else return;
      event.preventDefault();
      pointAt(names[reached] ?? null);
    });
    picture.addEventListener("blur", () => pointAt(null));
    const write = (x, y, text, anchor = "middle", more = {}) =>
      picture.append(svgOf("text", { x, y, fill: css("--text"), "font-size": 12, "text-anchor": anchor, ...more }, text));
    const every = Math.max(1, Math.ceil((26 * (high - low)) / (width - left - right)));
    for (let rank = low; rank <= high; rank += every) {
      const x = at(rank);
      picture.append(svgOf("line", { x1: x, x2: x, y1: top, y2: top + row * names.length, stroke: css("--line") }));
      write(x, height - bottom + 16, String(rank));
    }
    const over = rerank(names).length;
    write(left + (width - left - right) / 2, height - 8, `mean rank over ${over} function${over === 1 ? "" : "s"}, 1 is best`);
    strips = {};
    names.forEach((name, n) => {
      const y = top + row * (n + 0.5);
      const [mean, from, to] = of[name];
      const stroke = colourOf(name);
      const weight = n === 0 ? { "font-weight": 600 } : {};
      const strip = svgOf("rect", { x: 0, y: y - row / 2, width, height: row, fill: "transparent" });
      strip.append(svgOf("title", {}, `${name}: ${fixed(mean, 2)}`));
      strip.addEventListener("pointerenter", () => pointAt(name));
      write(left - 8, y + 4, written[n], "end", weight);
      if (from !== null) picture.append(svgOf("line", { x1: at(from), x2: at(to), y1: y, y2: y, stroke, "stroke-width": 2 }));
      picture.append(svgOf("circle", { cx: at(mean), cy: y, r: 5, fill: stroke }));
      write(width - 4, y + 4, fixed(mean, 2), "end", weight);
      strips[name] = strip;
      picture.append(strip); // in front of the others, to be pointed at
    });
    picture.addEventListener("pointerleave", () => pointAt(null)); // from strip to strip is one change, not two
    place.replaceChildren(picture);
  };

  let curves = null;
  drawRanks();
  data.algorithms.first = [...data.algorithms[byId("first-chart") ? "ecdf" : "ert"]];
  if (byId("first-chart")) {
    curves = chart("first", {
      label: "proportion of targets reached",
      yLog: false,
      line: () => (place ? budgets[budget.value] : null),
      atLeast: () => { // as high as the ranks, where these are beside it
        const [ranked, curved] = [place, byId("first-chart")].map((each) => each?.getBoundingClientRect());
        return ranked?.left >= curved.right ? Math.max(270, Math.min(560, ranked.height - 40)) : 270;
      },
      curves: () => runLengths(dimension.value, functions()),
      describe: ([, share], idx) => shown(share[idx]),
      behind,
    });
  } else fillAlgorithms("first", drawRanks);
  const draw = () => {
    drawRanks();
    if (curves) curves.redraw();
  };
  const rechooseProblems = () => {
    draw();
    for (const each of charts) each.reproblem?.();
  };
  dimension.addEventListener("change", () => { fillBudgets(); draw(); });
  group.addEventListener("change", chooseGroup);
  if (place) budget.addEventListener("change", draw);
  nameGroup();
  document.documentElement.dataset.first = String(Math.round(performance.now())); // ms since the page was asked for
  charts.push({
    redraw: draw,
    restyle: () => {
      drawRanks();
      if (curves) curves.restyle();
    },
    rechoose: (changed) => {
      fillBudgets();
      drawRanks();
      if (curves) curves.rechoose(changed);
      else if (changed !== "first") fillAlgorithms("first", drawRanks);
    },
  });
}
