// Tells the page that embeds this one how high it is, and is as light or dark as that says.
"use strict";
const tell = () => parent.postMessage({ sacma: "height", height: Math.ceil(document.body.getBoundingClientRect().height) }, "*");
new ResizeObserver(tell).observe(document.body);
addEventListener("message", ({ source, data }) => {
  if (source === parent && data?.sacma === "theme" && ["light", "dark"].includes(data.theme))
    document.documentElement.dataset.theme = data.theme;
});
tell();
