/** Searches while the user types. Without this script, the form's button searches. */

import { Idiomorph } from "idiomorph";

/** Milliseconds without typing after which a search starts. */
const PAUSE_MS = 120;
/** Milliseconds without an answer after which the page says that it waits. */
const SLOW_MS = 300;
/** Milliseconds after which the page asks again for results that were not ready. */
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

/** Searches again if the results were not ready. */
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

/** Shows what a search finds, unless a newer search replaces it. */
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

/** @param text HTML of the page with the results */
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

/** Returns where an arrow key leads among the field and the results; Escape leads to the field. */
function nextFocus(key: string): HTMLElement | null {
  const field = document.querySelector<HTMLInputElement>("#search #q");
  const here = document.activeElement as HTMLElement | null;
  const links = [...document.querySelectorAll<HTMLElement>("#found a")];
  const at = here === null ? -1 : links.indexOf(here);
  // Other controls handle their own keys.
  if (field === null || (at === -1 && here !== field)) return null;
  if (key === "ArrowDown") return links[at + 1] ?? null;
  if (key === "ArrowUp") return at === -1 ? null : (links[at - 1] ?? field);
  return key === "Escape" && at !== -1 ? field : null;
}
