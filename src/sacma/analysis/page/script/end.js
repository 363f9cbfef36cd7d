// Light and dark

const preferred = matchMedia("(prefers-color-scheme: dark)");
const shade = () => {
  const chosen = document.documentElement.dataset.theme;
  document.documentElement.dataset.shade = chosen ?? (preferred.matches ? "dark" : "light");
  for (const each of charts) each.restyle();
};
byId("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = document.documentElement.dataset.shade === "dark" ? "light" : "dark";
  shade();
});
preferred.addEventListener("change", shade);
shade();

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) {
    width = innerWidth;
    for (const each of charts) each.redraw();
  }
});
document.documentElement.dataset.ready = "yes";
