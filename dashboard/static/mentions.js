// Naming people in a comment: @ and a part of a name offer those who may see the run. Without it the text is as typed.
const TYPED = /(?:^|[\s(])(@"?([\p{L}\p{N}][\p{L}\p{N}._'-]*(?: [\p{L}\p{N}._'-]*){0,2})?)$/u;
const PAUSE = 150;

/** @typedef {{ name: string, initials: string, text: string }} Person */

/** @param {HTMLTextAreaElement} box */
function offerPeople(box) {
  const frame = document.createElement("div");
  const list = document.createElement("ul");
  const said = document.createElement("span");
  frame.className = "mentioning";
  list.className = "mention-list";
  list.id = `${box.id}-people`;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "People");
  list.hidden = true;
  said.className = "sr";
  said.setAttribute("role", "status");
  const isFocused = document.activeElement === box;
  box.replaceWith(frame);
  frame.append(box, list, said);
  if (isFocused) box.focus();
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", list.id);

  let timer = 0;
  let asked = 0;
  /** @type {Person[]} */
  let people = [];
  let chosen = 0;

  const typed = () => TYPED.exec(box.value.slice(0, box.selectionStart));

  function close() {
    asked += 1;
    clearTimeout(timer);
    list.hidden = true;
    said.textContent = "";
    box.removeAttribute("aria-activedescendant");
  }

  /** @param {number} number */
  function choose(number) {
    chosen = (number + people.length) % people.length;
    for (const [at, row] of [...list.children].entries()) row.setAttribute("aria-selected", String(at === chosen));
    box.setAttribute("aria-activedescendant", `${list.id}-${chosen}`);
    list.children[chosen]?.scrollIntoView({ block: "nearest" });
  }

  /** @param {Person} person */
  function write(person) {
    const found = typed();
    if (!found) return close();
    const start = box.selectionStart - (found[1]?.length ?? 0);
    box.setRangeText(`${person.text} `, start, box.selectionStart, "end");
    close();
    box.focus();
  }

  function show() {
    list.replaceChildren(
      ...people.map((person, at) => {
        const row = document.createElement("li");
        const face = document.createElement("span");
        row.id = `${list.id}-${at}`;
        row.setAttribute("role", "option");
        face.className = "face";
        face.setAttribute("aria-hidden", "true");
        face.textContent = person.initials;
        row.append(face, person.name);
        row.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          write(person);
        });
        return row;
      }),
    );
    list.hidden = false;
    said.textContent = `${people.length} ${people.length === 1 ? "person" : "people"}. Arrows choose, Enter names.`;
    choose(0);
    list.scrollIntoView({ block: "nearest" });
  }

  async function ask() {
    const found = typed();
    if (!found) return close();
    asked += 1;
    const mine = asked;
    try {
      const answer = await fetch(`${box.dataset.mentions}?q=${encodeURIComponent((found[2] ?? "").trim())}`, {
        headers: { Accept: "application/json" },
      });
      if (!answer.ok) return;
      const told = /** @type {{ people: Person[] }} */ (await answer.json());
      if (mine !== asked) return; // of what was typed before: the list stays as it is shown
      ({ people } = told);
    } catch {
      return; // nothing is offered, the text stays
    }
    if (people.length) show();
    else close();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (list.hidden || event.isComposing) return;
    const person = people[chosen];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    else if ((event.key === "Enter" || event.key === "Tab") && person) write(person);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  box.addEventListener("keydown", onKey);
  box.addEventListener("blur", close);
  box.addEventListener("input", () => {
    clearTimeout(timer);
    if (typed()) timer = window.setTimeout(ask, PAUSE);
    else close();
  });
  if (isFocused && typed()) ask(); // it was typed while this was on its way
}

for (const box of document.querySelectorAll("textarea[data-mentions]")) {
  offerPeople(/** @type {HTMLTextAreaElement} */ (box));
}
