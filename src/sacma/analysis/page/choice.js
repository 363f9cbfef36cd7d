// The choice of dimension, functions, budget, baseline and algorithms: one for the whole page, kept in its address.

if (typeof DecompressionStream === "undefined") {
  for (const place of document.querySelectorAll(".drawing")) place.textContent = "Charts need a browser of 2023 or later.";
  return;
}
const data = await (async () => {
  const bytes = Uint8Array.from(atob(byId("payload").textContent.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
})();
const titles = new Map(data.functions);
const groupTitles = Object.keys(data.groups).sort((a, b) => (b === "all") - (a === "all"));
const FIRST = { ...data.first, show: "rank", beyond: "", trials: "", without: [] };
const options = { // by what is chosen
  show: ["rank", "gain", "median"], beyond: ["", "yes"], trials: ["", "yes"],
  dimension: ["all", ...data.dimensions], functions: [...groupTitles, ...titles.keys()], budget: data.scenarios, baseline: data.algorithms,
};
const OF_PAGE = ["dimension", "function", "group", "scenario"]; // columns that the whole page chooses by
for (const [name, { by }] of Object.entries(data.charts))
  for (const [column, values] of by)
    if (!OF_PAGE.includes(column) && !Object.hasOwn(computed, name)) {
      options[column] = [...new Set([...(options[column] ?? []), ...values.map(([value]) => value)])];
      FIRST[column] = options[column][0];
    }
const choice = structuredClone(FIRST);

const seen = (name) => !choice.without.includes(name);
const functionsChosen = () => own(data.groups, choice.functions) ?? [choice.functions];
const single = () => !Object.hasOwn(data.groups, choice.functions);
const dimensionsChosen = () => (choice.dimension === "all" ? data.dimensions : [choice.dimension]);
const symbols = (text) => text.replace("#FE_t", "#FEₜ");

const redraws = []; // functions that draw anew
const redraw = () => { for (const draw of redraws) draw(); };

const written = () => {
  const parts = new URLSearchParams();
  const there = data.algorithms.filter(seen);
  for (const [key, value] of Object.entries(choice))
    if (key === "without") { // or those that are shown, if they are fewer
      const few = there.length && there.length < value.length;
      for (const name of few ? there : value) parts.append(few ? "only" : key, name);
    } else if (value !== own(FIRST, key)) parts.set(key, value);
  return String(parts);
};
let section = "";
const keep = () => {
  const text = written();
  history.replaceState(null, "", `#${section}${text && `?${text}`}`);
};
// Read the address; one without a choice, as of a link to a section, leaves it as it is. What it has besides is told, and taken out.
const strange = element("p", { className: "strange", role: "status" });
const decoded = (text) => {
  try { return decodeURIComponent(text); } catch { return text; } // a % that stands for no character
};
const read = () => {
  const [place, text] = location.hash.slice(1).split(/\?(.*)/s);
  const name = decoded(place);
  section = byId(name) ? name : "";
  const unknown = section === name ? [] : [name];
  if (text !== undefined) Object.assign(choice, structuredClone(FIRST));
  const only = [];
  for (const [key, given] of new URLSearchParams(text)) {
    const value = key === "budget" && options.budget.includes(`${given}·D`) ? `${given}·D` : given;
    if (key === "without" && data.algorithms.includes(value)) choice.without.push(value);
    else if (key === "only" && data.algorithms.includes(value)) only.push(value);
    else if (own(options, key)?.includes(value)) choice[key] = value;
    else unknown.push(`${key}=${given}`);
  }
  if (only.length) choice.without = data.algorithms.filter((other) => !only.includes(other));
  strange.textContent = unknown.length ? `not understood: ${unknown.join(", ")}` : "";
  if (unknown.length) keep();
};
const choose = (change) => {
  Object.assign(choice, change);
  strange.textContent = "";
  keep();
  redraw();
};

const selectOf = (column, label, values) => {
  const select = element("select", { name: column });
  for (const [value, text] of values) select.append(new Option(symbols(text), value));
  const labelled = element("label", {}, `${label} `, select);
  labelled.hidden = values.length < 2;
  select.addEventListener("change", () => choose({ [column]: select.value }));
  const set = () => { select.value = choice[column]; };
  redraws.push(set);
  set();
  return labelled;
};
const boxOf = (column, label) => {
  const box = element("input", { type: "checkbox", name: column });
  box.addEventListener("change", () => choose({ [column]: box.checked ? "yes" : "" }));
  const set = () => { box.checked = Boolean(choice[column]); };
  redraws.push(set);
  set();
  return element("label", {}, box, label);
};

const chooseAlgorithms = () => {
  const summary = element("summary");
  const boxes = data.algorithms.map((name) => {
    const box = element("input", { type: "checkbox", value: name });
    box.addEventListener("change", () => {
      choose({ without: box.checked ? choice.without.filter((other) => other !== name) : [...choice.without, name] });
    });
    return [name, box, element("label")];
  });
  const several = [["all", () => []], ["none", () => [...data.algorithms]]].map(([text, without]) => {
    const button = element("button", { type: "button" }, text);
    button.addEventListener("click", () => choose({ without: without() }));
    return button;
  });
  const set = () => {
    const there = data.algorithms.filter(seen).length;
    summary.textContent = `algorithms: ${there === data.algorithms.length ? "all" : `${there} of`} ${data.algorithms.length}`;
    for (const [name, box, label] of boxes) {
      box.checked = seen(name);
      label.replaceChildren(box, swatch(name), name);
    }
  };
  redraws.push(set);
  set();
  const inside = element("div", { className: "popover" }, element("div", {}, ...several), ...boxes.map(([, , label]) => label));
  const details = element("details", { className: "algorithms" }, summary, inside);
  addEventListener("pointerdown", (event) => { if (!details.contains(event.target)) details.open = false; });
  addEventListener("keydown", (event) => { if (event.key === "Escape") details.open = false; });
  return details;
};

read();
byId("choice")?.after(strange);
byId("choice")?.append(
  selectOf("dimension", "dimension", [...data.dimensions.map((D) => [D, `${D}-D`]), ...(data.dimensions.length > 1 ? [["all", "all"]] : [])]),
  selectOf("functions", "functions", [...groupTitles.map((name) => [name, name]), ...titles]),
  selectOf("budget", "after", data.scenarios.map((name) => [name, name])),
  ...(data.algorithms.length > 1 ? [selectOf("baseline", "baseline", data.algorithms.map((name) => [name, name])), chooseAlgorithms()] : []),
);
