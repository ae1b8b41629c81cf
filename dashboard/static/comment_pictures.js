// Pictures in comments: pasted into the text, dropped onto it, or chosen. They are sent at once; the text refers to
// them.
import { currentToken, tokenFieldOf } from "./csrf.js";

const TAKEN = ["image/png", "image/jpeg"];
const MAX_BYTES = 10 * 1024 * 1024;

/** @typedef {{ file: File, mark: string }} Waiting */

/** Other kinds become PNG here, where the browser can show them. @param {File} file @returns {Promise<Blob>} */
async function asTaken(file) {
  if (TAKEN.includes(file.type)) return file;
  const image = await createImageBitmap(file).catch(() => {
    throw new Error("Pictures are PNG or JPEG; this one could not be turned into one.");
  });
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  return canvas.convertToBlob({ type: "image/png" });
}

/** @param {HTMLTextAreaElement} box */
const tokenOf = (box) => currentToken(tokenFieldOf(box.form)?.value);

/** The markdown that shows it. @param {HTMLTextAreaElement} box @param {File} file @returns {Promise<string>} */
async function send(box, file) {
  const body = await asTaken(file);
  if (body.size > MAX_BYTES) throw new Error("A picture has at most 10 MiB.");
  const answer = await fetch(`${box.dataset.pictures}?name=${encodeURIComponent(file.name.replace(/\.\w+$/, ""))}`, {
    method: "POST",
    headers: { "Content-Type": body.type, "X-CSRFToken": tokenOf(box), Accept: "application/json" },
    body,
  }).catch(() => {
    throw new Error("The service was not reached.");
  });
  if (!answer.headers.get("Content-Type")?.includes("json")) {
    const isEnded = answer.redirected || answer.status === 403;
    throw new Error(isEnded ? "Your session has ended. Sign in in another tab." : `It answered ${answer.status}.`);
  }
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error.details?.fields?.picture?.join(" ") ?? said.error.message);
  return said.markdown;
}

/** @param {HTMLTextAreaElement} box */
function takePictures(box) {
  const told = document.createElement("div");
  told.className = "picture-told small";
  told.setAttribute("role", "status");
  (box.closest(".mentioning") ?? box).after(told);
  let number = 0;

  /** @param {string} before @param {string} after */
  function replace(before, after) {
    const start = box.value.indexOf(before);
    if (start < 0) box.setRangeText(after, box.value.length, box.value.length, "end");
    else box.setRangeText(after, start, start + before.length, "preserve");
    box.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** @param {Waiting} waiting @param {string} fault */
  function offerAgain(waiting, fault) {
    const row = document.createElement("p");
    const again = document.createElement("button");
    const leave = document.createElement("button");
    row.className = "error row";
    again.type = leave.type = "button";
    again.className = leave.className = "linklike";
    again.textContent = "Try again";
    leave.textContent = "Leave it out";
    again.addEventListener("click", () => {
      row.remove();
      carry(waiting);
    });
    leave.addEventListener("click", () => {
      row.remove();
      replace(waiting.mark, "");
      box.focus();
    });
    row.append(`${waiting.file.name || "The picture"} was not sent. ${fault} `, again, leave);
    told.append(row);
  }

  /** @param {Waiting} waiting */
  async function carry(waiting) {
    const row = document.createElement("p");
    row.className = "muted";
    row.textContent = `Sending ${waiting.file.name || "the picture"}…`;
    told.append(row);
    try {
      replace(waiting.mark, await send(box, waiting.file));
    } catch (fault) {
      offerAgain(waiting, /** @type {Error} */ (fault).message);
    }
    row.remove();
  }

  /** @param {File[]} files */
  function take(files) {
    const waiting = files.map((file) => {
      number += 1;
      return { file, mark: `![sending picture ${number}]()` };
    });
    const marks = waiting.map(({ mark }) => `${mark}\n`).join("");
    const before = box.value.slice(0, box.selectionStart);
    const begin = before && !before.endsWith("\n") ? "\n" : "";
    box.setRangeText(begin + marks, box.selectionStart, box.selectionEnd, "end");
    waiting.forEach(carry);
  }

  /** @param {DataTransfer | null} transfer */
  const picturesOf = (transfer) => [...(transfer?.files ?? [])].filter(({ type }) => type.startsWith("image/"));

  box.addEventListener("paste", (event) => {
    const pictures = picturesOf(event.clipboardData);
    if (!pictures.length || event.clipboardData?.types.includes("text/plain")) return; // a table of cells comes as both
    event.preventDefault();
    take(pictures);
  });
  box.addEventListener("ids:files", (event) => take(/** @type {CustomEvent} */ (event).detail)); // see early_files.js
  box.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation(); // the page takes files for the run
    box.classList.add("over");
    /** @type {HTMLElement | null} */
    const veil = document.querySelector(".drop-veil");
    if (veil) veil.hidden = true;
  });
  box.addEventListener("dragleave", () => box.classList.remove("over"));
  box.addEventListener("drop", (event) => {
    box.classList.remove("over");
    const pictures = picturesOf(event.dataTransfer);
    if (!pictures.length || pictures.length < (event.dataTransfer?.files.length ?? 0)) return;
    event.preventDefault();
    event.stopPropagation();
    take(pictures);
  });
  box.form?.addEventListener("submit", (event) => {
    if (!told.childElementCount) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    told.scrollIntoView({ block: "nearest" });
  });
}

for (const box of document.querySelectorAll("textarea[data-pictures]")) {
  takePictures(/** @type {HTMLTextAreaElement} */ (box));
}
