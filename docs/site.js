// Charts in pages of the site, and boxes that scroll.
"use strict";
(() => {
  // Charts are as high as they need to be, and as light or dark as the site.
  const frames = [...document.querySelectorAll("iframe.charts")];
  const theme = () => (document.body.dataset.mdColorScheme === "slate" ? "dark" : "light");
  const tell = (frame) => frame.contentWindow.postMessage({ sacma: "theme", theme: theme() }, "*");
  addEventListener("message", ({ source, data }) => {
    const frame = frames.find((each) => each.contentWindow === source);
    if (!frame || data?.sacma !== "height" || !(data.height > 0 && data.height < 10000)) return;
    frame.style.height = `${data.height}px`;
    tell(frame);
  });
  for (const frame of frames) frame.addEventListener("load", () => tell(frame));
  new MutationObserver(() => frames.forEach(tell)).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });

  // Boxes that are wider inside than outside say so.
  const mark = (box) => box.classList.toggle("overflows", box.scrollWidth > box.clientWidth + 1);
  const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => mark(target.closest(".scrolls"))));
  for (const box of document.querySelectorAll(".scrolls")) for (const each of [box, ...box.children]) sizes.observe(each);
})();
