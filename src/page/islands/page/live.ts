import { Idiomorph } from "idiomorph";
import { addToast } from "./toasts.ts";

/**
 * Shows changes without a reload. The server sends the page's whole content again, and only
 * differing parts change: focus, selection, opened details and typed text stay.
 */

type PageUpdate = {
  readonly title: string;
  readonly main: string;
  readonly sections: string;
  readonly announcement: string;
  /** Results of jobs, as HTML. */
  readonly results: readonly string[];
};

/** Milliseconds between two reads of a page that refreshes itself. */
const REFRESH_MS = 10_000;
/** Header of such a read, which does not count as use of the session. */
const REFRESH = { "x-refresh": "1" };

/** Reads the page itself again and again (`data-refresh`), while it is visible. */
export function keepRefreshed(): void {
  const main = document.querySelector<HTMLElement>("main[data-refresh]");
  if (main === null) return;
  const read = () => {
    if (!document.hidden && !isTypedIn(main)) void refresh(main);
  };
  setInterval(read, REFRESH_MS);
  document.addEventListener("visibilitychange", read);
}

async function refresh(main: HTMLElement): Promise<void> {
  const answer = await fetch(location.href, { headers: REFRESH }).catch(() => null);
  showCutOff(answer === null);
  // The session has ended: the page for signing in is shown.
  if (answer?.redirected === true) location.reload();
  if (answer?.ok !== true || isTypedIn(main)) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const htmlOf = (id: string) => page.getElementById(id)?.innerHTML ?? "";
  const update = { title: page.title, main: htmlOf("main"), sections: htmlOf("sections") };
  show(main, { ...update, announcement: "", results: [] });
}

function isTypedIn(main: HTMLElement): boolean {
  return [...main.querySelectorAll("input")].some(({ value, defaultValue }) => value !== defaultValue);
}

/**
 * A hidden page is not connected: a browser opens six connections to a server for all its pages.
 */
export function keepUpToDate(): void {
  const main = document.querySelector<HTMLElement>("main[data-events]");
  const address = main?.dataset["events"];
  if (main === null || address === undefined) return;
  let source: EventSource | null = null;
  const listen = () => {
    source?.close();
    source = document.hidden ? null : openEvents(address, main);
  };
  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => source?.close());
  // The page comes back from the browser's back/forward cache.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) listen();
  });
  listen();
}

function openEvents(address: string, main: HTMLElement): EventSource {
  const source = new EventSource(address);
  source.addEventListener("open", () => showCutOff(false));
  source.addEventListener("error", () => showCutOff(true));
  source.addEventListener("news", ({ data }: MessageEvent<string>) => show(main, JSON.parse(data) as PageUpdate));
  return source;
}

function showCutOff(isCutOff: boolean): void {
  const note = document.getElementById("cut-off");
  if (note !== null) note.hidden = !isCutOff;
}

function show(main: HTMLElement, { title, main: content, sections, announcement, results }: PageUpdate): void {
  document.title = title;
  Idiomorph.morph(main, content, {
    morphStyle: "innerHTML",
    ignoreActiveValue: true,
    callbacks: { beforeAttributeUpdated, beforeNodeMorphed, beforeNodeRemoved },
  });
  const tabs = document.getElementById("sections");
  if (tabs !== null && sections !== "") Idiomorph.morph(tabs, sections, { morphStyle: "innerHTML" });
  const status = document.getElementById("announcement");
  if (status !== null && status.textContent !== announcement) status.textContent = announcement;
  for (const result of results) addToast(result);
}

/** Keeps `details` opened or closed, as the user left them. */
function beforeAttributeUpdated(name: string, element: Element): boolean {
  return !(name === "open" && element instanceof HTMLDetailsElement);
}

/**
 * Leaves a form with a text field unchanged while its versions are the same, and permanently once
 * the user typed into it.
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
