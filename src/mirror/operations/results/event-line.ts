import type { MirrorEvent } from "../../ports/state.ts";
import { shownName, shownWords } from "../../../common/shown-name.ts";
import { toPublicKind } from "./actions.ts";
import { formatOrigin } from "./origin.ts";
import { formatLocalTime } from "./when.ts";

/** Returns a line such as `2026-11-21 09:05:03  run 3  put  notes/plan.md  edited locally (…)`. */
export function formatEvent({ at, run, kind, path, detail, outcome, code, requestId }: MirrorEvent): string {
  const outcomeText = outcome === "done" ? "" : ` [${outcome}]`;
  return `${formatLocalTime(at)}  run ${run}  ${toPublicKind(kind)}  ${path === "" ? "." : shownName(path)}  ${shownWords(detail)}${outcomeText}${formatOrigin(code, requestId)}`;
}
