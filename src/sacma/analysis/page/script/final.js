// Final values: a row an algorithm, a point a trial.

if (byId("final-chart")) {
  const place = byId("final-chart");
  const dimension = byId("final-dimension");
  const chosen = byId("final-function");
  const { parts, values: source } = data.trials;
  fill(dimension, Object.keys(source).map((D) => [D, `${D}-D`]));
  dimension.value = usual(Object.keys(source), (D) => Object.values(source[D]).at(-1));
  const last = () => Object.keys(source[dimension.value]).at(-1);
  const fillFunctions = () => fill(
    chosen, Object.keys(source[dimension.value][last()]).map((f) => [f, titleOf(f)]),
  );
  const draw = () => {
    const of = Object.fromEntries(Object.keys(source[dimension.value][last()][chosen.value]).map((name) =>
      [name, valuesOf(dimension.value, last(), chosen.value, name).filter((value) => value !== null && value < INFINITE)
        .sort((a, b) => a - b).map((value) => 10 ** (value / parts))]));
    const names = Object.keys(of).filter((name) => !unchosen.has(name) && of[name].length);
    if (!names.length) {
      place.textContent = "No data here.";
      return;
    }
    const width = place.clientWidth;
    const letters = width < 600 ? 14 : 30;
    const written = middles(names, letters);
    const left = 12 + 7.4 * Math.max(...written.map((name) => name.length));
    const [row, bottom, rim] = [24, 44, 14];
    const height = row * names.length + bottom;
    const all = names.flatMap((name) => of[name]);
    let [low, high] = [Math.log10(Math.min(...all)), Math.log10(Math.max(...all))];
    const margin = Math.max(0.03 * (high - low), 0.05);
    [low, high] = [low - margin, high + margin];
    const at = (value) => left + ((Math.log10(value) - low) / (high - low)) * (width - left - rim);
    const medians = Object.fromEntries(names.map((name) => [name, 10 ** middleOf(of[name].map(Math.log10))]));
    const picture = svgOf("svg", {
      viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `Best Δf of each trial, f${chosen.value} in ${dimension.value}-D; medians: ${names.map((name) =>
        `${name} ${shown(medians[name])}`).join(", ")}.`,
    });
    const every = Math.max(1, Math.ceil((44 * (high - low)) / (width - left - rim)));
    const powers10 = [];
    for (let power = Math.ceil(low / every) * every; power <= high; power += every) powers10.push(10 ** power);
    const ends = [10 ** (low + margin), 10 ** (high - margin)];
    const different = new Set(labels(null, ends)).size > 1;
    for (const value of powers10.length > 1 ? powers10 : ends.slice(different ? 0 : 1)) {
      picture.append(svgOf("line", { x1: at(value), x2: at(value), y1: 0, y2: row * names.length, stroke: css("--line") }));
      picture.append(svgOf("text", {
        x: at(value), y: row * names.length + 16, fill: css("--text"), "font-size": 12, "text-anchor": "middle",
      }, labels(null, [value])[0]));
    }
    picture.append(svgOf("text", {
      x: left + (width - left - rim) / 2, y: height - 8, fill: css("--text"), "font-size": 12, "text-anchor": "middle",
    }, "best Δf"));
    names.forEach((name, n) => {
      const y = row * (n + 0.5);
      const colour = colourOf(name);
      const label = svgOf("text", { x: left - 8, y: y + 4, fill: css("--text"), "font-size": 12, "text-anchor": "end" }, written[n]);
      label.append(svgOf("title", {}, name));
      picture.append(label);
      const median = at(medians[name]);
      picture.append(svgOf("line", { x1: median, x2: median, y1: y - 10, y2: y + 10, stroke: colour, "stroke-width": 3 }));
      of[name].forEach((value, i) => {
        const point = svgOf("circle", {
          cx: at(value), cy: y - 7 + 14 * ((i * 0.6180339887) % 1), r: 3, fill: colour, "fill-opacity": 0.65,
        });
        point.append(svgOf("title", {}, `${name}: ${shown(value)}`));
        picture.append(point);
      });
    });
    place.replaceChildren(picture);
  };
  fillFunctions();
  if ([...chosen.options].some((option) => option.value === "8")) chosen.value = "8"; // on bbob neither easy nor hopeless
  dimension.addEventListener("change", () => { fillFunctions(); draw(); });
  chosen.addEventListener("change", draw);
  draw();
  charts.push({ redraw: draw, restyle: draw, rechoose: draw, reproblem: draw });
}
