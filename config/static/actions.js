// Small things a page can do once there is script: copy, close a notice, open a dialog in older browsers.
async function copy(button, text) {
  const label = button.querySelector("span") ?? button;
  const before = label.textContent;
  await navigator.clipboard.writeText(text);
  label.textContent = "Copied";
  setTimeout(() => { label.textContent = before; }, 1_500);
}

function act({ target }) {
  const button = target.closest?.("[data-copy], [data-copy-address], [data-close], [commandfor]");
  if (!button) return;
  if ("close" in button.dataset) button.closest(".toast").remove();
  else if ("copyAddress" in button.dataset) copy(button, window.location.href);
  else if ("copy" in button.dataset) copy(button, document.getElementById(button.dataset.copy).textContent.trim());
  else if (!("commandForElement" in button)) document.getElementById(button.getAttribute("commandfor"))?.showModal();
}

function reveal() {
  const works = navigator.clipboard ? "[data-copy], [data-copy-address], [data-close]" : "[data-close]";
  for (const button of document.querySelectorAll(works)) button.hidden = false;
}

document.addEventListener("click", act);
document.addEventListener("htmx:afterSettle", reveal);
reveal();
