import type { InertLinks } from "../../engine/links/inert.ts";
import { plural } from "../../../common/count.ts";
import { quoteForShell } from "../../model/shell-word.ts";
import { shownName } from "../../../common/shown-name.ts";
import type { RunReport } from "../../folder/run.ts";
import { toAttentionJson, makeAttentionEntry } from "./attention.ts";
import type { SyncReport } from "./shapes.ts";

export function toReportJson(report: RunReport): SyncReport {
  const { state, run, counts: all } = report;
  // In `--json`, `merged` also counts documents that a reviewer (`accepted`) or the user's conflict
  // policy (`byPolicy`) decided.
  const { accepted, byPolicy, ...rest } = all;
  const counts = { ...rest, merged: rest.merged + accepted + byPolicy };
  const renamedEntries = (report.renamed ?? []).map(({ from, to }) => {
    return makeAttentionEntry(to, "renamed", describeRename(from, to), "nothing, or rename one of the two");
  });
  const movedOutOfWay = (report.movedOutOfWay ?? []).map(({ path, keptAs }) => {
    return makeAttentionEntry(path, "made-way", describeCopyRename(keptAs), `mdmirror history ${quoteForShell(path)}`);
  });
  const oneWay = report.oneWay?.map(({ path, detail }) => ({ path, detail }));
  return {
    ...{ state, run, counts, attention: [...toAttentionJson(report), ...renamedEntries, ...movedOutOfWay] },
    ...(oneWay === undefined ? {} : { oneWay }),
    ...(report.inert === undefined ? {} : { inertLinks: report.inert }),
  };
}

const INERT_WORDS: Readonly<Record<InertLinks["reason"], string>> = {
  "no-target": "without a target",
  "no-document": "to something that is not a document",
  "not-mirrored": "to a file that is not synced",
  "not-created": "to a document that is not on the service yet (mdmirror status)",
  outside: "to a path outside of the folder",
  pending: "to an existing document, in a document that is pending (mdmirror status)",
};

/** Returns why links were uploaded as `ref://…`: one line for each reason, with its first links. */
export function describeInertLinks({ inert = [] }: Pick<RunReport, "inert">): string[] {
  return inert.map(({ reason, count: all, first }) => {
    const names = first.map(({ path, to }) => `${shownName(path)} → ${shownName(to)}`).join(", ");
    return `${plural(all, "link")} uploaded as inactive links (ref://…): ${INERT_WORDS[reason]} (${names}${all > first.length ? ", …" : ""})`;
  });
}

export function describeCopyRename(keptAs: string): string {
  return `your file was renamed to ${keptAs}, because the other version of a conflict needs its name`;
}

export function describeRename(from: string, to: string): string {
  return `another document has the name ${shownName(from)} on the service, so yours is ${shownName(to)} now, on both sides`;
}
