import type { PathLive } from "../../engine/run/barrier.ts";
import type { Waited } from "../../daemon/control/waited.ts";
import { nextFor } from "./next-step.ts";
import type { WaitedPath, WaitReport } from "./shapes.ts";

/** Returns the object of `wait --json`. */
export function waitedJson({ paths, more, documents, live, state, still }: Waited): WaitReport {
  return { state, detail: still.detail, documents, live, more, paths: paths.map(pathJson) };
}

function pathJson({ path, state, id, changeId, reviews, open }: PathLive): WaitedPath {
  const why =
    open === null ? NO_REASON : { kind: open.kind, code: open.code, detail: open.detail, next: nextFor(open) };
  return { path, state, id, changeId, reviews, ...why };
}

const NO_REASON = { kind: null, code: null, detail: "", next: "" } as const;
