/**
 * Script that shows results while the user types. Used on the search page, and on the page that
 * tests ignore rules. Without this script, the user clicks the button of the form.
 */

import { Idiomorph } from "idiomorph";

/** Milliseconds after the last key until a search starts. */
const PAUSE_MS = 120;
/** Milliseconds without an answer until the page shows that it is waiting. */
const SLOW_MS = 300;
/** Milliseconds until the page requests results again if the results were not ready. */
const RETRY_SEARCH_MS = 500;

const form = document.querySelector<HTMLFormElement>("form#search");
let currentRequest = new AbortController();
let timer = 0;

form?.addEventListener("input", () => searchAfter(PAUSE_MS));
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  searchAfter(0);
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const nextElement = findNextFocus(event.key);
  if (nextElement === null) return;
  event.preventDefault();
  nextElement.focus();
});

searchIfPending();

function searchIfPending(): void {
  if (!isPending()) return;
  setShown("slow", true);
  searchAfter(RETRY_SEARCH_MS);
}

function isPending(): boolean {
  return document.querySelector("#found [data-pending]") !== null;
}

function searchAfter(ms: number): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => void search(form!), ms);
}

/** Shows the results of a search, unless another search was started before the results arrived. */
async function search(filled: HTMLFormElement): Promise<void> {
  const fields = [...new FormData(filled)].map(([name, value]) => [name, String(value)]);
  const address = `${filled.action}?${new URLSearchParams(fields)}`;
  currentRequest.abort();
  currentRequest = new AbortController();
  const { signal } = currentRequest;
  const slowTimer = setTimeout(() => setShown("slow", true), SLOW_MS);
  try {
    const answer = await fetch(address, { signal });
    const pageText = await answer.text();
    if (!answer.ok) throw new Error(String(answer.status));
    showResults(pageText);
    setShown("failed", false);
    history.replaceState(history.state, "", address);
    searchIfPending();
  } catch {
    if (!signal.aborted) setShown("failed", true);
  } finally {
    clearTimeout(slowTimer);
    if (!signal.aborted) setShown("slow", isPending());
  }
}

function showResults(text: string): void {
  const parsedPage = new DOMParser().parseFromString(text, "text/html");
  const [found, shownResults] = [parsedPage.getElementById("found"), document.getElementById("found")];
  if (found === null || shownResults === null) return;
  document.title = parsedPage.title;
  Idiomorph.morph(shownResults, found.innerHTML, { morphStyle: "innerHTML" });
  const announcement = document.getElementById("announcement-found");
  if (announcement !== null) announcement.textContent = found.querySelector("#count")?.textContent ?? "";
}

function setShown(id: string, isShown: boolean): void {
  const element = document.getElementById(id);
  if (element !== null) element.hidden = !isShown;
}

/**
 * Returns the search field or the result that gets the focus; null if the key does nothing at the
 * current focus. Escape always leads to the search field.
 */
function findNextFocus(key: string): HTMLElement | null {
  const field = document.querySelector<HTMLInputElement>("#search #q");
  const focusedElement = document.activeElement as HTMLElement | null;
  const links = [...document.querySelectorAll<HTMLElement>("#found a")];
  const focusedIndex = focusedElement === null ? -1 : links.indexOf(focusedElement);
  // Keys in other controls, such as check boxes, keep their usual effect.
  if (field === null || (focusedIndex === -1 && focusedElement !== field)) return null;
  if (key === "ArrowDown") return links[focusedIndex + 1] ?? null;
  if (key === "ArrowUp") return focusedIndex === -1 ? null : (links[focusedIndex - 1] ?? field);
  return key === "Escape" && focusedIndex !== -1 ? field : null;
}
