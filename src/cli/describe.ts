import type { Action, ActionKind } from "../model/action.ts";
import type { RunReport } from "../app/mirror/run.ts";
import { type Paint, PLAIN } from "./paint.ts";
import { count } from "./progress.ts";
import { shownName, shownWords } from "../model/shown-name.ts";
import { comparePaths } from "../model/by-path.ts";

/**
 * Words for what a plan holds and a run did. Arrows show where an effect is: `→` on the service,
 * `←` on this disk.
 */

type Words = { readonly arrow: "→" | "←" | "↔" | "·"; readonly label: string };

export const ACTION_WORDS: Readonly<Record<ActionKind, Words>> = {
  "create-remote": { arrow: "→", label: "new on the service" },
  put: { arrow: "→", label: "update on the service" },
  "rename-remote": { arrow: "→", label: "rename on the service" },
  "reparent-remote": { arrow: "→", label: "move on the service" },
  "delete-remote": { arrow: "→", label: "delete on the service" },
  "make-folder-remote": { arrow: "→", label: "new folder on the service" },
  "rename-folder-remote": { arrow: "→", label: "rename folder on the service" },
  "reparent-folder-remote": { arrow: "→", label: "move folder on the service" },
  "remove-folder-remote": { arrow: "→", label: "remove folder on the service" },
  "end-conflict": { arrow: "→", label: "end a conflict" },
  "create-local": { arrow: "←", label: "new here" },
  "write-local": { arrow: "←", label: "update here" },
  "move-local": { arrow: "←", label: "move here" },
  "trash-local": { arrow: "←", label: "to the trash here" },
  "make-folder-local": { arrow: "←", label: "new folder here" },
  "move-folder-local": { arrow: "←", label: "move folder here" },
  "remove-folder-local": { arrow: "←", label: "remove folder here" },
  "renew-conflict": { arrow: "←", label: "renew a conflict" },
  "move-sidecar": { arrow: "←", label: "move a (theirs) file" },
  "drop-conflict": { arrow: "←", label: "drop a conflict" },
  merge: { arrow: "↔", label: "merge, edited on both sides" },
  meet: { arrow: "↔", label: "link, new on both sides (equal texts are only linked)" },
  "settle-review": { arrow: "↔", label: "look at a review" },
  relink: { arrow: "·", label: "note a place" },
  "note-facts": { arrow: "·", label: "note" },
  forget: { arrow: "·", label: "forget, gone on both sides" },
  "look-again": { arrow: "·", label: "look again" },
  "link-folder": { arrow: "·", label: "link a folder" },
  "forget-folder": { arrow: "·", label: "forget a folder, gone on both sides" },
};

/**
 * Kinds by whose names nobody but us would know what happened: what programs and `log` are given
 * instead.
 */
const PUBLIC_KINDS: Readonly<Record<string, string>> = {
  meet: "link-new",
  relink: "note-place",
  "settle-review": "look-at-review",
};

/** The name of an action, event or rule outside of the engine. */
export function publicKind(kind: string): string {
  return PUBLIC_KINDS[kind] ?? kind;
}

const TO_REVIEW: Words = { arrow: "→", label: "send to review" };

/** As its kind says; the text of a protected document is sent to review instead of going live. */
export function wordsOf(action: Action): Words {
  return action.kind === "put" && action.review ? TO_REVIEW : ACTION_WORDS[action.kind];
}

/** Where base has a document or folder here, by its id; null: base does not know it. */
export type PathOf = (id: string) => string | null;

/** The path of an action as the user knows it, never an id; a move shows both ends. */
export function actionPath(action: Action, pathOf: PathOf): string {
  if ("from" in action) return `${action.from} → ${action.to}`;
  if ("localPath" in action) return action.localPath;
  if (action.kind === "drop-conflict" && action.sidecarPath !== null) return action.sidecarPath;
  return pathOf("id" in action ? action.id : action.dirId) ?? "a document that is on neither side";
}

/** As it is put into a line. */
export function actionName(action: Action, pathOf: PathOf): string {
  if ("from" in action) return `${shownName(action.from)} → ${shownName(action.to)}`;
  return shownName(actionPath(action, pathOf));
}

export type Group = { readonly words: Words; readonly kind: ActionKind; readonly actions: readonly Action[] };

/** By kind, in the order of the table above. */
export function groupActions(actions: readonly Action[]): Group[] {
  const byKind = Map.groupBy(actions, (action) => action.kind);
  return (Object.keys(ACTION_WORDS) as ActionKind[]).flatMap((kind) => {
    const found = byKind.get(kind);
    if (found === undefined) return [];
    const inReview = Map.groupBy(found, (action) => wordsOf(action) !== ACTION_WORDS[kind]);
    return [false, true].flatMap((one) => {
      const all = inReview.get(one);
      return all === undefined ? [] : [{ words: wordsOf(all[0]!), kind, actions: all }];
    });
  });
}

const REMOVING = /^(?:delete|trash|remove)-/;
const MAKING = /^(?:create|make)-/;

/** Each group with its first names, sorted. @param most names of a group; the rest is counted */
export function groupLines(actions: readonly Action[], most: number, pathOf: PathOf, paint: Paint = PLAIN): string[] {
  return groupActions(actions).flatMap(({ words, kind, actions: all }) => {
    const brush = REMOVING.test(kind) ? paint.removed : MAKING.test(kind) ? paint.added : paint.place;
    const named = all
      .map((action) => ({ path: actionPath(action, pathOf), name: actionName(action, pathOf), why: action.why }))
      .sort(byPath)
      .slice(0, most)
      .map(({ name, why }) => `    ${name}${why === "" ? "" : `  (${shownWords(why)})`}`);
    const more = all.length > most ? [`    … and ${count(all.length - most)} more`] : [];
    return [`  ${brush(`${words.arrow} ${words.label}`)}: ${count(all.length)}`, ...named, ...more];
  });
}

export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return comparePaths(a.path, b.path);
}

const STAY_WORDS: Readonly<Record<keyof NonNullable<RunReport["staysLocal"]>, string>> = {
  "other-file": "not Markdown",
  ignored: "ignored by .mdmirrorignore",
  "ignored-folder": "folders ignored by .mdmirrorignore",
  "dot-folder": "dot folders",
  litter: "leftovers of editors",
  sidecar: "(theirs) and (mine) files of conflicts",
  symlink: "symbolic links",
  special: "devices, sockets and pipes",
};

/** `stays local: 3 not Markdown, 1 dot folders`, or null when nothing does. */
export function stayLine(stays: RunReport["staysLocal"]): string | null {
  const parts = Object.entries(STAY_WORDS).flatMap(([kind, words]) => {
    const n = stays?.[kind as keyof typeof STAY_WORDS] ?? 0;
    return n === 0 ? [] : [`${count(n)} ${words}`];
  });
  return parts.length === 0 ? null : `stays local: ${parts.join(", ")}`;
}

const COUNT_WORDS: Readonly<Record<Exclude<keyof RunReport["counts"], "holds">, string>> = {
  uploaded: "uploaded",
  downloaded: "downloaded",
  createdRemote: "new on the service",
  createdLocal: "new here",
  movedRemote: "moved on the service",
  movedLocal: "moved here",
  deletedRemote: "deleted on the service",
  deletedLocal: "to the trash here",
  merged: "merged",
  accepted: "accepted",
  byPolicy: "in conflict, ended by your policy",
  submitted: "sent to review",
  conflicts: "in conflict",
};

/** `3 uploaded, 1 new here`, or null when nothing was done. */
export function doneLine(counts: RunReport["counts"]): string | null {
  const parts = Object.entries(COUNT_WORDS).flatMap(([name, words]) => {
    const n = counts[name as keyof typeof COUNT_WORDS];
    return n === 0 ? [] : [`${count(n)} ${words}`];
  });
  return parts.length === 0 ? null : parts.join(", ");
}
