import type { InertLinks } from "../../engine/links/mirror-links.ts";
import { count, plural } from "../../../common/quantities.ts";
import { quoteForShell } from "../../model/shell-word.ts";
import { shownName } from "../../../common/shown-words.ts";
import type { RunReport } from "../../folder/run.ts";
import { makeAttentionEntry, toAttentionJson } from "./attention.ts";
import type { StatusReport, SyncReport } from "./shapes.ts";
import type { MirrorStatus } from "../../folder/status.ts";
import type { FolderEvent } from "../../daemon/folder-events.ts";
import { toPublicKind } from "./actions.ts";

export function toReportJson(report: RunReport): SyncReport {
  const { state, run, counts: all } = report;
  // In `--json`, `merged` also counts decisions of reviewers (`accepted`) and of the user's
  // conflict policy (`byPolicy`).
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

export function describeCopyRename(newPath: string): string {
  return `your file was renamed to ${newPath}, because the other version of a conflict needs its name`;
}

export function describeRename(from: string, to: string): string {
  return `another document has the name ${shownName(from)} on the service, so yours is ${shownName(to)} now, on both sides`;
}

type StatusJson = StatusReport & Pick<MirrorStatus, "resting" | "reviewedSince" | "lastRun" | "staysLocal">;

/** @param age milliseconds since both sides were last found equal; null without such a time */
export function toStatusJson(status: MirrorStatus, age: number | null): StatusJson {
  const { state, fault, unreachedAddress, ...rest } = status;
  return {
    state,
    ageSeconds: age === null ? null : Math.round(age / 1_000),
    ...rest,
    attention: toAttentionJson(status),
  };
}

export function toEventJson(root: string, event: FolderEvent): object {
  const { kind, at, ...rest } = event;
  const commonFields = { at: new Date(at).toISOString(), root, kind };
  switch (event.kind) {
    case "run":
      return { ...commonFields, ...toReportJson(event.report) };
    case "phase": {
      const { kind: phase, ...more } = event.phase;
      return { ...commonFields, phase, ...more };
    }
    case "change": {
      const { lines, kind: _kind, at: _at, ...more } = event;
      return {
        ...commonFields,
        ...more,
        what: toPublicKind(event.what),
        added: lines?.added ?? null,
        removed: lines?.removed ?? null,
      };
    }
    case "deletion-pending":
      return {
        ...commonFields,
        path: event.path,
        dueAt: new Date(event.dueAt).toISOString(),
        inConflict: event.inConflict,
        asks: event.asks,
      };
    default:
      return { ...commonFields, ...rest };
  }
}

const COUNT_WORDS: Readonly<Record<Exclude<keyof RunReport["counts"], "blocked">, string>> = {
  uploaded: "uploaded",
  downloaded: "downloaded",
  createdRemote: "created on the service",
  createdLocal: "created locally",
  movedRemote: "moved on the service",
  movedLocal: "moved locally",
  deletedRemote: "deleted on the service",
  deletedLocal: "moved to the local trash",
  merged: "merged",
  accepted: "accepted by a reviewer",
  byPolicy: "resolved by your conflict policy",
  submitted: "sent to review",
  respelled: "with links rewritten",
  conflicts: "in conflict",
};

/** Returns a clause such as `3 uploaded, 1 created locally`; null if the run changed nothing. */
export function formatCounts(counts: RunReport["counts"]): string | null {
  const countTexts = Object.entries(COUNT_WORDS).flatMap(([name, words]) => {
    const n = counts[name as keyof typeof COUNT_WORDS];
    return n === 0 ? [] : [`${count(n)} ${words}`];
  });
  return countTexts.length === 0 ? null : countTexts.join(", ");
}

/** Returns a clause such as `1 problem to fix`, `2 problems to fix, 3 pending` or `1 pending`. */
export function describeProblems(attention: RunReport["attention"]): string {
  const pendingCount = attention.filter((one) => one.waits).length;
  const toFixCount = attention.length - pendingCount;
  const toFixText = `${plural(toFixCount, "problem")} to fix`;
  if (pendingCount === 0) return toFixText;
  return toFixCount > 0 ? `${toFixText}, ${count(pendingCount)} pending` : `${count(pendingCount)} pending`;
}

type RunSummary = Pick<RunReport, "attention" | "fault"> & { readonly state: string };

export function explainNotInSync({ state, attention, fault }: RunSummary): string {
  if (state === "stopped") return "stopped by a safety check";
  if (fault?.kind === "locked-out") return "the service refuses the key";
  return state === "offline" ? "the service could not be reached" : describeProblems(attention);
}
