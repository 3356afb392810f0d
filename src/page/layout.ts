import { shownWords } from "../common/shown-name.ts";
import { assetPath, type Bundle } from "./bundle.ts";
import { html, type Html } from "./html.ts";

/** Makes the frame around the content of every page. */

export type Link = {
  readonly href: string;
  readonly label: string;
  /** `page`: the link leads to this page; `true`: this page belongs to the link. */
  readonly current?: "page" | "true" | null;
};

/** Meaning of a colour. The page always says the same in words as well. */
export type Tone = "good" | "asks" | "bad" | "quiet";

/** A sentence that a page shows after a form was sent. */
export type Notice = { readonly tone: Tone; readonly text: string; readonly next: string | null };

export type Frame = {
  /** The program's name, at the left of the header. */
  readonly brand: Link;
  readonly nav: readonly Link[];
  /** Navigation below the header, among related pages; null if the page has none. */
  readonly sections?: { readonly label: string; readonly links: readonly Link[] } | null;
  readonly bundle: Bundle;
  /** The session's token, for requests of scripts; null if nobody is signed in. */
  readonly csrf: string | null;
};

export type Content = {
  readonly title: string;
  readonly main: Html;
  /** Text that a screen reader speaks when it changes; "" for none. */
  readonly said?: string;
  readonly notices?: readonly Notice[];
  /** Address of the page's changes, as server-sent events; null if the page is not live. */
  readonly events?: string | null;
  /** Further scripts beside `page.js`. */
  readonly scripts?: readonly string[];
  /** Address of this page, to mark it in the navigation. */
  readonly here?: string;
};

export function renderPage(frame: Frame, content: Content): string {
  const { brand, nav, sections = null, bundle, csrf } = frame;
  const { title, main, said = "", notices = [], events = null, scripts = [], here = null } = content;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${csrf !== null && html`<meta name="csrf-token" content="${csrf}">`}
<title>${shownWords(title)}</title>
<link rel="icon" href="${assetPath(bundle, "icon.svg")}">
<link rel="stylesheet" href="${assetPath(bundle, "style.css")}">
${["page.js", ...scripts].map((entry) => html`<script type="module" src="${assetPath(bundle, entry)}"></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" href="${brand.href}">${brand.label}</a>
<nav aria-label="Pages"><ul>${nav.map((link) => navItem(link, here))}</ul></nav>
</header>
${sections !== null && html`<nav class="sections" aria-label="${shownWords(sections.label)}"><ul>${sections.links.map((link) => navItem(link, here))}</ul></nav>`}
<p id="said" role="status" class="unseen">${shownWords(said)}</p>
<p id="cut-off" role="alert" class="notice bad" hidden>This page is not up to date any more: the program that shows it does
not answer. Start it again, or reload the page.</p>
${notices.map(noticeOf)}
<main id="main" tabindex="-1"${events !== null && html` data-events="${events}"`}>${main}</main>
</body>
</html>
`.text;
}

function navItem({ href, label, current = null }: Link, here: string | null): Html {
  const marked = href === here ? "page" : current;
  return html`<li><a href="${href}"${marked !== null && html` aria-current="${marked}"`}><bdi>${shownWords(label)}</bdi></a></li>`;
}

export function noticeOf({ tone, text, next }: Notice): Html {
  return html`<p role="status" class="notice ${tone}"><span dir="auto">${shownWords(text)}</span>${next !== null && html` <span class="next">Next: ${shownWords(next)}</span>`}</p>`;
}
