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
  const status = document.getElementById("said");
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
