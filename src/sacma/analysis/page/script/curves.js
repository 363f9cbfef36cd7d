const between = (low, high) => (low === null ? "–" : `${shown(low)} … ${shown(high)}`);

if (byId("convergence-chart")) {
  const dimension = byId("convergence-dimension");
  const chosen = byId("convergence-function");
  const band = byId("convergence-band");
  const { parts, dimensions: source } = data.convergence;
  const summed = (changes) => { // parts of a decade, each less the one before it
    let sum = 0;
    return changes.map((change) => {
      if (change === null) return null;
      sum += change;
      return 10 ** (sum / parts);
    });
  };
  fill(dimension, Object.keys(source).map((D) => [D, `${D}-D`]));
  dimension.value = usual(Object.keys(source), (D) => source[D].functions);
  band.checked = data.algorithms.convergence.length <= data.summary.many; // bands of many cover each other
  const fillFunctions = () => fill(
    chosen, Object.keys(source[dimension.value].functions).map((f) => [f, titleOf(f)]),
  );
  fillFunctions();
  const convergence = chart("convergence", {
    label: "Δf: median trial, quartiles",
    yLog: true,
    curves: () => {
      const { x, functions } = source[dimension.value];
      const lines = Object.entries(functions[chosen.value] ?? {}).map(([key, [low, middle, high]]) =>
        [key, (band.checked ? [low, middle, high] : [middle, middle, middle]).map(summed)]);
      return { x, lines: Object.fromEntries(lines) };
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
  const { groups } = data.summary;
  fill(dimension, Object.keys(data.ecdf).map((D) => [D, `${D}-D`]));
  dimension.value = usual(Object.keys(data.ecdf), (D) => data.ecdf[D].functions);
  const fillGroups = () => fill(group, [
    ...Object.keys(groups).map((key) => [key, key]),
    ...Object.keys(data.ecdf[dimension.value].functions).map((f) => [`f${f}`, titleOf(f)]),
  ]);
  fillGroups();
  if (groups.all) group.value = "all";
  const ecdf = chart("ecdf", {
    label: "proportion of targets reached",
    yLog: false,
    curves: () => runLengths(dimension.value, groups[group.value] ?? [Number(group.value.slice(1))]),
    describe: ([, proportion], idx) => shown(proportion[idx]),
  });
  dimension.addEventListener("change", () => { fillGroups(); ecdf.redraw(); });
  group.addEventListener("change", ecdf.redraw);
  charts.push({ ...ecdf, reproblem: ecdf.redraw });
}
