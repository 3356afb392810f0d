import type { LocalPath } from "../../../contract/path.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { findDocument } from "./find-document.ts";

/**
 * Returns the newest `limit` events, oldest first. If the caller names a document, returns its
 * events under all its paths, including those from before it had an id.
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

/** LIMIT: newest runs that are read, so that a long history stays fast. */
export const RUNS = 10_000;

type Runs = ReturnType<State["runs"]>;

/**
 * Returns runs, newest first.
 * @param run number of the only run to return; null for all runs
 * @returns trouble of kind `usage` if that run does not exist
 */
export function findRuns(state: Pick<State, "runs">, run: number | null): Result<Runs> {
  const runs = state.runs(RUNS);
  const wanted = run === null ? runs : runs.filter((one) => one.run === run);
  if (wanted.length > 0) return ok(wanted);
  return trouble(
    "usage",
    run === null ? "there are no runs yet" : `there is no run ${run}`,
    "mdmirror log names the runs",
  );
}
