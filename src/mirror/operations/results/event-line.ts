import type { MirrorEvent } from "../../ports/state.ts";
import { shownName, shownWords } from "../../../common/shown-name.ts";
import { publicKind } from "./actions.ts";
import { originClause } from "./origin.ts";
import { localTime } from "./when.ts";

/** Returns a line such as `2026-11-21 09:05:03  run 3  put  notes/plan.md  edited locally (…)`. */
export function eventLine({ at, run, kind, path, detail, outcome, code, requestId }: MirrorEvent): string {
  const outcomeText = outcome === "done" ? "" : ` [${outcome}]`;
  return `${localTime(at)}  run ${run}  ${publicKind(kind)}  ${path === "" ? "." : shownName(path)}  ${shownWords(detail)}${outcomeText}${originClause(code, requestId)}`;
}
