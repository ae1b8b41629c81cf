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

/** Another agent may have the port of one that has ended. @param {Response} answer */
const isOurs = (answer) => answer.headers.get("Watcher-Page") === document.querySelector("main")?.dataset.page;

async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch("/", { cache: "no-store" });
    const isHere = isOurs(answer);
    if (isHere && answer.status === 401) location.reload();
    if (isHere && answer.ok) take(new DOMParser().parseFromString(await answer.text(), "text/html"));
    away?.toggleAttribute("hidden", isHere && answer.ok);
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
