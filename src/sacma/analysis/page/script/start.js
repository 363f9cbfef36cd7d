// Makes tables sortable, draws what can be chosen, and nothing else. All data are in the page, those of the first screen
// apart from the others.
const byId = (id) => document.getElementById(id);

const unpacked = async (text) => {
  const packed = atob(text.trim());
  const bytes = new Uint8Array(packed.length);
  for (let n = 0; n < packed.length; n += 1) bytes[n] = packed.charCodeAt(n); // Uint8Array.from takes ten times as long
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Light and dark

const preferred = matchMedia("(prefers-color-scheme: dark)");
const shade = () => {
  const chosen = document.documentElement.dataset.theme;
  document.documentElement.dataset.shade = chosen ?? (preferred.matches ? "dark" : "light");
};
shade();

// Tables

const valueOf = (row, column) => {
  const cell = row.cells[column];
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  const text = cell.textContent.trim();
  return text === "–" || text === "" ? NaN : text;
};

const compare = (a, b) => {
  if (typeof a === "number" && typeof b === "number") {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return a === b ? 0 : a - b;
  }
  return String(a).localeCompare(String(b), "en", { numeric: true });
};

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = table.tHead.rows[table.tHead.rows.length - 1].cells;
  [...heads].forEach((head, column) => {
    if (head.colSpan > 1) return;
    const button = document.createElement("button");
    button.className = "sort";
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => (down ? -1 : 1) * compare(valueOf(a, column), valueOf(b, column)));
      table.tBodies[0].append(...rows);
    });
  });
}

if (typeof DecompressionStream === "undefined") {
  for (const place of document.querySelectorAll(".chart")) place.textContent = "Charts need a browser of 2023 or later.";
  return;
}
const data = await unpacked(byId("payload").textContent);
