import { countLines, diffLines } from "../merge/line-diff.ts";
import { plural } from "../model/count.ts";
import { diffView } from "../page/diff.ts";
import { html, type Html } from "../page/html.ts";

/** How two texts of a document differ. */

/** LIMIT: characters of a text that are compared on a page. */
const MOST = 500_000;

/** @param before null: there is no text */
export function differenceOf(before: string | null, after: string): Html {
  if (before === null) return html`<p class="faint">Nothing is here to compare it with.</p>`;
  if (before === after) return html`<p>Both are the same.</p>`;
  if (before.length + after.length > MOST)
    return html`<p class="faint">They differ, and are too long to be shown side by side.</p>`;
  const { added, removed } = countLines(before, after);
  return html`<p class="faint">${plural(removed, "line")} removed, ${plural(added, "line")} added</p>${diffView(diffLines(before, after))}`;
}
