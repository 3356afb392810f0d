/** Script of every page. Without this script, the user has to reload a page to see changes. */

import { formatAge } from "../../common/quantities.ts";
import { listenToKeys } from "./page/keys.ts";
import { isTypedIn, keepUpToDate } from "./page/live.ts";
import { removeToasts } from "./page/toasts.ts";

/** Updates the shown ages (`12 s`) by the clock of the browser. A hidden page is not updated. */
function updateAges(): void {
  const update = () => {
    if (!document.hidden) showAges();
  };
  setInterval(update, 1_000);
  document.addEventListener("visibilitychange", update);
}

function showAges(): void {
  const now = Date.now();
  for (const time of document.querySelectorAll<HTMLTimeElement>("time.age")) {
    const shownAge = formatAge(now - Date.parse(time.dateTime));
    // The text is set only if it differs, because setting it removes the user's selection.
    if (time.textContent !== shownAge) time.textContent = shownAge;
  }
}

/** Marks a form while a field differs from its initial value. *Save* is then visible. */
function markChanges(): void {
  document.addEventListener("input", ({ target }) => {
    const form = (target as HTMLElement).closest("form");
    form?.toggleAttribute("data-changed", isTypedIn(form));
  });
}

/** Shows the buttons that copy the text of an element (`data-copy="ID"`). */
function showCopyButtons(): void {
  // Browsers give access to the clipboard only on loopback and over TLS.
  if (!("clipboard" in navigator)) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => void copyText(button));
  }
}

async function copyText(button: HTMLButtonElement): Promise<void> {
  await navigator.clipboard.writeText(document.getElementById(button.dataset["copy"]!)?.textContent ?? "");
  button.textContent = "Copied";
}

function closeMenus(): void {
  const findOpenMenus = () => document.querySelectorAll<HTMLDetailsElement>("details.menu[open]");
  document.addEventListener("click", ({ target }) => {
    for (const menu of findOpenMenus()) if (!menu.contains(target as Node)) menu.open = false;
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    for (const menu of findOpenMenus()) {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  });
}

/** Makes a check box (`data-all="NAME"`) check or clear all boxes of that name in its form. */
function addSelectAll(): void {
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const name = target.dataset["all"];
    const boxes = name === undefined ? null : target.form?.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`);
    for (const box of boxes ?? []) box.checked = target.checked;
  });
}

updateAges();
markChanges();
showCopyButtons();
void keepUpToDate();
removeToasts();
addSelectAll();
closeMenus();
listenToKeys();
