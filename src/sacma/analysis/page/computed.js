// Panels that are made from the choice: ranks, functions, and running times beside those of the baseline.

const FINE = 10000; // steps of a decade in cells
const BEYOND = 10000000; // of them are infinite

// Ranks by dimension of chosen functions that all algorithms have, functions × algorithms, and the algorithms.
const ranksChosen = () => {
  const wanted = new Set(functionsChosen());
  return (data.charts.functions?.panels ?? [])
    .filter(([[D, scenario]]) => dimensionsChosen().includes(D) && scenario === choice.budget)
    .map(([[D], { names, rows }]) => {
      const there = names.map((name, n) => [name, n]).filter(([name, n]) => seen(name) && rows.some(([, , , ranks]) => ranks[n] !== null));
      const table = rows.filter(([f, , , ranks]) => wanted.has(f) && there.every(([, n]) => ranks[n] !== null) && there.length);
      return { D, names: there.map(([name]) => name), rows: new Map(table.map(([f, , , ranks]) => [f, ranked(there.map(([, n]) => ranks[n]))])) };
    })
    .filter(({ rows }) => rows.size);
};
// The comparison over them: of several dimensions those with all algorithms count, a function with its mean rank.
const compare = () => {
  const found = ranksChosen();
  const most = Math.max(0, ...found.map(({ names }) => names.length));
  const used = found.filter(({ names }) => names.length === most);
  if (!used.length) return null;
  const { names } = used[0];
  const all = used.flatMap(({ rows }) => [...rows.values()]);
  const functions = [...new Set(used.flatMap(({ rows }) => [...rows.keys()]))];
  const table = functions.map((f) => {
    const of = used.filter(({ rows }) => rows.has(f)).map(({ rows }) => rows.get(f));
    return names.map((_, j) => mean(of.map((row) => row[j])));
  });
  const tests = compared(table, names);
  const means = names.map((_, j) => mean(all.map((row) => row[j]))); // over functions and dimensions
  const order = names.map((_, n) => n).sort((a, b) => means[a] - means[b]);
  return { ...tests, means, order, table, dimensions: used.map(({ D }) => D) };
};

const computed = {
  ranks() {
    const found = compare();
    if (!found || found.names.length < 2) return [];
    const bars = intervals(found.table);
    const rows = found.order.map((n) => [found.names[n], found.means[n], ...bars[n]]);
    return [["", { rows, alike: groupsAlike(found.order, found.p, found.differ) }]];
  },
  functions(chart) {
    const wanted = new Set(functionsChosen());
    return chart.panels
      .filter(([[D, scenario]]) => dimensionsChosen().includes(D) && scenario === choice.budget)
      .map(([[D], { names, rows }]) => {
        const standing = (n) => sum(rows.filter(([f]) => wanted.has(f)).map(([, , , ranks]) => ranks[n] ?? names.length));
        const there = names.map((name, n) => [name, n]).filter(([name]) => seen(name)).sort(([, a], [, b]) => standing(a) - standing(b));
        const theirs = names.indexOf(choice.baseline);
        const cells = ([, , logs, ranks]) => {
          const of = there.map(([, n]) => n);
          const known = (values) => of.map((n) => values[n]);
          let values; // lower is better
          let texts;
          if (choice.show === "rank") {
            const comparable = known(ranks).every((rank) => rank !== null) ? known(ranks) : known(ranks).map((rank) => rank ?? NaN);
            const some = comparable.filter((rank) => !Number.isNaN(rank));
            const again = ranked(some);
            values = comparable.map((rank) => (Number.isNaN(rank) ? null : again[some.indexOf(rank)]));
            texts = (value) => String(Number(value.toPrecision(3)));
          } else if (choice.show === "gain") {
            const base = theirs < 0 ? null : logs[theirs];
            values = known(logs).map((log) => (log === null || base === null || (log === BEYOND && base === BEYOND) ? null : (log - base) / FINE));
            texts = (value) => (Math.abs(value) > 500 ? (value < 0 ? "+∞" : "−∞") : `${value > 0.005 ? "−" : "+"}${Math.abs(value).toFixed(2)}`);
          } else {
            values = known(logs).map((log) => (log === null ? null : log / FINE));
            texts = (value) => (value > 500 ? "∞" : value.toFixed(2).replace(/^-(0\.00)$/, "$1").replace("-", "−"));
          }
          const best = Math.min(...values.filter((value) => value !== null));
          const strength = (value) => {
            if (choice.show === "rank") return there.length > 1 ? (there.length - value) / (there.length - 1) : 0;
            return choice.show === "gain" ? Math.max(-1, Math.min(1, -value / 9)) : 0;
          };
          return values.map((value) => (value === null ? ["–", false, 0] : [texts(value), value === best, strength(value)]));
        };
        const chosen = rows.filter(([f]) => wanted.has(f)).map((row) => [row[1], cells(row)]);
        return [`${D}-D`, { names: there.map(([name]) => name), rows: there.length ? chosen : [] }];
      })
      .filter(([, { rows }]) => rows.length);
  },
  ert_pairs() {
    const medians = data.charts.functions.panels;
    const panels = data.charts.ert.panels.filter(([[D, f]]) => dimensionsChosen().includes(D) && functionsChosen().includes(f));
    const points = panels.flatMap(([[D, f], panel]) => {
      const cells = medians.find(([[other]]) => other === D)?.[1];
      const logs = cells?.rows.find(([g]) => g === f)?.[2];
      const there = (logs ? cells.names : []).filter((_, n) => logs[n] !== null);
      if (!there.includes(choice.baseline)) return [];
      const times = new Map(linesOf(data.charts.ert, panel).map(({ name, x, y }) => [name, new Map(x.map((value, n) => [value, y[n]]))]));
      const targets = [...new Set([...times.values()].flatMap((of) => [...of.keys()]))];
      return there.filter((name) => name !== choice.baseline && seen(name)).flatMap((name) => targets.map((target) => {
        const [theirs, its] = [choice.baseline, name].map((of) => times.get(of)?.get(target) ?? null);
        return [name, `${D}-D, ${titles.get(f)}, Δf ${power(target)}`, theirs, its];
      }).filter(([, , a, b]) => a !== null || b !== null));
    });
    return Object.entries(Object.groupBy(points, ([name]) => name));
  },
};

// The sentence at the head of the page.
const several = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);
const named = (names) => several(names.length <= 4 ? names : [...names.slice(0, 3), `${names.length - 3} others`]);
const thoseOf = (names) => `${names.length === 1 ? "that" : "those"} of ${named(names)}`;
const ordinal = (n) => `${n}${n % 100 > 10 && n % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][n % 10] ?? "th"}`;
const headline = () => {
  const found = compare();
  if (!found || found.names.length < 2) return ["Fewer than two of the algorithms that are shown can be ranked here: choose another budget, dimension or function, or more algorithms.", ""];
  const { names, means, order, p, N, tested, differ } = found;
  const low = means[order[0]];
  const leaders = order.filter((n) => means[n] - low < 1e-9);
  const others = order.filter((n) => !leaders.includes(n));
  const where = several(found.dimensions.map((D) => `${D}-D`));
  const alone = single() && found.dimensions.length === 1;
  const over = single() ? titles.get(choice.functions) : `${N} ${choice.functions === "all" ? "" : `${choice.functions} `}function${N === 1 ? "" : "s"}`;
  let lead = `After ${symbols(choice.budget)} evaluations ${named(leaders.map((n) => names[n]))} ${leaders.length > 1 ? "have" : "has"} the lowest ${alone ? "rank on" : "mean rank over"} ${over} in ${where}, ${low.toFixed(2)}`;
  if (!others.length) return [`${lead}: all are equal.`, ""];
  lead += `, before ${names[others[0]]} with ${means[others[0]].toFixed(2)}.`;
  const base = names.indexOf(choice.baseline);
  if (others.includes(base) && base !== others[0]) lead += ` ${choice.baseline}, the baseline, is ${ordinal(order.findIndex((n) => means[base] - means[n] < 1e-9) + 1)} of ${names.length} with ${means[base].toFixed(2)}.`;
  if (!tested) return [lead, `${N} function${N === 1 ? " is" : "s are"} too few to test the difference.`];
  const higher = others.filter((n) => differ && leaders.every((leader) => p[leader][n] < ALPHA)).map((n) => names[n]);
  const alike = others.map((n) => names[n]).filter((name) => !higher.includes(name));
  let words = `significantly lower than ${thoseOf(higher)}, but not than ${thoseOf(alike)}`;
  if (!higher.length) words = `not significantly lower than ${alike.length === 1 ? thoseOf(alike) : "any other"}`;
  else if (!alike.length) words = `significantly lower than ${higher.length === 1 ? thoseOf(higher) : "every other"}`;
  const correction = names.length > 2 ? `, ${names.length <= EXHAUSTIVE ? "Bergmann–Hommel" : "Shaffer"} correction` : "";
  const whose = leaders.length > 1 ? "Theirs" : `${names[leaders[0]]}'s`;
  return [lead, `${whose} is ${words} (Friedman post-hoc test over ${N} functions${correction}, level ${ALPHA}).`];
};
