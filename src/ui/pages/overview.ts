import { ok } from "../../common/trouble.ts";
import { plural } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import type { Content } from "../../page/layout.ts";
import { nameView, sentenceView } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import { type MirrorModel, modelOf } from "../mirror-model.ts";
import { attentionList, saidOf, sizeOf, stateOf, trafficOf } from "../mirror-parts.ts";
import { definePage } from "../page.ts";

/** Shows all linked folders: the state of each, its transfers, and problems to fix. */

type Model = { readonly mirrors: readonly MirrorModel[]; readonly unfit: readonly string[] };

/** LIMIT: problems that this page lists for each folder. */
const MOST = 5;

export const OVERVIEW = definePage<Model>({
  path: "/",
  isLive: true,
  async look(ui) {
    const looked = await ui.looks.all();
    if (looked.kind === "trouble") return looked;
    const { mirrors, unfit } = looked.value;
    return ok({ mirrors: mirrors.map((one) => modelOf(one, ui)), unfit });
  },
  show: ({ mirrors, unfit }, { now }): Content => ({
    title: `${titleOf(mirrors)} · mdmirror`,
    here: "/",
    said: mirrors.map(saidOf).join("; "),
    main: html`<h1>Linked folders</h1>
${unfit.map((why) => html`<p class="notice bad">${sentenceView(why)}; run mdmirror trust to allow its folders again</p>`)}
${mirrors.length === 0 ? nothingYet() : html`<ul class="cards">${mirrors.map((one) => card(one, now))}</ul>${needsMe(mirrors)}`}`,
  }),
});

function titleOf(mirrors: readonly MirrorModel[]): string {
  const asking = mirrors.reduce((sum, { needs }) => sum + needs.length, 0);
  return asking === 0 ? "Linked folders" : `(${asking}) Linked folders`;
}

function nothingYet(): Html {
  return html`<section class="card"><h2>No folder is linked yet</h2>
<p>Link a folder to a workspace in a terminal; it then appears on this page:</p>
<pre><code>mdmirror init DIR --url URL --key-file FILE</code></pre>
<p>Without a service of your own, <code>mdmirror serve</code> is one.</p></section>`;
}

function card(mirror: MirrorModel, now: number): Html {
  const { name, root, addresses, facts } = mirror;
  return html`<li class="card" id="${`m-${name}`}"><h2><a href="${mirrorAddress(name)}">${nameView(name)}</a></h2>
<p>${stateOf(mirror, now)}</p>
${trafficOf(mirror)}
<p class="faint">${nameView(root)}, from ${sentenceView(addresses.join(" "))}${facts !== null && `, ${sizeOf(facts)}`}</p></li>`;
}

function needsMe(mirrors: readonly MirrorModel[]): Html {
  const asking = mirrors.filter(({ needs }) => needs.length > 0);
  if (asking.length === 0) return html`<h2>Action required</h2><p>No problems.</p>`;
  return html`<h2>Action required</h2>${asking.map(({ name, needs }) => {
    const more = needs.length - MOST;
    return html`<section><h3><a href="${mirrorAddress(name)}">${nameView(name)}</a></h3>${attentionList(needs.slice(0, MOST), name)}${
      more > 0 && html`<p><a href="${mirrorAddress(name, "needs")}">… and ${plural(more, "more problem")}</a></p>`
    }</section>`;
  })}`;
}
