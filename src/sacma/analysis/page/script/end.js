byId("theme")?.addEventListener("click", () => {
  document.documentElement.dataset.theme = document.documentElement.dataset.shade === "dark" ? "light" : "dark";
});
const reshade = () => {
  shade();
  for (const each of charts) each.restyle();
};
preferred.addEventListener("change", reshade);
// On paper all is light.
let onScreen;
addEventListener("beforeprint", () => {
  onScreen = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  reshade();
});
addEventListener("afterprint", () => {
  if (onScreen === undefined) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = onScreen;
  reshade();
});
// The button sets it, or the page that this one is embedded in.
new MutationObserver(reshade).observe(document.documentElement, { attributeFilter: ["data-theme"] });

// Boxes that are wider inside than outside say so.
const boxes = [...document.querySelectorAll(".scroll, .picture")];
const sizes = new ResizeObserver(() => {
  const wider = boxes.map((box) => box.scrollWidth > box.clientWidth + 1);
  boxes.forEach((box, n) => box.classList.toggle("overflows", wider[n]));
});
for (const box of boxes) for (const each of [box, ...box.children]) sizes.observe(each);

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) {
    width = innerWidth;
    for (const each of charts) each.redraw();
  }
});
// What is made here has moved the section that the address names; until the reader moves, it is shown.
const named = document.querySelector(":target");
if (named) {
  const show = () => named.scrollIntoView({ behavior: "instant" });
  const moves = ["wheel", "touchmove", "keydown", "pointerdown"];
  const growing = new ResizeObserver(show);
  const stop = () => {
    growing.disconnect();
    for (const move of moves) removeEventListener(move, stop);
  };
  for (const move of moves) addEventListener(move, stop, { passive: true });
  growing.observe(document.body);
  setTimeout(stop, 5000);
}
// What is of all says so where something is left out.
const tellOfAll = () => {
  for (const note of document.querySelectorAll(".of-all")) note.hidden = allChosen();
  for (const note of document.querySelectorAll(".of-all-instances")) note.hidden = !instancesOut.size;
};
charts.push({ redraw() {}, restyle() {}, rechoose: tellOfAll, reproblem: tellOfAll });
document.documentElement.dataset.ready = "yes";
