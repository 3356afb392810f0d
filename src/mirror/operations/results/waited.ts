import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { count } from "../../../common/count.ts";
import type { WaitResult } from "../../daemon/control/waited.ts";
import type { PathOnService } from "../../engine/run/barrier.ts";
import type { WAIT } from "../declared/wait.ts";
import type { Answer } from "../define.ts";
import { STAYS } from "../doctor/why-plan.ts";
import { nextFor } from "./next-step.ts";

export type WaitReport = Answer<typeof WAIT>;

/**
 * Returns the object of `wait --json`. Returns trouble if a path is never uploaded: naming such a
 * path is a mistake of the caller.
 */
export function reportOfWait(answer: WaitResult): Result<WaitReport> {
  if (answer.kind === "outside") return notSynced(answer.outside);
  const { paths, more, documents, live, state, still } = answer;
  return ok({ state, detail: still.detail, documents, live, more, paths: paths.map(pathJson) });
}

function pathJson({ path, state, id, changeId, reviews, open }: PathOnService): WaitReport["paths"][number] {
  const { kind, code, detail, requestId } = open ?? NO_REASON;
  const next = open === null ? "" : nextFor(open);
  return { path, state, id, changeId, reviews, kind, code, detail, requestId, next };
}

const NO_REASON = { kind: null, code: null, detail: "", requestId: null } as const;

function notSynced(outside: Extract<WaitResult, { kind: "outside" }>["outside"]): Result<never> {
  const { path, why } = outside[0]!;
  const more = outside.length > 1 ? ` (and ${count(outside.length - 1)} more of the paths)` : "";
  const unknown = why === "unknown";
  const words = unknown
    ? "this path does not exist and was never synced"
    : why === "mirror-folder"
      ? "the folder of mdmirror itself"
      : STAYS[why];
  const next = unknown ? "check the path: it is relative to the current folder" : "mdmirror why PATH";
  return trouble("usage", `${path} is not synced: ${words}${more}`, next, { code: "not-a-document" });
}
