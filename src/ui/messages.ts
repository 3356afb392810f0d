/** Makes notices for pages from the results of operations. */

import type { ResolutionWay, UNDO } from "../mirror/operations/declared/writes.ts";
import type { ResultOf } from "../mirror/operations/define.ts";
import { formatCounts } from "../mirror/operations/results/report.ts";
import type { RunReport } from "../mirror/folder/run.ts";
import { count, plural } from "../common/quantities.ts";
import type { Trouble } from "../common/trouble.ts";
import type { Notice } from "../page/layout.ts";
import { toSentence } from "../common/shown-words.ts";

/**
 * Returns the notice about a finished sync.
 * @param decide address of the page on which the user can answer a stop
 */
export function makeSyncNotice({ state, counts, attention, fault }: RunReport, decide: string): Notice {
  const doneWords = formatCounts(counts);
  const changes = doneWords === null ? null : `Synced: ${doneWords}.`;
  const problemCount = attention.filter(({ waits }) => !waits).length;
  const pendingCount = attention.length - problemCount;
  switch (state) {
    case "in-sync":
      return makeGoodNotice(changes ?? "Everything is in sync.");
    case "stopped":
      return {
        ...makeBadNotice(`${changes ?? "Nothing was changed."} A safety check stopped the other changes.`),
        link: { href: decide, label: "Decide" },
      };
    case "offline":
      return makeBadNotice(
        `${fault?.kind === "locked-out" ? "The service refuses the key." : "The service cannot be reached."} ${changes ?? "Nothing was changed."}`,
      );
    case "attention": {
      const remainder =
        problemCount > 0
          ? formatCount(problemCount, "problem", "left")
          : formatCount(pendingCount, "change", "pending");
      return {
        tone: counts.conflicts > 0 ? "asks" : "good",
        text: `${changes ?? "Nothing to sync."} ${remainder}`,
      };
    }
  }
}

/** Returns a sentence with a count, such as `3 problems are left.` */
function formatCount(n: number, noun: string, words: string): string {
  return `${plural(n, noun)} ${n === 1 ? "is" : "are"} ${words}.`;
}

const RESOLVED_SENTENCES: Readonly<Record<ResolutionWay, string>> = {
  mine: "Your version is taken",
  theirs: "The version on the service is taken",
  merged: "Your result is saved",
  "merged-where-clean": "Both versions are merged",
  keep: "The document is kept",
  delete: "The document is deleted",
  recreate: "The document is created again",
};

export function makeResolvedNotice(way: ResolutionWay, notes: readonly string[]): Notice {
  return { ...makeGoodNotice(`${RESOLVED_SENTENCES[way]}. All versions stay in the history.`), details: notes };
}

type ItemResult = { readonly path: string; readonly end: string; readonly why: string };

/** LIMIT: number of documents that a notice names, so that the notice stays short. */
const MAX_DOCUMENTS = 20;

/** Returns a notice about several documents, with the reason for each unchanged document. */
function makeItemsNotice(tone: Notice["tone"], done: string, items: readonly ItemResult[]): Notice {
  const leftItems = items.filter(({ end }) => end !== "done");
  if (leftItems.length === 0) return { tone, text: done };
  const moreLines = leftItems.length > MAX_DOCUMENTS ? [`and ${count(leftItems.length - MAX_DOCUMENTS)} more`] : [];
  return {
    tone,
    text: `${done} ${plural(leftItems.length, "document")} ${leftItems.length === 1 ? "was" : "were"} left alone.`,
    details: [...leftItems.slice(0, MAX_DOCUMENTS).map(({ path, why }) => `${path}: ${why}`), ...moreLines],
  };
}

function countDoneItems(items: readonly ItemResult[]): number {
  return items.filter(({ end }) => end === "done").length;
}

export function makeManyResolvedNotice(items: readonly ItemResult[]): Notice {
  const doneCount = countDoneItems(items);
  return makeItemsNotice(doneCount > 0 ? "good" : "asks", `${plural(doneCount, "conflict")} resolved.`, items);
}

export function makeUndoNotice(run: number, items: ResultOf<typeof UNDO>["items"]): Notice {
  const reopenedCount = countDoneItems(items.filter(({ kind }) => kind === "conflict-back"));
  const otherCount = countDoneItems(items) - reopenedCount;
  const parts = [
    ...(reopenedCount > 0
      ? [`${plural(reopenedCount, "conflict")} ${reopenedCount === 1 ? "is" : "are"} open again`]
      : []),
    ...(otherCount > 0
      ? [`${plural(otherCount, "document")} ${otherCount === 1 ? "is" : "are"} as before run ${run}`]
      : []),
  ];
  const undoneSentence = parts.length === 0 ? "Nothing was undone." : `Undone: ${parts.join(", ")}.`;
  return makeItemsNotice(reopenedCount + otherCount === items.length ? "good" : "asks", undoneSentence, items);
}

/** Returns the notice after a rejection. `files`: number of files that the rejection restores. */
export function makeRejectedNotice(items: readonly ItemResult[], files: number): Notice {
  const doneCount = countDoneItems(items);
  const isComplete = doneCount === items.length;
  const undoneSentence =
    isComplete && files > 0 ? formatCount(files, "document", "restored") : `${plural(doneCount, "change")} undone.`;
  return makeItemsNotice(isComplete ? "good" : "asks", undoneSentence, items);
}

export function makeGoodNotice(text: string): Notice {
  return { tone: "good", text };
}

function makeBadNotice(text: string): Notice {
  return { tone: "bad", text };
}

export function makeNothingDoneNotice(text: string): Notice {
  return makeBadNotice(`${toSentence(text)} Nothing was done.`);
}

export const BUSY_NOTICE: Notice = { tone: "asks", text: "Another action runs in this folder. Nothing was done." };

export function makeTroubleNotice({ what, next, changed }: Trouble): Notice {
  return { tone: changed === undefined ? "bad" : "asks", text: toSentence(what), next };
}
