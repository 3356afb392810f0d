import { ok } from "../../common/trouble.ts";
import { count, plural } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import { ageOf, nameView, sentenceView } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { folderPage, type PageRequest, type UiPage } from "../page.ts";
import {
  attentionList,
  folderForm,
  pagerOf,
  partOf,
  screenReaderText,
  sizeOf,
  stateOf,
  trafficOf,
  workOf,
} from "../parts.ts";

/** Shows all linked folders, one linked folder, and all problems of one. */

/** LIMIT: problems of a folder: among all folders, on its own page, and on a page of problems. */
const MOST = { among: 5, own: 20, needs: 100 } as const;

export const OVERVIEW: UiPage = {
  path: "/",
  async show(ui, { now }) {
    const all = await ui.folders.all();
    if (all.kind === "trouble") return all;
    const { folders, unfit } = all.value;
    const asking = folders.reduce((sum, { needs }) => sum + needs.length, 0);
    return ok({
      title: `${asking === 0 ? "" : `(${asking}) `}Linked folders · mdmirror`,
      here: "/",
      said: folders.map(screenReaderText).join("; "),
      main: html`<h1>Linked folders</h1>
${unfit.map((why) => html`<p class="notice bad">${sentenceView(why)}; run mdmirror trust to allow its folders again</p>`)}
${folders.length === 0 ? NOTHING_YET : html`<ul class="cards">${folders.map((one) => card(one, now))}</ul>${allNeeds(folders)}`}`,
    });
  },
};

const NOTHING_YET = html`<section class="card"><h2>No folder is linked yet</h2>
<p>Link a folder to a workspace in a terminal; it then appears on this page:</p>
<pre><code>mdmirror init DIR --url URL --key-file FILE</code></pre>
<p>Without a service of your own, <code>mdmirror serve</code> is one.</p></section>`;

function card(folder: Folder, now: number): Html {
  const { name, root, addresses, status } = folder;
  return html`<li class="card" id="${`m-${name}`}"><h2><a href="${mirrorAddress(name)}">${nameView(name)}</a></h2>
<p>${stateOf(folder, now)}</p>
${trafficOf(folder)}
<p class="faint">${nameView(root)}, from ${sentenceView(addresses.join(" "))}${status !== null && `, ${sizeOf(status)}`}</p></li>`;
}

function allNeeds(folders: readonly Folder[]): Html {
  const asking = folders.filter(({ needs }) => needs.length > 0);
  if (asking.length === 0) return html`<h2>Action required</h2><p>No problems.</p>`;
  return html`<h2>Action required</h2>${asking.map(({ name, needs }) => {
    const more = needs.length - MOST.among;
    return html`<section><h3><a href="${mirrorAddress(name)}">${nameView(name)}</a></h3>${attentionList(needs.slice(0, MOST.among))}${
      more > 0 && html`<p><a href="${mirrorAddress(name, "needs")}">… and ${plural(more, "more problem")}</a></p>`
    }</section>`;
  })}`;
}

export const FOLDER = folderPage({
  path: "/m/:name",
  section: "",
  showsUnread: true,
  show: (_ui, folder, asked) =>
    ok({
      title: `${folder.needs.length > 0 ? `(${folder.needs.length}) ` : ""}${folder.name} · mdmirror`,
      here: mirrorAddress(folder.name),
      said: screenReaderText(folder),
      main: html`<h1>${nameView(folder.name)}</h1>
<p>${stateOf(folder, asked.now)}</p>
${workOf(folder)}
${folder.status !== null && buttons(folder, asked)}
${needsPart(folder)}
<h2>The linked folder</h2>
${factsOf(folder, asked.now)}`,
    }),
});

function buttons(folder: Folder, asked: PageRequest): Html {
  const sync = html`<button class="main-action"${folder.job?.end === null && html` disabled`}>Sync now</button>`;
  const [path, label] = folder.daemon?.paused === true ? ["resume", "Resume"] : ["pause", "Pause"];
  return html`<div class="row">${folderForm(folder, { path: "sync" }, asked, sync)}${
    folder.daemon !== null && folderForm(folder, { path: path! }, asked, html`<button>${label!}</button>`)
  }</div>`;
}

function needsPart({ name, needs, waits }: Folder): Html {
  return html`<h2>Action required</h2>
${needs.length === 0 ? html`<p>No problems.</p>` : attentionList(needs.slice(0, MOST.own))}
${needs.length > MOST.own && html`<p><a href="${mirrorAddress(name, "needs")}">All ${count(needs.length)} problems</a></p>`}
${waits.length > 0 && html`<details><summary>${count(waits.length)} pending: nothing for you to do</summary>${attentionList(waits)}</details>`}`;
}

function factsOf({ root, addresses, status, daemon }: Folder, now: number): Html {
  const rows: (readonly [string, Html | string])[] = [
    ["Folder", nameView(root)],
    ["Service", sentenceView(addresses.join(" "))],
  ];
  if (status !== null) {
    const { remote, pending, lastRun } = status;
    if (remote !== "") rows.push(["Subfolder", nameView([remote].flat().join(", "))]);
    rows.push(["Content", sizeOf(status)]);
    if (pending > 0) rows.push(["Interrupted", `${plural(pending, "step")}; the next sync completes them`]);
    const last =
      lastRun && html`${lastRun.kind} ${lastRun.run}, ${ageOf(lastRun.endedAt ?? lastRun.startedAt, now)} ago`;
    rows.push(["Last run", last ?? "none yet"], ["Daemon", daemon === null ? "none" : "runs"]);
  }
  return html`<dl class="facts">${rows.map(([term, what]) => html`<dt>${term}</dt><dd>${what}</dd>`)}</dl>`;
}

export const NEEDS = folderPage({
  path: "/m/:name/needs",
  section: "needs",
  showsUnread: true,
  show(_ui, folder, asked) {
    const { name, waits } = folder;
    const part = partOf(folder.needs, asked, MOST.needs);
    return ok({
      title: `Action required · ${name} · mdmirror`,
      said: screenReaderText(folder),
      main: html`<h1>Action required in ${nameView(name)}</h1>
<p>${stateOf(folder, asked.now)}</p>
${part.total === 0 ? html`<p>No problems.</p>` : attentionList(part.items)}
${pagerOf(part, "problems", (page) => mirrorAddress(name, "needs", { page }))}
${waits.length > 0 && html`<h2>Pending</h2>${attentionList(waits)}`}`,
    });
  },
});
