/** Makes the frame around the content of every page. */

import { count } from "../common/count.ts";
import { shownWords } from "../common/shown-name.ts";
import { assetPath, type Bundle } from "./bundle.ts";
import { html, type Html } from "./html.ts";
import { actionForm, factsOf, type Fields, type Link, nextOf, type Tone } from "./parts.ts";

/** Links with a label, which screen readers speak. */
export type LinkGroup = { readonly label: string; readonly links: readonly Link[] };

/** A sentence that a page shows after a form was sent. */
export type Notice = {
  /** Name of the message, by which a live page shows it once; left out: it is on one page only. */
  readonly id?: string;
  readonly tone: Tone;
  readonly text: string;
  /** Next step for the user; left out: none. */
  readonly next?: string | null;
  /** Further facts, such as the places of old files, which open on demand. */
  readonly details?: readonly string[];
  /** Page that the user probably opens next. */
  readonly link?: Pick<Link, "href" | "label"> | null;
  /** Form that takes the action back: its address, its button and its fields. */
  readonly undo?: { readonly action: string; readonly label: string; readonly fields: Fields };
};

export type Frame = {
  /** The program's name, at the left of the header. */
  readonly brand: Link;
  readonly nav: readonly Link[];
  /** Menu beside the program's name, whose label names the subject of the page. */
  readonly switcher?: LinkGroup | null;
  /** Tabs below the header that lead to related pages; null if there are none. */
  readonly sections?: LinkGroup | null;
  /** Address to which the navigation marks its link; left out: none. */
  readonly address?: string | null;
  readonly bundle: Bundle;
  /** The session's token, for the forms of notices; null if nobody is signed in. */
  readonly csrf: string | null;
};

export type Content = {
  readonly title: string;
  readonly main: Html;
  /** Text that a screen reader speaks when it changes; "" for none. */
  readonly announcement?: string;
  readonly notices?: readonly Notice[];
  /** Milliseconds after which a script reads a visible page again; null if the page is not live. */
  readonly refreshMs?: number | null;
  /** Further scripts beside `page.js`. */
  readonly scripts?: readonly string[];
};

/** Keys of every page, with what each does: `islands/page/keys.ts`. */
const KEYS = {
  "/": "go to the search or filter field",
  j: "next row",
  k: "previous row",
  "?": "show these keys",
};

const KEYS_DIALOG = html`<dialog id="keys" aria-label="Keys">${factsOf(
  Object.entries(KEYS).map(([key, does]) => [html`<kbd>${key}</kbd>`, does]),
)}<form method="dialog"><button>Close</button></form></dialog>`;

export function renderPage(frame: Frame, content: Content): string {
  const { brand, nav, switcher = null, sections = null, address = null, bundle, csrf } = frame;
  const { title, main, announcement = "", notices = [], refreshMs = null, scripts = [] } = content;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${shownWords(title)}</title>
<link rel="icon" href="${assetPath(bundle, "icon.svg")}">
<link rel="stylesheet" href="${assetPath(bundle, "style.css")}">
${["page.js", ...scripts].map((entry) => html`<script type="module" src="${assetPath(bundle, entry)}"></script>`)}
</head>
<body>
<a class="unseen" href="#main">Skip to the content</a>
<header class="bar"><div>
<a class="brand" href="${brand.href}">${brand.label}</a>
${switcher !== null && html`<details class="menu"><summary><bdi>${shownWords(switcher.label)}</bdi></summary>${linkList(switcher.links, address)}</details>`}
<nav class="pages" aria-label="Pages">${linkList(nav, address)}</nav>
</div></header>
${sections !== null && html`<nav class="sections" id="sections" aria-label="${shownWords(sections.label)}">${linkList(sections.links, address)}</nav>`}
<p id="announcement" role="status" class="unseen">${shownWords(announcement)}</p>
<div id="toasts" class="toasts"><p id="cut-off" role="alert" class="toast bad" hidden>This page is not up to date any more: the
program that shows it does not answer. Start it again, or reload the page.</p>
${notices.map((notice) => noticeOf(notice, csrf))}</div>
${KEYS_DIALOG}
<main id="main" tabindex="-1"${refreshMs !== null && html` data-refresh="${refreshMs}"`}>${main}</main>
</body>
</html>
`.text;
}

/** @param address address of the page, which is marked in the list */
function linkList(links: readonly Link[], address: string | null): Html {
  return html`<ul>${links.map(({ href, label, current = null, count: number = 0, tone = "quiet" }) => {
    const marked = href === address ? "page" : current;
    return html`<li><a href="${href}"${marked !== null && html` aria-current="${marked}"`}><bdi>${shownWords(label)}</bdi>${
      number > 0 && html` <span class="count ${tone}">${count(number)}</span>`
    }</a></li>`;
  })}</ul>`;
}

/** @param csrf the session's token; null if the notice may not have a form */
function noticeOf(
  { id = "", tone, text, next = null, details = [], link = null, undo }: Notice,
  csrf: string | null,
): Html {
  return html`<div role="status" class="toast ${tone}" data-id="${id}"><span><span dir="auto">${shownWords(text)}</span>${
    next !== null && nextOf(next)
  }${
    details.length > 0 &&
    html`<details><summary>Details</summary><ul>${details.map((detail) => html`<li dir="auto">${shownWords(detail)}</li>`)}</ul></details>`
  }</span>${
    undo !== undefined && csrf !== null && actionForm({ ...undo, csrf }, html`<button>${undo.label}</button>`)
  }${link !== null && html`<a class="button" href="${link.href}">${shownWords(link.label)}</a>`}</div>`;
}
