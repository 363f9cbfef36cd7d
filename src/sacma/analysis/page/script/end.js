byId("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = document.documentElement.dataset.shade === "dark" ? "light" : "dark";
  shade();
  for (const each of charts) each.restyle();
});
preferred.addEventListener("change", () => {
  shade();
  for (const each of charts) each.restyle();
});

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) {
    width = innerWidth;
    for (const each of charts) each.redraw();
  }
});
document.documentElement.dataset.ready = "yes";
