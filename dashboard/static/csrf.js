// The token that a form or a request must carry: that of the last sign-in, in whichever tab.

/** The cookie's; a page's own is of its time. @param {string} ofPage @returns {string} */
export const currentToken = (ofPage = "") =>
  /(?:^|; )(?:__Host-)?csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? ofPage;

/** @param {HTMLFormElement | null} form */
export const tokenFieldOf = (form) =>
  /** @type {HTMLInputElement | null} */ (form?.querySelector("[name=csrfmiddlewaretoken]") ?? null);
