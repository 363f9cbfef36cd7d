// What is at the top of the page is shown before the rest is made.
await new Promise((done) => { setTimeout(done); });
if (byId("payload-more")) {
  Object.assign(data, await unpacked(byId("payload-more").textContent));
  trialsUnpacked(data.trials.values);
}

// Figures that were made beforehand, one of which is shown

// Characters are drawn by outlines, which all figures share.
const withGlyphs = (svg) => {
  const used = new Set([...svg.matchAll(/href="#(DejaVuSans[\w-]*)"/g)].map(([, id]) => id));
  const outlines = [...used].map((id) => data.glyphs[id] ?? "").join("");
  return svg.replace("<defs>", () => `<defs>${outlines}`);
};

for (const chooser of document.querySelectorAll("select[data-figures]")) {
  const figures = data.figures[chooser.dataset.figures];
  const image = byId(`figure-${chooser.dataset.figures}`);
  const caption = image.closest("figure").querySelector("figcaption > span").textContent;
  const show = () => {
    const figure = figures[chooser.value];
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(withGlyphs(figure.svg))}`;
    image.alt = `${figure.title}: ${caption}`;
    // As wide as the column, but on a phone, where it scrolls, no smaller than can be read.
    const width = (4 / 3) * Number(/width="([\d.]+)pt"/.exec(figure.svg)?.[1] ?? 480);
    image.style.width = `max(min(100%, ${1.7 * width}px), ${1.1 * width}px)`;
  };
  chooser.addEventListener("change", show);
  show();
}
