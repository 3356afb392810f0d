/**
 * Script of the search page, and of the page that tests ignore rules: shows results while the user
 * types. Without this script, the user clicks the button of the form.
 */

import { Idiomorph } from "idiomorph";

/** Milliseconds after the last key until a search starts. */
const PAUSE_MS = 120;
/** Milliseconds without an answer until the page shows that it waits. */
const SLOW_MS = 300;
/** Milliseconds until the page asks again for results that were not ready. */
const AGAIN_MS = 500;

const form = document.querySelector<HTMLFormElement>("form#search");
let current = new AbortController();
let timer = 0;

form?.addEventListener("input", () => searchAfter(PAUSE_MS));
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  searchAfter(0);
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const next = nextFocus(event.key);
  if (next === null) return;
  event.preventDefault();
  next.focus();
});

searchIfPending();

/** Searches again if the last answer said that the results were not ready. */
function searchIfPending(): void {
  if (!isPending()) return;
  showIf("slow", true);
  searchAfter(AGAIN_MS);
}

function isPending(): boolean {
  return document.querySelector("#found [data-pending]") !== null;
}

function searchAfter(ms: number): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => void search(form!), ms);
}

/** Searches and shows the results, unless a newer search has started meanwhile. */
async function search(filled: HTMLFormElement): Promise<void> {
  const fields = [...new FormData(filled)].map(([name, value]) => [name, String(value)]);
  const address = `${filled.action}?${new URLSearchParams(fields)}`;
  current.abort();
  current = new AbortController();
  const { signal } = current;
  const slow = setTimeout(() => showIf("slow", true), SLOW_MS);
  try {
    const answer = await fetch(address, { signal });
    const text = await answer.text();
    if (!answer.ok) throw new Error(String(answer.status));
    show(text);
    showIf("failed", false);
    history.replaceState(history.state, "", address);
    searchIfPending();
  } catch {
    if (!signal.aborted) showIf("failed", true);
  } finally {
    clearTimeout(slow);
    if (!signal.aborted) showIf("slow", isPending());
  }
}

/** @param text HTML of the page that has the results */
function show(text: string): void {
  const page = new DOMParser().parseFromString(text, "text/html");
  const [found, before] = [page.getElementById("found"), document.getElementById("found")];
  if (found === null || before === null) return;
  document.title = page.title;
  Idiomorph.morph(before, found.innerHTML, { morphStyle: "innerHTML" });
  const announcement = document.getElementById("announcement-found");
  if (announcement !== null) announcement.textContent = found.querySelector("#count")?.textContent ?? "";
}

function showIf(id: string, isShown: boolean): void {
  const element = document.getElementById(id);
  if (element !== null) element.hidden = !isShown;
}

/**
 * Returns the element to which an arrow key moves the focus: the search field or a result. Escape
 * always leads to the field. Returns null if the key does nothing at the current focus.
 */
function nextFocus(key: string): HTMLElement | null {
  const field = document.querySelector<HTMLInputElement>("#search #q");
  const here = document.activeElement as HTMLElement | null;
  const links = [...document.querySelectorAll<HTMLElement>("#found a")];
  const at = here === null ? -1 : links.indexOf(here);
  // Keys in other controls, such as check boxes, keep their usual effect.
  if (field === null || (at === -1 && here !== field)) return null;
  if (key === "ArrowDown") return links[at + 1] ?? null;
  if (key === "ArrowUp") return at === -1 ? null : (links[at - 1] ?? field);
  return key === "Escape" && at !== -1 ? field : null;
}
