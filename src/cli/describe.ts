import {
  ACTION_WORDS,
  actionName,
  actionPath,
  actionWords,
  type PathOf,
  type Words,
} from "../mirror/operations/results/actions.ts";
import type { Action, ActionKind } from "../mirror/model/action.ts";
import type { RunReport } from "../mirror/folder/run.ts";
import { firstLines } from "./when.ts";
import { type Paint, PLAIN } from "./paint.ts";
import { count } from "../common/count.ts";
import { shownWords } from "../common/shown-name.ts";
import { byPath } from "../mirror/model/by-path.ts";

/**
 * Words for the actions of a plan and the counts of a run. Arrows show which side an action
 * changes: `→` the service, `←` the local disk.
 */

type Group = { readonly words: Words; readonly kind: ActionKind; readonly actions: readonly Action[] };

/** Groups actions by kind, in the order of the table. */
function groupActions(actions: readonly Action[]): Group[] {
  const byKind = Map.groupBy(actions, (action) => action.kind);
  return (Object.keys(ACTION_WORDS) as ActionKind[]).flatMap((kind) => {
    const found = byKind.get(kind);
    if (found === undefined) return [];
    const inReview = Map.groupBy(found, (action) => actionWords(action) !== ACTION_WORDS[kind]);
    return [false, true].flatMap((one) => {
      const all = inReview.get(one);
      return all === undefined ? [] : [{ words: actionWords(all[0]!), kind, actions: all }];
    });
  });
}

const REMOVING = /^(?:delete|trash|remove)-/;
const MAKING = /^(?:create|make)-/;

/**
 * Returns one line for each group with its first names, sorted.
 * @param most names for each group; further ones are counted
 */
export function groupLines(actions: readonly Action[], most: number, pathOf: PathOf, paint: Paint = PLAIN): string[] {
  return groupActions(actions).flatMap(({ words, kind, actions: all }) => {
    const brush = REMOVING.test(kind) ? paint.removed : MAKING.test(kind) ? paint.added : paint.place;
    const named = all
      .map((action) => ({ path: actionPath(action, pathOf), name: actionName(action, pathOf), why: action.why }))
      .sort(byPath)
      .map(({ name, why }) => `    ${name}${why === "" ? "" : `  (${shownWords(why)})`}`);
    return [`  ${brush(`${words.arrow} ${words.label}`)}: ${count(all.length)}`, ...firstLines(named, most, "    ")];
  });
}

const STAY_WORDS: Readonly<Record<keyof NonNullable<RunReport["staysLocal"]>, string>> = {
  "other-file": "not Markdown",
  ignored: "ignored by .mdmirrorignore",
  "ignored-folder": "folders ignored by .mdmirrorignore",
  "git-ignored": "left out by .gitignore",
  "git-ignored-folder": "folders left out by .gitignore",
  "dot-folder": "dot folders",
  litter: "temporary files of editors",
  "conflict-copy": "conflict copies: (theirs) and (mine) files",
  symlink: "symbolic links",
  special: "devices, sockets and pipes",
};

/** Returns `stays local: 3 not Markdown, 1 dot folders`, or null if nothing stays local. */
export function stayLine(stays: RunReport["staysLocal"]): string | null {
  const parts = Object.entries(STAY_WORDS).flatMap(([kind, words]) => {
    const n = stays?.[kind as keyof typeof STAY_WORDS] ?? 0;
    return n === 0 ? [] : [`${count(n)} ${words}`];
  });
  return parts.length === 0 ? null : `stays local: ${parts.join(", ")}`;
}
