/**
 * Shows changes without a reload. The script reads the page again, and only differing parts change:
 * focus, selection, opened details and typed text stay.
 */

import { Idiomorph } from "idiomorph";
import { addToast } from "./toasts.ts";

/** LIMIT: part of the time in which a page is read; a slow page is read less often. */
const MAX_SHARE = 1 / 20;
/** LIMIT: milliseconds of a pause. Results are shown for 10 s, and no page may miss them. */
const LONGEST_MS = 5_000;
/** Header of such a read, which does not count as use of the service's session. */
const REFRESH = { "x-refresh": "1" };

/** Reads a visible page again and again; `data-refresh` is the pause in milliseconds. */
export async function keepUpToDate(): Promise<void> {
  const main = document.querySelector<HTMLElement>("main[data-refresh]");
  if (main === null) return;
  for (let tookMs = 0; ; ) {
    await pause(Math.max(Number(main.dataset["refresh"]), Math.min(tookMs / MAX_SHARE, LONGEST_MS)));
    const began = performance.now();
    if (!document.hidden && !isTypedIn(main)) await refresh(main);
    tookMs = performance.now() - began;
  }
}

/** Resolves after some time, or when the page is shown or hidden. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    document.addEventListener("visibilitychange", () => resolve(), { once: true });
  });
}

async function refresh(main: HTMLElement): Promise<void> {
  const answer = await fetch(location.href, { headers: REFRESH }).catch(() => null);
  const cutOff = document.getElementById("cut-off");
  if (cutOff !== null) cutOff.hidden = answer !== null;
  if (answer === null) return;
  // The session has ended: the page for signing in is shown.
  if (answer.redirected) location.reload();
  else show(main, new DOMParser().parseFromString(await answer.text(), "text/html"));
}

/**
 * Fields that count as filled in. Radio buttons do not: the form with a conflict's choices is kept
 * as it is, so its page can stay live.
 */
const TYPED = "input:not([type=radio])";

/** Returns true if the user filled in a field, a box or a list, and did not send it yet. */
export function isTypedIn(main: HTMLElement): boolean {
  const fields = [...main.querySelectorAll<HTMLInputElement>(TYPED)];
  const options = [...main.querySelectorAll("option")];
  return (
    fields.some((field) =>
      field.type === "checkbox" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue,
    ) || options.some(({ selected, defaultSelected }) => defaultSelected && !selected)
  );
}

function show(main: HTMLElement, page: Document): void {
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

/** Keeps `details` opened or closed, as the user left them. */
function beforeAttributeUpdated(name: string, element: Element): boolean {
  return !(name === "open" && element instanceof HTMLDetailsElement);
}

/**
 * Leaves a form with a text field unchanged while it is about the same versions, and permanently
 * once the user typed into it.
 */
function beforeNodeMorphed(node: Node, next: Node): boolean {
  if (!(node instanceof HTMLFormElement && next instanceof HTMLFormElement)) return true;
  if (node.querySelector("textarea") === null) return true;
  return !isWrittenIn(node) && aboutOf(node) !== aboutOf(next);
}

function beforeNodeRemoved(node: Node): boolean {
  if (!(node instanceof Element)) return true;
  return ![node, ...node.querySelectorAll("form")].some((one) => one instanceof HTMLFormElement && isWrittenIn(one));
}

function isWrittenIn(form: HTMLFormElement): boolean {
  return [...form.querySelectorAll("textarea")].some(({ value, defaultValue }) => value !== defaultValue);
}

function aboutOf(form: HTMLFormElement): string {
  return [...form.querySelectorAll<HTMLInputElement>("input[type=hidden]")].map(({ value }) => value).join("\n");
}
