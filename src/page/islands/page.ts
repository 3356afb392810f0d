/** Script of every page. Without it, the user has to reload a page. */

import { ageText } from "../../common/age.ts";
import { listenToKeys } from "./page/keys.ts";
import { isTypedIn, keepUpToDate } from "./page/live.ts";
import { removeToasts } from "./page/toasts.ts";

/** Updates ages (`12 s`) by the browser's clock, without requests. A hidden page updates none. */
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
    const text = ageText(now - Date.parse(time.dateTime));
    // Setting the text, even an equal one, would end the user's selection in it.
    if (time.textContent !== text) time.textContent = text;
  }
}

/** Marks a form while its fields differ from the page: its bar with *Save* is shown only then. */
function markChanges(): void {
  document.addEventListener("input", ({ target }) => {
    const form = (target as HTMLElement).closest("form");
    form?.toggleAttribute("data-changed", isTypedIn(form));
  });
}

/** Shows the buttons that copy an element's text (`data-copy="ID"`), where the browser can copy. */
function offerCopies(): void {
  // Browsers have a clipboard on loopback and with TLS only.
  if (!("clipboard" in navigator)) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => void copy(button));
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  await navigator.clipboard.writeText(document.getElementById(button.dataset["copy"]!)?.textContent ?? "");
  button.textContent = "Copied";
}

/** Closes an open menu when the user clicks elsewhere, or presses Escape. */
function closeMenus(): void {
  const menus = () => document.querySelectorAll<HTMLDetailsElement>("details.menu[open]");
  document.addEventListener("click", ({ target }) => {
    for (const menu of menus()) if (!menu.contains(target as Node)) menu.open = false;
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    for (const menu of menus()) {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  });
}

/** Lets one check box (`data-all="NAME"`) check or clear all boxes of that name in its form. */
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
offerCopies();
void keepUpToDate();
removeToasts();
addSelectAll();
closeMenus();
listenToKeys();
