byId("theme")?.addEventListener("click", () => {
  document.documentElement.dataset.theme = document.documentElement.dataset.shade === "dark" ? "light" : "dark";
});
const reshade = () => {
  shade();
  for (const each of charts) each.restyle();
};
preferred.addEventListener("change", reshade);
// The button sets it, or the page that this one is embedded in.
new MutationObserver(reshade).observe(document.documentElement, { attributeFilter: ["data-theme"] });

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) {
    width = innerWidth;
    for (const each of charts) each.redraw();
  }
});
document.documentElement.dataset.ready = "yes";
