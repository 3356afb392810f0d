/**
 * Updates an open page without a reload. Reads the page again and changes only parts that differ.
 * The focus, the selection, expanded elements and typed text stay.
 */

import { Idiomorph } from "idiomorph";
import { addToast } from "./toasts.ts";

/**
 * LIMIT: share of the time that may be spent on reading the page, so that a slow page is read less
 * often.
 */
const MAX_READING_SHARE = 1 / 20;
/**
 * LIMIT: milliseconds between two reads of the page. The server shows the result of a job for only
 * 10 s, and the page must not miss the result.
 */
const MAX_PAUSE_MS = 5_000;
/** Header of an automatic read, which does not prolong a session on the service. */
const REFRESH_HEADERS = { "x-refresh": "1" };

/**
 * Reads the page at intervals while the page is visible. `data-refresh`: shortest interval in
 * milliseconds.
 */
export async function keepUpToDate(): Promise<void> {
  const main = document.querySelector<HTMLElement>("main[data-refresh]");
  if (main === null) return;
  for (let readingMs = 0; ; ) {
    await pause(Math.max(Number(main.dataset["refresh"]), Math.min(readingMs / MAX_READING_SHARE, MAX_PAUSE_MS)));
    const startedAt = performance.now();
    if (!document.hidden && !isTypedIn(main)) await refresh(main);
    readingMs = performance.now() - startedAt;
  }
}

/** Resolves after some milliseconds, or earlier if the page becomes visible or hidden. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    document.addEventListener("visibilitychange", () => resolve(), { once: true });
  });
}

async function refresh(main: HTMLElement): Promise<void> {
  const answer = await fetch(location.href, { headers: REFRESH_HEADERS }).catch(() => null);
  const cutOffElement = document.getElementById("cut-off");
  if (cutOffElement !== null) cutOffElement.hidden = answer !== null;
  if (answer === null) return;
  // The session has ended, so the server redirected the request to the sign-in page.
  if (answer.redirected) location.reload();
  else updatePage(main, new DOMParser().parseFromString(await answer.text(), "text/html"));
}

/**
 * Fields whose change by the user stops the updates of a page. Radio buttons do not stop the
 * updates, because an update never replaces the choices in the form of a conflict.
 */
const TYPED_FIELDS = "input:not([type=radio])";

/** Returns true if the user changed a field, check box or list, and has not sent the form. */
export function isTypedIn(main: HTMLElement): boolean {
  const fields = [...main.querySelectorAll<HTMLInputElement>(TYPED_FIELDS)];
  const options = [...main.querySelectorAll("option")];
  return (
    fields.some((field) =>
      field.type === "checkbox" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue,
    ) || options.some(({ selected, defaultSelected }) => defaultSelected && !selected)
  );
}

function updatePage(main: HTMLElement, page: Document): void {
  if (isTypedIn(main)) return;
  document.title = page.title;
  Idiomorph.morph(main, page.getElementById("main")?.innerHTML ?? "", {
    morphStyle: "innerHTML",
    ignoreActiveValue: true,
    callbacks: { beforeAttributeUpdated, beforeNodeMorphed, beforeNodeRemoved },
  });
  const [tabs, newTabs] = [document.getElementById("sections"), page.getElementById("sections")];
  if (tabs !== null && newTabs !== null) Idiomorph.morph(tabs, newTabs.innerHTML, { morphStyle: "innerHTML" });
  const status = document.getElementById("announcement");
  const announcement = page.getElementById("announcement")?.textContent ?? "";
  if (status !== null && status.textContent !== announcement) status.textContent = announcement;
  for (const toast of page.querySelectorAll<HTMLElement>("#toasts > [role=status]")) addToast(toast);
}

/**
 * Returns true if an update may change the attribute. The attribute `open` of `details` stays,
 * because the update would close an element that the user expanded.
 */
function beforeAttributeUpdated(name: string, element: Element): boolean {
  return !(name === "open" && element instanceof HTMLDetailsElement);
}

/**
 * Returns false if an update must not change a form with a text field. The reason is that the user
 * has typed into the form, or that the new page shows the form for the same versions.
 */
function beforeNodeMorphed(node: Node, next: Node): boolean {
  if (!(node instanceof HTMLFormElement && next instanceof HTMLFormElement)) return true;
  if (node.querySelector("textarea") === null) return true;
  return !isWrittenIn(node) && readSubject(node) !== readSubject(next);
}

function beforeNodeRemoved(node: Node): boolean {
  if (!(node instanceof Element)) return true;
  return ![node, ...node.querySelectorAll("form")].some((one) => one instanceof HTMLFormElement && isWrittenIn(one));
}

function isWrittenIn(form: HTMLFormElement): boolean {
  return [...form.querySelectorAll("textarea")].some(({ value, defaultValue }) => value !== defaultValue);
}

function readSubject(form: HTMLFormElement): string {
  return [...form.querySelectorAll<HTMLInputElement>("input[type=hidden]")].map(({ value }) => value).join("\n");
}
