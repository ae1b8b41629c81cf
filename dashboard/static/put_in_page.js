// The parts of the page that takes files, and what is said there of what somebody has to decide.
/** @typedef {import("./uploads.js").Upload} Upload */

export const CHOICES = { other_bytes: "Keep both", other_name: "Send it under this name too", twice: "Keep both" };
export const ABOUT = {
  waits: "It was begun before; what arrived is not sent again.",
  other_bytes: "The run has a file of this name with other bytes.",
  dismissed: "The run's file of this name was dismissed; that stays.",
  twice: "Another file of this name is on this page, and is sent first.",
};

/** @param {string} selector @returns {any} */
export const part = (selector) => document.querySelector(`#put-in ${selector}`.trim());

/** @returns {import("./sending.js").Place} */
export const place = () => ({
  url: part("").dataset.url,
  partBytes: Number(part("").dataset.partBytes),
  token: part("[name=csrfmiddlewaretoken]").value,
  addresses: part("").dataset,
});

/** The one question stands above everything. @param {Upload[]} questions @param {Upload[]} waiting */
export function tellQuestions(questions, waiting) {
  const [note, all, rest] = [part("#asked"), part("#send-all"), part("#send-rest")];
  const count = questions.length;
  const free = waiting.filter((one) => !questions.includes(one)).length;
  note.hidden = !count || !waiting.length;
  if (note.hidden) return;
  const which = count === 1 ? "1 file needs your decision" : `${count} files need your decision`;
  note.querySelector("b").textContent = `${which}. Nothing of this choice is sent yet.`;
  all.lastChild.textContent = `Send ${waiting.length}`;
  rest.textContent = free ? `Leave ${count === 1 ? "it" : "them"} out, send ${free}` : "Leave out";
}
