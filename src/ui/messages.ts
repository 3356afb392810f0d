/** Returns results of operations as notices for pages. */

import type { UNDO } from "../mirror/operations/declared/undo.ts";
import type { ResolveWay } from "../mirror/operations/declared/resolve.ts";
import type { ResultOf } from "../mirror/operations/define.ts";
import { doneLine } from "../mirror/operations/results/done.ts";
import type { RunReport } from "../mirror/folder/run.ts";
import { count, plural } from "../common/count.ts";
import type { Trouble } from "../common/trouble.ts";
import type { Notice } from "../page/layout.ts";
import { sentenceOf } from "../common/sentence.ts";

/**
 * Returns the notice about a finished sync.
 * @param decide address of the page on which the user answers a stop
 */
export function syncNotice({ state, counts, attention, fault }: RunReport, decide: string): Notice {
  const done = doneLine(counts);
  const changes = done === null ? null : `Synced: ${done}.`;
  const left = attention.filter(({ waits }) => !waits).length;
  const waiting = attention.length - left;
  switch (state) {
    case "in-sync":
      return good(changes ?? "Everything is in sync.");
    case "stopped":
      return {
        ...bad(`${changes ?? "Nothing was changed."} A safety check stopped the other changes.`),
        link: { href: decide, label: "Decide" },
      };
    case "offline":
      return bad(
        `${fault?.kind === "locked-out" ? "The service refuses the key." : "The service cannot be reached."} ${changes ?? "Nothing was changed."}`,
      );
    case "attention": {
      const rest = left > 0 ? countSentence(left, "problem", "left") : countSentence(waiting, "change", "pending");
      return {
        tone: counts.conflicts > 0 ? "asks" : "good",
        text: `${changes ?? "Nothing to sync."} ${rest}`,
      };
    }
  }
}

/** Returns a sentence with a count, such as `3 problems are left.` */
function countSentence(n: number, noun: string, words: string): string {
  return `${plural(n, noun)} ${n === 1 ? "is" : "are"} ${words}.`;
}

const RESOLVED: Readonly<Record<ResolveWay, string>> = {
  mine: "Your version is taken",
  theirs: "The version on the service is taken",
  merged: "Your result is saved",
  "merged-where-clean": "Both versions are merged",
  keep: "The document is kept",
  delete: "The document is deleted",
  recreate: "The document is created again",
};

/** Returns the notice that a problem of a document is resolved. */
export function resolvedNotice(way: ResolveWay, notes: readonly string[]): Notice {
  return { ...good(`${RESOLVED[way]}. All versions stay in the history.`), details: notes };
}

type Row = { readonly path: string; readonly end: string; readonly why: string };

/** LIMIT: number of documents that a notice names. */
const MAX_DOCUMENTS = 20;

/**
 * Returns a notice about several documents. It names the documents that were left unchanged, with
 * the reason of each.
 */
function itemsNotice(tone: Notice["tone"], done: string, items: readonly Row[]): Notice {
  const left = items.filter(({ end }) => end !== "done");
  if (left.length === 0) return { tone, text: done };
  const more = left.length > MAX_DOCUMENTS ? [`and ${count(left.length - MAX_DOCUMENTS)} more`] : [];
  return {
    tone,
    text: `${done} ${plural(left.length, "document")} ${left.length === 1 ? "was" : "were"} left alone.`,
    details: [...left.slice(0, MAX_DOCUMENTS).map(({ path, why }) => `${path}: ${why}`), ...more],
  };
}

function countDone(items: readonly Row[]): number {
  return items.filter(({ end }) => end === "done").length;
}

export function manyResolvedNotice(items: readonly Row[]): Notice {
  const done = countDone(items);
  return itemsNotice(done > 0 ? "good" : "asks", `${plural(done, "conflict")} resolved.`, items);
}

export function undoneNotice(run: number, items: ResultOf<typeof UNDO>["items"]): Notice {
  const open = countDone(items.filter(({ kind }) => kind === "conflict-back"));
  const others = countDone(items) - open;
  const parts = [
    ...(open > 0 ? [`${plural(open, "conflict")} ${open === 1 ? "is" : "are"} open again`] : []),
    ...(others > 0 ? [`${plural(others, "document")} ${others === 1 ? "is" : "are"} as before run ${run}`] : []),
  ];
  const undone = parts.length === 0 ? "Nothing was undone." : `Undone: ${parts.join(", ")}.`;
  return itemsNotice(open + others === items.length ? "good" : "asks", undone, items);
}

/**
 * Returns the notice after the user rejected stopped changes.
 * @param files number of files that the rejection restores
 */
export function rejectedNotice(items: readonly Row[], files: number): Notice {
  const done = countDone(items);
  const isWhole = done === items.length;
  const undone =
    isWhole && files > 0 ? countSentence(files, "document", "restored") : `${plural(done, "change")} undone.`;
  return itemsNotice(isWhole ? "good" : "asks", undone, items);
}

export function good(text: string): Notice {
  return { tone: "good", text };
}

function bad(text: string): Notice {
  return { tone: "bad", text };
}

/** Returns the notice that an action was refused and changed nothing. */
export function nothingDone(text: string): Notice {
  return bad(`${sentenceOf(text)} Nothing was done.`);
}

/** Notice for an action that is refused because another action still runs in the same folder. */
export const BUSY: Notice = { tone: "asks", text: "Another action runs in this folder. Nothing was done." };

export function noticeOfTrouble({ what, next, changed }: Trouble): Notice {
  return { tone: changed === undefined ? "bad" : "asks", text: sentenceOf(what), next };
}
