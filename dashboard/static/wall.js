// The screen of the wall stays on, and takes all of it where somebody asks.
const button = document.querySelector("[data-full-screen]");

async function stayOn() {
  if (document.hidden) return;
  await navigator.wakeLock?.request("screen").catch(() => undefined);
}

if (button instanceof HTMLElement && document.fullscreenEnabled) {
  button.hidden = false;
  button.addEventListener("click", () => document.documentElement.requestFullscreen());
  document.addEventListener("fullscreenchange", () => {
    button.hidden = document.fullscreenElement !== null;
  });
}

stayOn();
document.addEventListener("visibilitychange", stayOn);
