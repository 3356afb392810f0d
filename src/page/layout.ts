/** Renders a whole page: a frame, which most pages share, around notices and the page's content. */
import { count } from "../common/quantities.ts";
import { shownWords } from "../common/shown-words.ts";
import { type Bundle, findAssetPath } from "./bundle.ts";
import { html, type Html } from "./html.ts";
import { type FormFields, type Link, renderActionForm, renderFacts, renderNextStep, type ToneName } from "./parts.ts";
import { BoundedMap } from "../common/bounded-map.ts";

export type LinkGroup = { readonly label: string; readonly links: readonly Link[] };

export type Notice = {
  /** Id of the notice, by which an updated page shows the notice only once. */
  readonly id?: string;
  readonly tone: ToneName;
  readonly text: string;
  readonly next?: string | null;
  /** Details, such as the paths of old files, in an element that the user can expand. */
  readonly details?: readonly string[];
  /** Link to the page that the user probably opens next; null for no link. */
  readonly link?: Pick<Link, "href" | "label"> | null;
  /** Form that undoes the action. `label`: words on the form's button; `fields`: hidden fields. */
  readonly undo?: { readonly action: string; readonly label: string; readonly fields: FormFields };
};

export type Frame = {
  readonly brand: Link;
  readonly nav: readonly Link[];
  /**
   * Menu beside the program's name, such as the list of linked folders. The label of the menu names
   * the subject of the page.
   */
  readonly switcher?: LinkGroup | null;
  readonly sections?: LinkGroup | null;
  /** Address of the current page, whose link the navigation marks; null to mark no link. */
  readonly address?: string | null;
  readonly bundle: Bundle;
  /** Token of the session for the forms of notices; null if nobody is signed in. */
  readonly csrf: string | null;
};

export type Content = {
  readonly title: string;
  readonly main: Html;
  /** Text that a screen reader speaks when the text changes; empty for no text. */
  readonly announcement?: string;
  readonly notices?: readonly Notice[];
  /** Milliseconds between two automatic updates of a visible page; null for no updates. */
  readonly refreshMs?: number | null;
  /** Names of scripts that the page loads in addition to `page.js`. */
  readonly scripts?: readonly string[];
};

/** Keyboard shortcuts of every page, which `islands/page/keys.ts` implements. */
const SHORTCUTS = {
  "/": "go to the search or filter field",
  j: "next row",
  k: "previous row",
  "?": "show these keys",
};

const SHORTCUTS_DIALOG = html`<dialog id="keys" aria-label="Keys">${renderFacts(
  Object.entries(SHORTCUTS).map(([key, does]) => [html`<kbd>${key}</kbd>`, does]),
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
<link rel="icon" href="${findAssetPath(bundle, "icon.svg")}">
<link rel="stylesheet" href="${findAssetPath(bundle, "style.css")}">
${["page.js", ...scripts].map((entry) => html`<script type="module" src="${findAssetPath(bundle, entry)}"></script>`)}
</head>
<body>
<a class="unseen" href="#main">Skip to the content</a>
<header class="bar"><div>
<a class="brand" href="${brand.href}">${brand.label}</a>
${switcher !== null && html`<details class="menu"><summary><bdi>${shownWords(switcher.label)}</bdi></summary>${renderLinks(switcher.links, address)}</details>`}
<nav class="pages" aria-label="Pages">${renderLinks(nav, address)}</nav>
</div></header>
${sections !== null && html`<nav class="sections" id="sections" aria-label="${shownWords(sections.label)}">${renderLinks(sections.links, address)}</nav>`}
<p id="announcement" role="status" class="unseen">${shownWords(announcement)}</p>
<div id="toasts" class="toasts"><p id="cut-off" role="alert" class="toast bad" hidden>This page is not up to date any more: the
program that shows it does not answer. Start it again, or reload the page.</p>
${notices.map((notice) => renderNotice(notice, csrf))}</div>
${SHORTCUTS_DIALOG}
<main id="main" tabindex="-1"${refreshMs !== null && html` data-refresh="${refreshMs}"`}>${main}</main>
</body>
</html>
`.text;
}

/** @param address address of the page, whose link is marked; null to mark no link */
function renderLinks(links: readonly Link[], address: string | null): Html {
  return html`<ul>${links.map(({ href, label, current = null, count: number = 0, tone = "quiet" }) => {
    const currentMark = href === address ? "page" : current;
    return html`<li><a href="${href}"${currentMark !== null && html` aria-current="${currentMark}"`}><bdi>${shownWords(label)}</bdi>${
      number > 0 && html` <span class="count ${tone}">${count(number)}</span>`
    }</a></li>`;
  })}</ul>`;
}

/** @param csrf token of the session; null to show no form */
function renderNotice(
  { id = "", tone, text, next = null, details = [], link = null, undo }: Notice,
  csrf: string | null,
): Html {
  return html`<div role="status" class="toast ${tone}" data-id="${id}"><span><span dir="auto">${shownWords(text)}</span>${
    next !== null && renderNextStep(next)
  }${
    details.length > 0 &&
    html`<details><summary>Details</summary><ul>${details.map((detail) => html`<li dir="auto">${shownWords(detail)}</li>`)}</ul></details>`
  }</span>${
    undo !== undefined && csrf !== null && renderActionForm({ ...undo, csrf }, html`<button>${undo.label}</button>`)
  }${link !== null && html`<a class="button" href="${link.href}">${shownWords(link.label)}</a>`}</div>`;
}

/** LIMIT: number of notices that are kept, so that the notices do not fill the memory. */
const MAX_NOTICES = 200;

/**
 * Notices for the page that follows a form. The address of that page contains only the id of a
 * stored notice. So nobody can make an address whose page shows other words as a notice.
 */
export class Notices {
  readonly #secret: () => string;
  readonly #kept = new BoundedMap<string, Notice>(MAX_NOTICES);

  /** @param secret returns an id for addresses that nobody can guess */
  constructor(secret: () => string) {
    this.#secret = secret;
  }

  /** Stores a notice. Returns the address `to`, with the id of the notice. */
  at(to: string, notice: Notice | null): string {
    if (notice === null) return to;
    const id = this.#secret();
    this.#kept.set(id, notice);
    const [path, fragment] = to.split("#", 2);
    return `${path}${path!.includes("?") ? "&" : "?"}message=${id}${fragment === undefined ? "" : `#${fragment}`}`;
  }

  of(query: URLSearchParams): Notice[] {
    const notice = this.#kept.get(query.get("message") ?? "");
    return notice === undefined ? [] : [notice];
  }
}
