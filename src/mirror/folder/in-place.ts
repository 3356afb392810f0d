import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { RunReport } from "../engine/run/report.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";

/**
 * Which files keep what a run notes, by their inodes. The open ones go on working where somebody
 * moves or removes them, and the next run would know nothing of what this one did.
 */
export function placeOfNotes(root: string): string {
  return ["", "state.db"]
    .map((name) => lstatSync(join(root, MIRROR_FOLDER, name), { throwIfNoEntry: false }))
    .map((stat) => (stat === undefined ? "none" : `${stat.dev}:${stat.ino}`))
    .join(" ");
}

/** A report that claims no more than what the next run will find noted. */
export function withoutNotes(report: RunReport): RunReport {
  const detail = "it was moved or removed during the run, and what that noted is in it: put it back if you can";
  return {
    ...report,
    state: report.state === "in-sync" ? "attention" : report.state,
    attention: [
      ...report.attention,
      { path: MIRROR_FOLDER, code: null, requestId: null, kind: "unproven", detail, waits: false },
    ],
  };
}
