import { mergeText } from "../markdown/merge/merge.ts";
import { type Passage, sideBySide } from "../markdown/merge/side-by-side.ts";
import { plural } from "../common/count.ts";
import { html, type Html } from "../page/html.ts";
import { nameView, sentenceView } from "../page/parts.ts";
import { countChanges, sidesOf } from "../page/side-by-side.ts";
import type { ShownText, ProblemView } from "../mirror/operations/manual/problem-view.ts";
import { documentAddress } from "./addresses.ts";
import { type ConflictModel, type Start, startNamed } from "./conflict-model.ts";

/** The versions of a conflict, side by side. */

/** Options of the page, from its query. */
export type View = {
  readonly withBase: boolean;
  /** True to show all lines, not only those near a change. */
  readonly whole: boolean;
  /**
   * Starting content of the result; null for the default: the draft if there is one, else the
   * merge.
   */
  readonly from: Start | null;
};

export function requestedView(query: URLSearchParams): View {
  return {
    withBase: query.get("base") === "yes",
    whole: query.get("lines") === "all",
    from: startNamed(query.get("from")),
  };
}

/** Returns the address of this page with some options changed. */
export function viewAddress({ name, path }: ConflictModel, view: View, other: Partial<View>, fragment: string): string {
  const { withBase, whole, from } = { ...view, ...other };
  const query = { base: withBase ? "yes" : null, lines: whole ? "all" : null, from };
  return `${documentAddress(name, "conflict", path, query)}#${fragment}`;
}

export function textsOf(conflict: ConflictModel, view: View): Html {
  const open = conflict.open!;
  const { mine, theirs, base } = open;
  if (mine.kind === "none" || theirs.kind === "none") return oneOf(open);
  const isBlock = open.conflict === null;
  const bothNew = open.conflict?.bothNew === true;
  const baseText = bothNew || isBlock || base.kind === "none" ? null : base.text;
  const withBase = view.withBase && baseText !== null;
  const passages = sideBySide({ base: baseText, mine: mine.text, theirs: theirs.text }, withBase ? "base" : "other");
  const columns = [
    { side: "mine", label: "Mine" },
    ...(withBase ? [{ side: "base", label: "Base" } as const] : []),
    { side: "theirs", label: isBlock ? "Base (the last version that both sides had)" : "Theirs" },
  ] as const;
  const caption = withBase ? "Mine, base and theirs, line by line" : "Mine and theirs, line by line";
  const words = isBlock || baseText === null ? TWO_WORDS : WORDS;
  return html`<section id="texts"><h2>${isBlock ? "Local edits" : "Versions"}</h2>
<p>${meetingOf(open, passages)}</p>
${switchesOf(conflict, view, baseText !== null)}
${countChanges(passages) > 0 && sidesOf(passages, { caption, columns, words, whole: view.whole })}</section>`;
}

const WORDS: Readonly<Record<Exclude<Passage["kind"], "same">, string>> = {
  mine: "Changed locally (mine)",
  theirs: "Changed on the service (theirs)",
  alike: "The same change on both sides",
  both: "Different changes on both sides",
};
const TWO_WORDS = { ...WORDS, both: "They differ" };

function meetingOf({ mine, theirs, base, conflict }: ProblemView, passages: readonly Passage[]): string {
  const changes = plural(countChanges(passages), "place");
  if (countChanges(passages) === 0) return "The versions are equal.";
  if (conflict === null) return `They differ in ${changes}.`;
  const text = (one: ShownText) => (one.kind === "text" ? one.text : "");
  const merged = mergeText(text(base), text(mine), text(theirs));
  if (merged.kind === "clean")
    return `They differ in ${changes}. The two edits merge now: the next sync ends the conflict.`;
  return `They differ in ${changes}; in ${plural(merged.hunks.length, "place")} the two edits do not merge.`;
}

function switchesOf(conflict: ConflictModel, view: View, hasBase: boolean): Html {
  const link = (label: string, other: Partial<View>) =>
    html`<a class="button" href="${viewAddress(conflict, view, other, "texts")}">${label}</a>`;
  return html`<p class="row">${
    hasBase && (view.withBase ? link("Hide the base", { withBase: false }) : link("Show the base", { withBase: true }))
  }${view.whole ? link("Only what changed", { whole: false }) : link("All lines", { whole: true })}</p>`;
}

/**
 * Shows the versions one below the other. At least one version cannot be shown, so there is no
 * comparison.
 */
function oneOf({ mine, theirs, path }: ProblemView): Html {
  return html`<section id="texts"><h2>Versions</h2>${oneText(html`Mine, ${nameView(path)}`, mine)}${oneText(html`Theirs`, theirs)}</section>`;
}

function oneText(label: Html, text: ShownText): Html {
  if (text.kind === "none") return html`<h3>${label}</h3><p>It cannot be shown: ${sentenceView(text.why)}.</p>`;
  return html`<h3>${label}</h3><pre tabindex="0" dir="auto">${text.text}</pre>`;
}
