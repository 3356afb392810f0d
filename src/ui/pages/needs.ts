import { ok } from "../../common/trouble.ts";
import { html } from "../../page/html.ts";
import { nameView } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import { type MirrorModel, modelOf } from "../mirror-model.ts";
import { attentionList, saidOf, stateOf } from "../mirror-parts.ts";
import type { Need } from "../needs.ts";
import { definePage } from "../page.ts";
import { type Part, pagerOf, partOf } from "../paging.ts";

/** LIMIT: rows on one page. */
const SIZE = 100;

type Model = { readonly mirror: MirrorModel; readonly part: Part<Need> };

/** Lists all problems of one folder, each with a link to the page on which it can be resolved. */
export const NEEDS = definePage<Model>({
  path: "/m/:name/needs",
  isLive: true,
  async look(ui, asked) {
    const looked = await ui.looks.one(asked.params["name"]!);
    if (looked.kind === "trouble") return looked;
    const mirror = modelOf(looked.value, ui);
    const part = partOf(mirror.needs, asked, SIZE);
    return ok({ mirror: { ...mirror, needs: [] }, part });
  },
  show: ({ mirror, part }, { now }) => ({
    title: `Action required · ${mirror.name} · mdmirror`,
    said: saidOf(mirror),
    main: html`<h1>Action required in ${nameView(mirror.name)}</h1>
<p>${stateOf(mirror, now)}</p>
${part.total === 0 ? html`<p>No problems.</p>` : attentionList(part.items, mirror.name)}
${pagerOf(part, "problems", (page) => mirrorAddress(mirror.name, "needs", { page }))}
${mirror.waits.length > 0 && html`<h2>Pending</h2>${attentionList(mirror.waits, mirror.name)}`}`,
  }),
});
