import type { EntryState } from "../mirror/operations/doctor/folder-entries.ts";
import type { Listed } from "../mirror/operations/doctor/list-folder.ts";
import { plural } from "../common/count.ts";
import { joinPath } from "../contract/path.ts";
import { html, type Html } from "../page/html.ts";
import type { Tone } from "../page/layout.ts";
import { badgeOf, nameView, sentenceView } from "../page/parts.ts";
import { documentAddress } from "./addresses.ts";

/** Rows for files and folders. */

export type ShownEntry = Listed["entries"][number];

const BADGES: Readonly<Record<EntryState, readonly [Tone, string]>> = {
  "in-sync": ["good", "in sync"],
  waiting: ["quiet", "waiting"],
  blocked: ["asks", "blocked"],
  "in-review": ["quiet", "in review"],
  conflict: ["bad", "conflict"],
  ignored: ["quiet", "ignored"],
};

export function entryBadge({ state, needs }: ShownEntry): Html {
  const [tone, word] = BADGES[state];
  return needs > 0 ? badgeOf("asks", `${plural(needs, "thing")} below`) : badgeOf(tone, word);
}

/**
 * Returns a row in the list of `folder`. The id of the row lets a live page replace this row only.
 */
export function entryRow(mirror: string, folder: string, entry: ShownEntry): Html {
  const { name, kind, why, needs } = entry;
  const label = html`${nameView(name)}${kind === "folder" && "/"}`;
  const isPage = kind !== "other" && !(kind === "folder" && entry.state === "ignored");
  const address = documentAddress(mirror, "docs", joinPath(folder, name));
  return html`<li id="${`e-${name}`}">${isPage ? html`<a href="${address}">${label}</a>` : html`<span>${label}</span>`}
<span class="state">${entryBadge(entry)}${why !== null && html` <span class="faint">${sentenceView(why)}</span>`}${
    needs > 0 && why === null && html` <span class="unseen">to fix</span>`
  }</span></li>`;
}
