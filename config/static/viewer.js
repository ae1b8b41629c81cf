// Arrow keys step through the report while the viewer has the focus.
document.addEventListener("keydown", (event) => {
  const viewer = event.target.closest?.("[data-viewer]");
  if (!viewer || event.target.closest("input, .frame, .plot")) return;
  const step = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  viewer.querySelector(`.position [rel=${step}]`)?.click();
});
