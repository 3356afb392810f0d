import { ok, type Result } from "../../app/mirror/trouble.ts";
import { count } from "../../model/count.ts";
import { nameOf as lastName } from "../../model/path.ts";
import { html, type Html } from "../../page/html.ts";
import type { Content } from "../../page/layout.ts";
import { ageOf, nameOf, wordsOf } from "../../page/parts.ts";
import { documentAddress } from "../addresses.ts";
import { entryBadge, type ShownEntry } from "../entry-parts.ts";
import { attentionList } from "../mirror-parts.ts";
import type { Need } from "../needs.ts";
import type { Moment, Ui } from "../page.ts";
import { crumbsOf } from "../path-parts.ts";
import type { SeenMirror } from "../seen-mirror.ts";

/** One document: how it stands, its text, and the way to its history. */

/** LIMIT: characters that are shown; a service takes a third of it. */
const MOST = 150_000;

export type DocumentModel = {
  readonly kind: "document";
  readonly mirror: string;
  readonly path: string;
  readonly entry: ShownEntry;
  /** What is open about it. */
  readonly open: readonly Need[];
  readonly text: ShownText;
};

type ShownText =
  | { readonly kind: "read"; readonly text: string; readonly left: number; readonly changedAt: number }
  | { readonly kind: "unread"; readonly why: string };

export function lookAtDocument(ui: Ui, mirror: SeenMirror, path: string, entry: ShownEntry): Result<DocumentModel> {
  const { name, root, needs, waits } = mirror;
  const read = ui.folders.read(root, path);
  if (read.kind === "trouble") return read;
  const open = [...needs, ...waits].filter((one) => one.path === path);
  const text: ShownText =
    read.value.kind === "done"
      ? textOf(read.value.value.text, read.value.value.stamp.mtimeMs)
      : { kind: "unread", why: read.value.detail };
  return ok({ kind: "document", mirror: name, path, entry, open, text });
}

function textOf(text: string, changedAt: number): ShownText {
  return { kind: "read", text: text.slice(0, MOST), left: Math.max(0, text.length - MOST), changedAt };
}

export function showDocument({ mirror, path, entry, open, text }: DocumentModel, moment: Moment): Content {
  const { now, pages } = moment;
  return {
    title: `${lastName(path)} · ${mirror} · mdmirror`,
    main: html`${crumbsOf(mirror, path)}
<h1>${nameOf(lastName(path))}</h1>
<p>${entryBadge(entry)}${entry.why !== null && html` ${wordsOf(entry.why)}`}${
      text.kind === "read" && html` <span class="faint">file changed ${ageOf(text.changedAt, now)} ago</span>`
    }</p>
${waysOf(mirror, path, pages)}
${open.length > 0 && attentionList(open, mirror, pages)}
<h2>Text</h2>
${textPart(text)}`,
  };
}

function waysOf(mirror: string, path: string, pages: ReadonlySet<string>): Html {
  const ways = [
    ["history", "History"],
    ["why", "Why it is so"],
  ].filter(([part]) => pages.has(`/m/:name/${part}/*`));
  return html`<p class="row">${ways.map(
    ([part, label]) => html`<a class="button" href="${documentAddress(mirror, part!, path)}">${label!}</a>`,
  )}</p>`;
}

function textPart(text: ShownText): Html {
  if (text.kind === "unread") return html`<p class="notice quiet">${wordsOf(text.why)}</p>`;
  if (text.text === "") return html`<p class="faint">It is empty.</p>`;
  return html`<pre class="text" dir="auto">${text.text}</pre>${
    text.left > 0 && html`<p class="faint">… and ${count(text.left)} more characters</p>`
  }`;
}
