import type { LocalPath } from "../../../contract/path.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { findDocument } from "./find-document.ts";

/** Returns the newest events, oldest first. For a document, these are the events at all paths. */
export function readEvents(
  state: State,
  wanted: { readonly limit: number; readonly run: number | null; readonly path: LocalPath | null },
): MirrorEvent[] {
  const { limit, run, path } = wanted;
  const commonQuery = { limit, ...(run === null ? {} : { run }) };
  if (path === null) return state.events(commonQuery).toReversed();
  const document = findDocument(state, state.load(), path);
  const foundEvents = [
    ...state.events({ ...commonQuery, path }),
    ...(document === null ? [] : state.events({ ...commonQuery, id: document.id })),
  ];
  const uniqueEvents = new Map(foundEvents.map((event) => [JSON.stringify(event), event]));
  return [...uniqueEvents.values()].toSorted((a, b) => a.at - b.at).slice(-limit);
}

/** LIMIT: number of runs that are read, newest first, so that a long history stays fast. */
export const MAX_RUNS = 10_000;

type StoredRuns = ReturnType<State["runs"]>;

/**
 * Returns runs, newest first.
 * @param run number of the only run to return; null for all runs
 * @returns trouble of kind `usage` if that run does not exist
 */
export function findRuns(state: Pick<State, "runs">, run: number | null): Result<StoredRuns> {
  const runs = state.runs(MAX_RUNS);
  const wantedRuns = run === null ? runs : runs.filter((one) => one.run === run);
  if (wantedRuns.length > 0) return ok(wantedRuns);
  return trouble(
    "usage",
    run === null ? "there are no runs yet" : `there is no run ${run}`,
    "mdmirror log names the runs",
  );
}
