import { Idiomorph } from "idiomorph";

/** Milliseconds without typing after which a search starts. */
const REST_MS = 120;
/** Milliseconds without an answer after which the page says that it waits. */
const SLOW_MS = 300;

/** Sends searches. The answer to an older search is dropped. */
export class Questions {
  readonly #form: HTMLFormElement;
  #asked: string;
  #rest = 0;
  #under = new AbortController();

  constructor(form: HTMLFormElement) {
    this.#form = form;
    this.#asked = this.#address();
  }

  askSoon(): void {
    clearTimeout(this.#rest);
    this.#rest = window.setTimeout(() => void this.#ask(), REST_MS);
  }

  /** Searches even for unchanged words, because a file may have changed since. */
  askNow(): void {
    this.#asked = "";
    clearTimeout(this.#rest);
    void this.#ask();
  }

  async #ask(): Promise<void> {
    const address = this.#address();
    if (address === this.#asked) return;
    this.#asked = address;
    this.#under.abort();
    const under = new AbortController();
    this.#under = under;
    const slow = setTimeout(() => showIf("slow", true), SLOW_MS);
    try {
      const answer = await fetch(address, { signal: under.signal });
      const text = await answer.text();
      if (under.signal.aborted) return;
      if (!answer.ok) throw new Error(String(answer.status));
      show(text);
      showIf("failed", false);
      history.replaceState(history.state, "", address);
    } catch {
      // A newer search has replaced this one.
      if (under.signal.aborted) return;
      this.#asked = "";
      showIf("failed", true);
    } finally {
      clearTimeout(slow);
      if (this.#under === under) showIf("slow", false);
    }
  }

  #address(): string {
    const given = new URLSearchParams();
    for (const [name, value] of new FormData(this.#form)) given.set(name, String(value));
    return `${this.#form.action}?${given}`;
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
