import { readEntry } from "../../mirror/operations/doctor/list-folder.ts";
import { ok, type Result } from "../../common/trouble.ts";
import { count } from "../../common/count.ts";
import { nameOf as lastName, parentOf } from "../../contract/path.ts";
import { html, type Html } from "../../page/html.ts";
import type { Content } from "../../page/layout.ts";
import { documentView, type RenderedMarkdown } from "../../page/markdown.ts";
import { ageOf, nameView, sentenceView } from "../../page/parts.ts";
import { documentAddress } from "../addresses.ts";
import { entryBadge, type ShownEntry } from "../entry-parts.ts";
import { attentionList } from "../mirror-parts.ts";
import type { Need } from "../needs.ts";
import type { Moment, Ui } from "../page.ts";
import { crumbsOf } from "../path-parts.ts";
import type { SeenMirror } from "../seen-mirror.ts";

/** Shows one document: its state, its content, and links to its history. */

/** LIMIT: characters that are shown. Documents of the service have at most a third of that. */
const MOST = 150_000;

export type DocumentModel = {
  readonly kind: "document";
  readonly mirror: string;
  readonly path: string;
  readonly entry: ShownEntry;
  /** Open conflict, block or review of the document; empty if there is none. */
  readonly open: readonly Need[];
  /** True to show the Markdown source. */
  readonly asText: boolean;
  readonly text: ShownText;
};

type ShownText =
  | {
      readonly kind: "read";
      readonly text: string;
      /** Number of characters beyond the limit, which are not shown. */
      readonly left: number;
      readonly changedAt: number;
      /** Rendered content; null if it could not be rendered, or the user asked for the source. */
      readonly rendered: RenderedMarkdown | null;
    }
  | { readonly kind: "unread"; readonly why: string };

export async function lookAtDocument(
  ui: Ui,
  { name, root, needs, waits }: SeenMirror,
  entry: ShownEntry,
  { path, asText }: { readonly path: string; readonly asText: boolean },
): Promise<Result<DocumentModel>> {
  const read = readEntry(root, path, ui.random);
  if (read.kind === "trouble") return read;
  const open = [...needs, ...waits].filter((one) => one.path === path);
  const common = { kind: "document", mirror: name, path, entry, open, asText } as const;
  if (read.value.kind !== "done") return ok({ ...common, text: { kind: "unread", why: read.value.detail } });
  const { text: whole, stamp } = read.value.value;
  const left = Math.max(0, whole.length - MOST);
  const base = { files: documentAddress(name, "docs", ""), folder: parentOf(path) };
  const isLaidOut = !asText && left === 0 && entry.kind === "document";
  const rendered = isLaidOut ? await ui.documents.render(whole, base) : null;
  const text = { kind: "read", text: whole.slice(0, MOST), left, changedAt: stamp.mtimeMs, rendered } as const;
  return ok({ ...common, text });
}

export function showDocument({ mirror, path, entry, open, asText, text }: DocumentModel, { now }: Moment): Content {
  return {
    title: `${lastName(path)} · ${mirror} · mdmirror`,
    main: html`${crumbsOf(mirror, path)}
<h1>${nameView(lastName(path))}</h1>
<p>${entryBadge(entry)}${entry.why !== null && html` ${sentenceView(entry.why)}`}${
      text.kind === "read" && html` <span class="faint">file changed ${ageOf(text.changedAt, now)} ago</span>`
    }</p>
${waysOf(mirror, path, asText)}
${open.length > 0 && attentionList(open, mirror)}
${textPart(text, asText)}`,
  };
}

function waysOf(mirror: string, path: string, asText: boolean): Html {
  const ways = [
    ["history", "History"],
    ["why", "Explain its state"],
  ];
  return html`<p class="row">${ways.map(
    ([part, label]) => html`<a class="button" href="${documentAddress(mirror, part!, path)}">${label!}</a>`,
  )}<a class="button" href="${documentAddress(mirror, "docs", path, { as: asText ? null : "text" })}">${
    asText ? "Rendered" : "As text"
  }</a></p>`;
}

function textPart(text: ShownText, asText: boolean): Html {
  if (text.kind === "unread") return html`<p class="notice quiet">${sentenceView(text.why)}</p>`;
  if (text.text === "") return html`<p class="faint">This document is empty.</p>`;
  if (text.rendered !== null)
    return html`<article class="document" dir="auto">${documentView(text.rendered)}</article>`;
  return html`${!asText && text.left === 0 && html`<p class="faint">The document takes too long to render, so this is its source.</p>`}
<pre class="text" dir="auto">${text.text}</pre>${
    text.left > 0 && html`<p class="faint">… and ${count(text.left)} more characters</p>`
  }`;
}
