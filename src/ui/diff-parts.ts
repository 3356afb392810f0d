import { sideBySide } from "../markdown/merge/side-by-side.ts";
import { countLines } from "../markdown/merge/line-diff.ts";
import { plural } from "../common/count.ts";
import { html, type Html } from "../page/html.ts";
import { sidesOf } from "../page/side-by-side.ts";

/** Shows the difference of two versions of a document. */

/** LIMIT: characters of both versions that a page compares. */
const MOST = 500_000;

type Named = { readonly text: string; readonly label: string };

export function differenceOf(before: Named, after: Named): Html {
  if (before.text === after.text) return html`<p>Both versions are equal.</p>`;
  if (before.text.length + after.text.length > MOST)
    return html`<p>The versions differ, and are too long to show side by side.</p>`;
  const { added, removed } = countLines(before.text, after.text);
  const passages = sideBySide({ base: null, mine: before.text, theirs: after.text });
  const columns = [
    { side: "mine", label: before.label },
    { side: "theirs", label: after.label },
  ] as const;
  const caption = `${before.label} and ${after.label}, line by line`;
  const words = { mine: "Changed", theirs: "Changed", alike: "Changed", both: "Changed" };
  const table = sidesOf(passages, { caption, columns, words, whole: false, earlier: "mine" });
  return html`<p class="faint">${plural(removed, "line")} removed, ${plural(added, "line")} added</p>${table}`;
}
