// The page: its figures and tables, what is saved of them, light and dark, and places in it.

const [title, wide] = [document.title, "http://www.w3.org/2000/svg"];
const download = (name, address) => element("a", { href: address, download: name }).click();
const buttonOf = (text, title_, act) => {
  const button = element("button", { type: "button", className: "small", title: title_ }, text);
  button.addEventListener("click", act);
  return button;
};

// Tables: sorted by a click on a heading, and saved

const textOfCell = (cell) => { // a symbol's index behind an underscore, as in files
  const copy = cell.cloneNode(true);
  for (const index of copy.querySelectorAll("sub")) index.prepend("_");
  return copy.textContent.trim().replace(/\s+/g, " ").replaceAll("\u2011", "-");
};
const fileOf = (...parts) => parts.filter(Boolean).map((part) => part.replaceAll("·", "").replace(/[^\w.-]+/g, "_").replace(/^_+|_+$/g, "")).join("_");
const viewOf = () => (choice.dimension === "all" ? "all" : `${choice.dimension}-D`);
const viewed = () => [viewOf(), single() ? `f${choice.functions}` : choice.functions, choice.budget];
const saveTable = (table, name) => { // with one row of headings, as programs read it
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const plain = (cell) => cell.dataset.value?.replace("Infinity", "inf") ?? textOfCell(cell).replace(/^–$/, "").replace("−", "-").replace("∞", "inf");
  const over = [...table.tHead.rows].map((row) => [...row.cells].flatMap((cell) => new Array(cell.colSpan).fill(textOfCell(cell))));
  const heads = over[0].map((_, n) => [...new Set(over.map((row) => row[n]).filter(Boolean))].join(" "));
  const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => [...row.cells].map(plain));
  const lines = [heads, ...rows].map((row) => row.map(quoted).join(","));
  download(`${name}.csv`, `data:text/csv;charset=utf-8,${encodeURIComponent(`${lines.join("\n")}\n`)}`);
};
const valueOf = (row, column) => {
  const cell = row.cells[column];
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  const text = cell.textContent.trim();
  return text === "–" || text === "" ? NaN : text;
};
const inOrder = (a, b) => {
  if (typeof a === "number" && typeof b === "number") {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return a === b ? 0 : a - b;
  }
  return String(a).localeCompare(String(b), "en", { numeric: true });
};
document.querySelectorAll("table.sortable").forEach((table) => {
  const heads = table.tHead.rows[table.tHead.rows.length - 1].cells;
  [...heads].forEach((head, column) => {
    if (head.colSpan > 1) return;
    const button = element("button", { className: "sort", type: "button" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => (down ? -1 : 1) * inOrder(valueOf(a, column), valueOf(b, column)));
      table.tBodies[0].append(...rows);
    });
  });
  const place = (word) => [...heads].findIndex((head) => head.textContent.trim() === word);
  const [dimension, algorithm] = [place("dimension"), place("algorithm")];
  const chosen = dimension >= 0 && algorithm >= 0;
  if (chosen) {
    const choose_ = () => {
      for (const row of table.tBodies[0].rows) {
        row.hidden = !(dimensionsChosen().includes(textOfCell(row.cells[dimension])) && seen(row.dataset.name));
        row.classList.toggle("strong", strong(row.dataset.name));
      }
    };
    redraws.push(choose_);
    choose_();
  }
  table.closest(".scroll").after(buttonOf("save csv", "save this table", () => {
    const of = /^\d+-D$/.exec(textOfCell(table.tHead.rows[0].cells[0]))?.[0]; // a table of one dimension
    saveTable(table, fileOf(table.dataset.table.replace(/^table_/, ""), chosen ? viewOf() : of));
  }));
});

// Figures

const MOST_PANELS = 30;
const panelsOf = (name) => {
  let chart = data.charts[name];
  const make = own(computed, name);
  if (make) return [chart, make(chart).map(([text, panel]) => ({ text, panel, place: [] }))];
  if (single() && own(data.charts, chart.single)) chart = data.charts[chart.single];
  if (chart.y && Object.hasOwn(choice, chart.y.label)) chart = { ...chart, y: { ...chart.y, label: choice[chart.y.label] } }; // of a chosen quantity
  const columns = chart.by.map(([column]) => column);
  const wanted = {
    dimension: dimensionsChosen(), function: functionsChosen(), scenario: [choice.budget], group: [single() ? "all" : choice.functions],
  };
  const chosen = (of) => chart.panels.filter(([place]) => place.every((value, n) => (own(of, columns[n]) ?? [choice[columns[n]]]).includes(value)));
  let found = chosen(wanted);
  if (found.length > MOST_PANELS) found = chosen({ ...wanted, dimension: [FIRST.dimension] });
  const vary = columns.map((_, n) => new Set(found.map(([place]) => place[n])).size > 1);
  const textOfPlace = (place) => place.map((value, n) => vary[n] && chart.by[n][1].find(([other]) => other === value)[1]).filter(Boolean).join(", ");
  return [chart, found.map(([place, panel]) => ({ text: textOfPlace(place), panel, place, columns, vary }))];
};
const namesIn = (chart, panel) => (chart.kind === "cells" ? panel.names : (panel.rows ?? panel).map(([name]) => name));

const figures = [...document.querySelectorAll("figure[data-chart]")].map((figure) => {
  const name = figure.dataset.chart;
  const place = figure.querySelector(".drawing");
  const readout = figure.querySelector(".readout");
  const kind = data.charts[name].kind;
  let zoom = null;
  let view = null; // of a chart of lines that can be explored
  let at = null;
  const tell = (value, y) => {
    view.inside.querySelector(".cursor")?.remove();
    at = value;
    if (value === null) {
      readout.replaceChildren();
      for (const group of view.inside.children) group.removeAttribute("opacity");
      return;
    }
    const x = view.x.at(value);
    view.inside.append(svgOf("line", { class: "cursor", x1: x, x2: x, y1: view.top, y2: view.bottom, stroke: css("--faint") }));
    const values = view.values(value).sort((a, b) => (b[1] ?? -Infinity) - (a[1] ?? -Infinity));
    const near = y === undefined ? null : values.filter(([, of]) => of !== null)
      .map(([other, of]) => [Math.abs(view.y.at(of) - y), other]).sort((a, b) => a[0] - b[0]).find(([distance]) => distance < 14)?.[1];
    for (const group of view.inside.querySelectorAll("[data-name]"))
      if (near && group.dataset.name !== near) group.setAttribute("opacity", 0.25); else group.removeAttribute("opacity");
    const range = ([low, high]) => (low === undefined ? "" : ` (${shown(low)} … ${shown(high)})`);
    const rows = values.map(([other, of, ...ends]) => element("span", { className: other === near ? "near" : "" }, swatch(other), element("b", {}, other), ` ${shown(of)}${range(ends)}`));
    readout.replaceChildren(element("span", {}, `${figure.label} ${shown(value)}:`), ...rows);
    readout.classList.toggle("left", x > (view.left + view.right) / 2);
  };
  const pointed = (event) => {
    const box = view.picture.getBoundingClientRect();
    const ratio = view.picture.viewBox.baseVal.width / box.width;
    return [(event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio];
  };
  const nearest = (x) => {
    let found = view.xs[0];
    for (const value of view.xs) if (Math.abs(view.x.at(value) - x) < Math.abs(view.x.at(found) - x)) found = value;
    return found;
  };
  if (kind === "lines") {
    let from = null;
    place.tabIndex = 0;
    place.setAttribute("role", "group");
    place.addEventListener("focus", () => readout.setAttribute("aria-live", "polite"));
    place.addEventListener("blur", () => { readout.setAttribute("aria-live", "off"); if (view) tell(null); });
    place.addEventListener("keydown", (event) => {
      const step = ({ ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0) * (data.charts[name].x.falls ? -1 : 1);
      if (!view || !step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const n = at === null ? (step > 0 ? -1 : view.xs.length) : view.xs.indexOf(at);
      tell(view.xs[Math.min(view.xs.length - 1, Math.max(0, n + step))]);
    });
    place.addEventListener("pointermove", (event) => {
      if (!view) return;
      const [x, y] = pointed(event);
      const within = x >= view.left - 8 && x <= view.right + 8 && y >= view.top && y <= view.bottom;
      tell(within ? nearest(x) : null, y);
    });
    place.addEventListener("pointerleave", () => { if (view) tell(null); });
    place.addEventListener("pointerdown", (event) => { if (view && event.pointerType === "mouse") from = pointed(event); });
    place.addEventListener("pointerup", (event) => { // what was drawn around is enlarged
      if (!view || !from) return;
      const [[a, b], [c, d]] = [from, pointed(event)];
      from = null;
      if (Math.abs(a - c) < 15 && Math.abs(b - d) < 15) return;
      const between = (scale, one, other, lowest, highest) => [one, other].map((value) => scale.back(Math.max(lowest, Math.min(highest, value)))).sort((p, q) => p - q);
      zoom = {
        x: Math.abs(a - c) < 15 ? zoom?.x : between(view.x, a, c, view.left, view.right),
        y: Math.abs(b - d) < 15 ? zoom?.y : between(view.y, b, d, view.top, view.bottom),
      };
      draw();
    });
    place.addEventListener("dblclick", () => { zoom = null; draw(); });
  }
  let before = "";
  const draw = () => {
    if (!place.clientWidth) return; // folded away: drawn when it is opened
    const [chart, found] = panelsOf(name);
    const there = found.filter(({ panel }) => namesIn(chart, panel).some((series) => (chart.series !== "algorithm" && kind !== "bars") || seen(series)));
    const many = there.length > 1;
    const places = there.map((of) => of.place.join("|") || choice.budget).join(" ");
    if (places !== before) zoom = null;
    before = places;
    figure.dataset.panel = places;
    figure.label = chart.x.label;
    view = at = null;
    readout.replaceChildren();
    place.replaceChildren();
    place.className = `drawing ${many ? `multiples ${kind}` : ""}`;
    if (!there.length) {
      place.textContent = "No data here.";
      return;
    }
    const trialsOf = (of) => (choice.trials && chart.trials ? chart.trials.find(([key]) => key === of.place.join("|"))?.[1] ?? null : null);
    for (const of of there) {
      const cell = many ? element("div") : place;
      if (many) {
        const index = of.columns?.findLastIndex((_, n) => of.vary[n]);
        const head = buttonOf(of.text, "this alone", () => {
          const column = of.columns[index];
          choose({ [{ function: "functions" }[column] ?? column]: of.place[index] });
        });
        head.className = "panel";
        head.disabled = index === undefined;
        const inner = element("div");
        cell.append(head, inner);
        place.append(cell);
        kinds[kind](inner, chart, of.panel, { small: true, trials: trialsOf(of) });
      } else {
        const drawn = kinds[kind](cell, chart, of.panel, { trials: trialsOf(of), zoom });
        if (kind === "lines") {
          view = drawn;
          const ends = drawn.values(drawn.whole).map(([series, value]) => `${series} ${shown(value)}`).join(", ");
          place.setAttribute("aria-label", `${chart.y.label}; ${chart.x.label} ${shown(drawn.whole)}: ${ends}.`);
        }
      }
    }
    if (many && kind === "lines") place.append(keyOf([...new Set(there.flatMap(({ panel }) => namesIn(chart, panel)))].filter(seen)));
  };

  const controls = figure.querySelector(".choice");
  if (name === "functions") controls.append(selectOf("show", "show", [["rank", "rank"], ...(data.algorithms.length > 1 ? [["gain", "decades gained over the baseline"]] : []), ["median", "median Δf, log₁₀"]]));
  if (!own(computed, name)) for (const [column, values] of data.charts[name].by) if (!OF_PAGE.includes(column)) controls.append(selectOf(column, column, values));
  if (data.charts[name].ends) controls.append(boxOf("beyond", "beyond the data"));
  if (data.charts[name].trials) controls.append(boxOf("trials", "single trials"));
  const save = figure.querySelector(".save");
  if (kind === "cells") save.append(buttonOf("save csv", "save this table", () => {
    const names = panelsOf(name)[1].map(({ text }) => text); // a file for each dimension
    [...place.querySelectorAll("table")].forEach((table, n) => saveTable(table, fileOf(name, choice.show, names[n], ...viewed().slice(1))));
  }));
  else save.append(...["svg", "png"].map((ending) => buttonOf(`save ${ending}`, "save this chart", () => savePicture(place, name, ending))));
  return draw;
});

// One picture of all that a place shows, with its key.
const pictured = (place) => {
  const box = place.getBoundingClientRect();
  const whole_ = svgOf("svg", { xmlns: wide, width: Math.ceil(box.width), height: Math.ceil(place.scrollHeight), "font-family": "sans-serif" },
    svgOf("rect", { width: "100%", height: "100%", fill: css("--page") }));
  for (const part of place.querySelectorAll("svg, button.panel, .key span")) {
    const at = part.getBoundingClientRect();
    const [x, y] = [at.left - box.left, at.top - box.top];
    if (part.tagName === "svg") {
      const copy = part.cloneNode(true);
      copy.querySelector(".cursor")?.remove();
      for (const [key, value] of Object.entries({ x, y, width: at.width, height: at.height })) copy.setAttribute(key, value);
      whole_.append(copy);
    } else whole_.append(textOf(x + (part.matches("span") ? 38 : 0), y + 15, part.textContent.trim(), { "text-anchor": "start" }));
  }
  return whole_;
};
function savePicture(place, name, ending) {
  const picture = pictured(place);
  const address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(picture))}`;
  const file = `${fileOf(title, name, ...viewed())}.${ending}`;
  if (ending === "svg") {
    download(file, address);
    return;
  }
  const image = new Image();
  image.addEventListener("load", () => {
    const canvas = element("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    download(file, canvas.toDataURL("image/png"));
  });
  image.src = address;
}

redraws.push(() => {
  const [lead, tested] = data.algorithms.length > 1 && data.charts.ranks ? headline() : [];
  if (!lead) return;
  const place = document.querySelector(".headline");
  place.firstChild.textContent = `${lead} `.replaceAll("-D", "\u2011D").replaceAll("-ES", "\u2011ES");
  place.querySelector(".tested").textContent = tested;
});
redraws.at(-1)();
redraws.push(...figures);
for (const draw of figures) {
  draw();
  root.dataset.first ??= String(Math.round(performance.now())); // ms since the page was asked for
  await new Promise((done) => { setTimeout(done); }); // shown before the next one is made
}
document.querySelectorAll("main details").forEach((details) => details.addEventListener("toggle", () => { if (details.open) for (const draw of figures) draw(); }));

// Light, dark and paper

const THEME = "sacma-theme";
try { root.dataset.theme ??= localStorage.getItem(THEME) ?? undefined; } catch { /* a page in a frame may keep nothing */ }
if (root.dataset.theme === "undefined") delete root.dataset.theme;
byId("theme")?.addEventListener("click", () => {
  root.dataset.theme = root.dataset.shade === "dark" ? "light" : "dark";
  try { localStorage.setItem(THEME, root.dataset.theme); } catch { /* idem */ }
});
const reshade = () => {
  const was = root.dataset.shade;
  shade();
  if (root.dataset.shade !== was) redraw();
};
reshade();
preferred.addEventListener("change", reshade);
let onScreen;
let folded = [];
addEventListener("beforeprint", () => {
  onScreen = root.dataset.theme;
  folded = [...document.querySelectorAll("main details:not([open])")];
  for (const details of folded) details.open = true;
  root.dataset.theme = "light";
  shade();
  redraw();
});
addEventListener("afterprint", () => {
  if (onScreen === undefined) delete root.dataset.theme;
  else root.dataset.theme = onScreen;
  for (const details of folded) details.open = false;
  shade();
  redraw();
});
new MutationObserver(reshade).observe(root, { attributeFilter: ["data-theme"] }); // or by an embedding page

// Boxes that are wider inside than outside say so.
const boxes = [...document.querySelectorAll(".scroll, .drawing")];
const sizes = new ResizeObserver(() => {
  const wider = boxes.map((box) => box.scrollWidth > box.clientWidth + 1);
  boxes.forEach((box, n) => box.classList.toggle("overflows", wider[n]));
});
for (const box of boxes) for (const each of [box, ...box.children]) sizes.observe(each);

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  redraw();
});
// What the address names, opened if it is folded away; charts have moved it, and may again until all is laid out.
const show = () => {
  const place = section && byId(section);
  for (let outer = place; outer; outer = outer.parentElement) if (outer.tagName === "DETAILS") outer.open = true;
  if (place) place.scrollIntoView({ behavior: "instant" });
};
addEventListener("hashchange", () => {
  read();
  keep();
  redraw();
  show();
});
show();
requestAnimationFrame(() => requestAnimationFrame(show));
if (document.readyState !== "complete") addEventListener("load", show, { once: true });
root.dataset.ready = "yes";
