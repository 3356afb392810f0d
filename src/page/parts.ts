import { formatAge } from "../common/quantities.ts";
import { shownName, shownWords, toSentence } from "../common/shown-words.ts";
import { html, type Html, type HtmlValue } from "./html.ts";
import { type Snippet, splitIntoFoundPieces } from "../markdown/search/snippets.ts";

export type Link = {
  readonly href: string;
  readonly label: string;
  /**
   * Relation of the link to the shown page. `page`: the link leads to the shown page. `true`: the
   * link leads to the section of the shown page.
   */
  readonly current?: "page" | "true" | null;
  /** Number beside the label; undefined or 0 for no number. */
  readonly count?: number;
  readonly tone?: ToneName;
};

/** Meaning of a colour. Pages also state this meaning in words. */
export type ToneName = "good" | "asks" | "bad" | "quiet";

/**
 * Shows a name or path. The characters of the name, such as right-to-left letters, cannot change
 * the text beside the name.
 */
export function renderName(name: string): Html {
  return html`<bdi class="name">${shownName(name)}</bdi>`;
}

/** Shows a sentence that may contain file names, with control characters escaped. */
export function renderSentence(words: string): Html {
  return html`<span dir="auto">${shownWords(words)}</span>`;
}

export function renderBadge(tone: ToneName, word: string): Html {
  return html`<span class="badge ${tone}">${word}</span>`;
}

export function renderDot(tone: ToneName, word: string): Html {
  return html`<span class="dot ${tone}">${word}</span>`;
}

/**
 * @param detail a second line, less prominent; null for none
 * @param actions forms and links after the sentence
 */
export function renderBanner(tone: ToneName, sentence: HtmlValue, detail: HtmlValue, actions: HtmlValue = null): Html {
  return html`<section class="banner ${tone}" id="banner"><div><h1>${sentence}</h1>${
    detail !== null && html`<p>${detail}</p>`
  }</div>${actions !== null && html`<div class="row">${actions}</div>`}</section>`;
}

/** A number with a label. `href`: address of a page about the number; null for no link. */
type Tile = { readonly value: HtmlValue; readonly label: string; readonly href?: string | null };

export function renderTiles(tiles: readonly Tile[]): Html {
  return html`<div class="tiles" id="tiles">${tiles.map(({ value, label, href = null }) => {
    const content = html`<b>${value}</b><span>${label}</span>`;
    return href === null
      ? html`<div class="tile">${content}</div>`
      : html`<a class="tile" href="${href}">${content}</a>`;
  })}</div>`;
}

export function renderEmptyState(title: string, text: HtmlValue, action: HtmlValue = null): Html {
  return html`<div class="empty"><h2>${title}</h2><p>${text}</p>${action}</div>`;
}

/**
 * Shows a command that does the same as the page, in an element that the user can expand. `origin`:
 * more details, such as an error code and a request id.
 */
export function renderCommand(command: string, origin: HtmlValue = null): Html {
  const code = html`<code>${shownWords(command)}</code>`;
  return renderDetails(origin === null ? "Show command" : "Details", html`${origin}${code}`);
}

export function hasCommand(next: string): boolean {
  return next.includes("mdmirror ");
}

/**
 * Shows the next step, which is a sentence or a command. `origin`: details, such as an error code,
 * in an element that the user can expand.
 */
export function renderNextStep(next: string, origin: HtmlValue = null): Html {
  if (hasCommand(next)) return renderCommand(next, origin);
  return html`<p class="next"><span dir="auto">${shownWords(toSentence(next))}</span></p>${origin !== null && renderDetails("Details", origin)}`;
}

export function renderDetails(label: string, facts: HtmlValue): Html {
  return html`<details class="command"><summary>${label}</summary>${facts}</details>`;
}

export function renderBreadcrumbs(label: string, links: readonly Link[]): Html {
  return html`<nav aria-label="${label}"><ol class="crumbs">${links.map(
    ({ href, label: name, current = null }) =>
      html`<li>${current === "page" ? html`<span aria-current="page">${renderName(name)}</span>` : html`<a href="${href}">${renderName(name)}</a>`}</li>`,
  )}</ol></nav>`;
}

/** Shows an age, which a script updates. Times are milliseconds since the epoch. */
export function renderAge(time: number, now: number): Html {
  const date = new Date(time).toISOString();
  return html`<time class="age" datetime="${date}" title="${date}">${formatAge(now - time)}</time>`;
}

/**
 * Returns attributes for a field whose value was refused. The first refused field gets the focus.
 * @param id element id of the sentence that gives the reason
 */
export function renderRefusedAttributes(id = "fault"): Html {
  return html` aria-invalid="true" aria-errormessage="${id}" autofocus`;
}

export function renderRefusal(sentence: string, id = "fault"): Html {
  return html`<span class="notice bad" role="alert" id="${id}">${renderSentence(sentence)}</span>`;
}

/**
 * Returns a form that works without scripts.
 * @param fields hidden fields, in addition to the token of the session
 */
export function renderActionForm(
  { action, csrf, fields = {} }: { readonly action: string; readonly csrf: string; readonly fields?: FormFields },
  content: HtmlValue,
): Html {
  const hiddenFields = Object.entries({ ...fields, csrf });
  return html`<form method="post" action="${action}">${hiddenFields.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${content}</form>`;
}

/** Values by the names of form fields, or labels by the values of options. */
export type FormFields = Readonly<Record<string, string>>;

/** Returns links to all views of one subject. `isShown` marks the view of the current page. */
export function renderSegments(
  label: string,
  views: readonly { readonly href: string; readonly label: string; readonly isShown: boolean }[],
): Html {
  return html`<nav aria-label="${label}" class="segments">${views.map(
    ({ href, label: name, isShown }) => html`<a href="${href}"${isShown && html` aria-current="true"`}>${name}</a>`,
  )}</nav>`;
}

export function renderOptions(choices: FormFields, chosen: string | undefined): readonly Html[] {
  return Object.entries(choices).map(
    ([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`,
  );
}

export function renderRadioButtons(name: string, choices: FormFields, chosen: string | null): readonly Html[] {
  return Object.entries(choices).map(
    ([value, label]) =>
      html`<label><input type="radio" name="${name}" value="${value}"${value === chosen && html` checked`}>${label}</label>`,
  );
}

export function renderFacts(rows: readonly (readonly [term: HtmlValue, fact: HtmlValue])[]): Html {
  return html`<dl class="facts">${rows.map(([term, fact]) => html`<dt>${term}</dt><dd>${fact}</dd>`)}</dl>`;
}

type FoundDocument = { readonly href: string; readonly path: string; readonly lines: readonly Snippet[] };

export function renderFoundDocuments(files: readonly FoundDocument[]): Html {
  if (files.length === 0) return html``;
  return html`<ol class="card flush rows">${files.map(
    ({ href, path, lines }) =>
      html`<li><div class="main"><a href="${href}">${renderName(path)}</a>${
        lines.length > 0 && html`<ul class="found">${lines.map(renderLine)}</ul>`
      }</div></li>`,
  )}</ol>`;
}

function renderLine(line: Snippet): Html {
  const pieces = splitIntoFoundPieces(line).map((piece, i, all) =>
    i === 0 && !piece.isMatch && all.length > 1 ? { ...piece, text: shortenLead(piece.text) } : piece,
  );
  return html`<li><span class="number faint"><span class="unseen">line </span>${line.line}</span> <span dir="auto">${pieces.map(({ text, isMatch }) => (isMatch ? html`<mark>${text}</mark>` : text))}</span></li>`;
}

/**
 * LIMIT: number of characters of a line that are shown before the first match, so that the match is
 * visible on a narrow page. A line of such a page has about 70 characters.
 */
const MAX_LEAD_CHARACTERS = 40;

/** Shortens a text to the whole words at its end, and marks the cut with `…`. */
function shortenLead(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_LEAD_CHARACTERS) return text;
  const lastCharacters = characters.slice(-MAX_LEAD_CHARACTERS).join("");
  const lastWords = lastCharacters.slice(lastCharacters.indexOf(" ") + 1);
  return `…${lastWords === "" ? lastCharacters : lastWords}`;
}
