// Keeps what the page shows up to date while somebody looks at it. Without script the page loads itself anew.
const EVERY = 3000;
const away = document.getElementById("away");

/** Whether somebody selects text in it, reads further down, or chooses something. @param {Element} section */
function isUsed(section) {
  const selection = getSelection();
  const isSelected = selection !== null && !selection.isCollapsed && section.contains(selection.anchorNode);
  const isScrolled = (section.querySelector(".log")?.scrollTop ?? 0) > 0;
  return isSelected || isScrolled || section.contains(document.activeElement);
}

/** @param {Document} fresh */
function take(fresh) {
  document.title = fresh.title;
  fresh.querySelectorAll("[data-live]").forEach((section) => {
    const shown = document.getElementById(section.id);
    if (shown && !isUsed(shown) && !shown.isEqualNode(section)) shown.replaceWith(section);
  });
}

async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch("/", { cache: "no-store" });
    if (answer.status === 401) location.reload();
    if (answer.ok) take(new DOMParser().parseFromString(await answer.text(), "text/html"));
    away?.toggleAttribute("hidden", answer.ok);
  } catch {
    away?.removeAttribute("hidden");
  }
}

async function keepFresh() {
  await refresh();
  setTimeout(keepFresh, EVERY);
}

history.replaceState(null, "", "/");
document.addEventListener("visibilitychange", refresh);
setTimeout(keepFresh, EVERY);
