import { shownName } from "../../model/shown-name.ts";
import type { RunReport } from "../mirror/run.ts";
import { attentionJson } from "./attention.ts";
import type { SyncReport } from "./shapes.ts";

/** The object of `sync --json`. */
export function reportJson(report: RunReport): SyncReport {
  const { state, run, counts: all } = report;
  // Programs rely on these members: for them, all texts made from two edits are one number.
  const { accepted, byPolicy, ...rest } = all;
  const counts = { ...rest, merged: rest.merged + accepted + byPolicy };
  const renamed = (report.renamed ?? []).map(({ from, to }) => {
    return {
      path: to,
      kind: "renamed",
      code: null,
      detail: renamedDetail(from, to),
      next: "nothing, or rename either",
    };
  });
  return { state, run, counts, attention: [...attentionJson(report), ...renamed] };
}

export function renamedDetail(from: string, to: string): string {
  return `another has the name ${shownName(from)} on the service, so yours is ${shownName(to)} now, here and there`;
}
