import type { LocalPath } from "../../model/path.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";
import { findDocument } from "./find-document.ts";

/**
 * The newest `limit` events, oldest first. For a document: under all names that it had, with the
 * events of its path before it had an id.
 */
export function readEvents(
  state: State,
  wanted: { readonly limit: number; readonly run: number | null; readonly path: LocalPath | null },
): MirrorEvent[] {
  const { limit, run, path } = wanted;
  const common = { limit, ...(run === null ? {} : { run }) };
  if (path === null) return state.events(common).toReversed();
  const document = findDocument(state, state.load(), path);
  const found = [
    ...state.events({ ...common, path }),
    ...(document === null ? [] : state.events({ ...common, id: document.id })),
  ];
  const once = new Map(found.map((event) => [JSON.stringify(event), event]));
  return [...once.values()].toSorted((a, b) => a.at - b.at).slice(-limit);
}

/** LIMIT: runs that are looked through; of older ones only those with events are known. */
const RUNS = 10_000;

export function hasRun(state: Pick<State, "runs">, run: number): boolean {
  return state.runs(RUNS).some((one) => one.run === run);
}
