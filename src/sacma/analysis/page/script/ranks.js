// Mean ranks in all dimensions, anew of what is chosen; what is not made anew says so.

if (byId("ranks-chosen")) {
  const { budgets, ranks } = data.summary;
  const cellOf = (row, tag, text, more = {}) => {
    const cell = Object.assign(document.createElement(tag), { textContent: text, ...more });
    row.append(cell);
    return cell;
  };
  const draw = () => {
    const everything = allChosen();
    byId("ranks-whole").hidden = !everything;
    byId("ranks-chosen").hidden = everything;
    if (everything) return;
    const columns = Object.keys(ranks).flatMap((D) =>
      Object.keys(ranks[D]).filter((budget) => budgets[budget] !== null).map((budget) => {
        const names = Object.keys(ranks[D][budget]).filter((name) => !unchosen.has(name));
        const rows = ranksOn(D, budget, names);
        const means = rows.length ? meansIn(rows, names) : [];
        return { D, budget, functions: rows.length, of: Object.fromEntries(names.map((name, n) => [name, means[n]])) };
      }));
    const table = document.createElement("table");
    const [dimensions, at] = [table.createTHead().insertRow(), table.tHead.insertRow()];
    cellOf(dimensions, "th", "");
    cellOf(at, "th", "algorithm", { scope: "col" });
    for (const D of Object.keys(ranks)) {
      const count = columns.filter((column) => column.D === D).length;
      if (count) cellOf(dimensions, "th", `${D}-D`, { colSpan: count });
    }
    for (const { budget } of columns) cellOf(at, "th", budget, { scope: "col" });
    const body = table.createTBody();
    for (const name of [...new Set(columns.flatMap(({ of }) => Object.keys(of)))]) {
      const row = body.insertRow();
      cellOf(row, "th", name, { scope: "row" });
      for (const { of } of columns) {
        const value = own(of, name);
        const lowest = value !== undefined && value === Math.min(...Object.values(of));
        const cell = cellOf(row, "td", lowest ? "" : value === undefined ? "–" : fixed(value, 2));
        if (lowest) cellOf(cell, "b", fixed(value, 2));
      }
    }
    const row = table.createTFoot().insertRow();
    cellOf(row, "th", "functions", { scope: "row" });
    for (const { functions } of columns) cellOf(row, "td", String(functions));
    byId("ranks-chosen").querySelector(".scroll").replaceChildren(table);
  };
  charts.push({ redraw() {}, restyle() {}, rechoose: draw, reproblem: draw });
}
