import type { conflicts as list } from "../../mirror/operations/manual/conflicts.ts";
import type { Answer } from "../../mirror/operations/define.ts";
import { BLOCK_REASONS, type BlockReason } from "../../mirror/model/block.ts";
import { plural } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import { ageOf, badgeOf, nameView, nextOf, sentenceView } from "../../page/parts.ts";
import { documentAddress, mirrorAddress } from "../addresses.ts";
import { modelOfConflicts } from "../conflict-model.ts";
import { definePage } from "../page.ts";
import { ok } from "../../common/trouble.ts";
import { type Part, pagerOf, partOf } from "../paging.ts";

/** LIMIT: rows on one page. */
const SIZE = 100;

type Listed = Answer<(typeof list)["declared"]>;
type OpenConflict = Listed["conflicts"][number];
type OpenBlockedPath = Listed["blocked"][number];
type Row =
  | { readonly kind: "conflict"; readonly one: OpenConflict }
  | { readonly kind: "block"; readonly one: OpenBlockedPath };
type Model = { readonly name: string; readonly conflicts: number; readonly blocked: number; readonly part: Part<Row> };

/** Lists all conflicts of a folder, and all blocks that a person has to resolve. */
export const CONFLICTS = definePage<Model>({
  path: "/m/:name/conflicts",
  isLive: true,
  async look(ui, asked) {
    const looked = await ui.looks.one(asked.params["name"]!);
    if (looked.kind === "trouble") return looked;
    const listed = modelOfConflicts(ui, looked.value);
    if (listed.kind === "trouble") return listed;
    const { name, conflicts, blocked } = listed.value;
    const rows: Row[] = [
      ...conflicts.map((one) => ({ kind: "conflict", one }) as const),
      ...blocked.map((one) => ({ kind: "block", one }) as const),
    ];
    return ok({ name, conflicts: conflicts.length, blocked: blocked.length, part: partOf(rows, asked, SIZE) });
  },
  show: ({ name, conflicts, blocked, part }, { now }) => ({
    title: `${conflicts > 0 ? `(${conflicts}) ` : ""}Conflicts · ${name} · mdmirror`,
    said: `${name}: ${plural(conflicts, "conflict")}, ${blocked} blocked`,
    main: html`<h1>Conflicts in ${nameView(name)}</h1>
${
  part.total === 0
    ? html`<p>No conflicts and no blocked documents.</p>`
    : html`<ul class="cards">${part.items.map((row) => (row.kind === "conflict" ? conflictCard(name, row.one, now) : blockCard(name, row.one, now)))}</ul>`
}
${pagerOf(part, "conflicts", (page) => mirrorAddress(name, "conflicts", { page }))}`,
  }),
});

function conflictCard(name: string, { path, since, mine, theirs, inReview, renewed }: OpenConflict, now: number): Html {
  return html`<li class="card"><p><strong><a href="${documentAddress(name, "conflict", path)}">${nameView(path)}</a></strong>
${badgeOf("asks", inReview ? "in review" : "conflict")} for ${ageOf(since, now)}</p>
<p class="faint">mine ${mine === null ? "does not exist" : plural(mine, "byte")}, theirs ${theirs === null ? "is no longer in the history" : plural(theirs, "byte")}${
    renewed > 0 && html`; the version on the service has changed ${plural(renewed, "time")} since`
  }</p></li>`;
}

function blockCard(name: string, block: OpenBlockedPath, now: number): Html {
  const { path, kind, detail, code, since } = block;
  const isEnded = (BLOCK_REASONS[kind as BlockReason].ways ?? []).length > 0;
  return html`<li class="card"><p><strong>${
    isEnded ? html`<a href="${documentAddress(name, "conflict", path)}">${nameView(path)}</a>` : nameView(path)
  }</strong> ${badgeOf("asks", "blocked")} for ${ageOf(since, now)}</p>
<p><b>${kind}</b>: ${sentenceView(detail)}${code !== null && ` (${code})`}</p>${nextOf(block.next)}</li>`;
}
