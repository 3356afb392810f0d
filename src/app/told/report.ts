import type { InertLinks } from "../../engine/links/inert.ts";
import { plural } from "../../model/count.ts";
import { shellWord } from "../../model/shell-word.ts";
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
  const madeWay = (report.madeWay ?? []).map(({ path, keptAs }) => {
    return {
      path,
      kind: "made-way",
      code: null,
      detail: madeWayDetail(keptAs),
      next: `mdmirror history ${shellWord(path)}`,
    };
  });
  const told = { state, run, counts, attention: [...attentionJson(report), ...renamed, ...madeWay] };
  return report.inert === undefined ? told : { ...told, inertLinks: report.inert };
}

const INERT: Readonly<Record<InertLinks["reason"], string>> = {
  "not-there": "to what is not there",
  "no-document": "to what is no document",
  "not-mirrored": "to what is not mirrored",
  "not-created": "to what the service does not have (mdmirror status)",
  outside: "out of the folder",
  waits: "to what is there by now, in a document that waits (mdmirror status)",
};

/** Why links went up as `ref://…`, with the first of them. */
export function inertDetails({ inert = [] }: Pick<RunReport, "inert">): string[] {
  return inert.map(({ reason, count: all, first }) => {
    const names = first.map(({ path, to }) => `${shownName(path)} → ${shownName(to)}`).join(", ");
    return `sent as ref://…: ${plural(all, "link")} ${INERT[reason]} (${names}${all > first.length ? ", …" : ""})`;
  });
}

/** Of a file of the user's own, which stood where a conflict's other version is shown now. */
export function madeWayDetail(keptAs: string): string {
  return `your file made way for the other version of a conflict; it is kept as ${keptAs}`;
}

export function renamedDetail(from: string, to: string): string {
  return `another has the name ${shownName(from)} on the service, so yours is ${shownName(to)} now, here and there`;
}
