/** Parts that many pages share. */

import { ageText } from "../common/age.ts";
import { sentenceOf } from "../common/sentence.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import { html, type Html, type Shown } from "./html.ts";

export type Link = {
  readonly href: string;
  readonly label: string;
  /** `page`: the link leads to this page; `true`: this page belongs to the link. */
  readonly current?: "page" | "true" | null;
  /** Number beside the label; undefined and 0: none. */
  readonly count?: number;
  /** Colour of the number. */
  readonly tone?: Tone;
};

/** Meaning of a colour. The page always says the same in words as well. */
export type Tone = "good" | "asks" | "bad" | "quiet";

/**
 * Shows a name or path from outside. Whatever its writing direction, it cannot change the look of
 * the text beside it.
 */
export function nameView(name: string): Html {
  return html`<bdi class="name">${shownName(name)}</bdi>`;
}

/** Shows a sentence, which may contain names of files or words of the service. */
export function sentenceView(words: string): Html {
  return html`<span dir="auto">${shownWords(words)}</span>`;
}

/** Shows a word with a coloured mark. */
export function badgeOf(tone: Tone, word: string): Html {
  return html`<span class="badge ${tone}">${word}</span>`;
}

/** Shows a state as a coloured dot with its word. */
export function dotOf(tone: Tone, word: string): Html {
  return html`<span class="dot ${tone}">${word}</span>`;
}

/**
 * Shows the state of the page's subject in one sentence.
 * @param detail a second, fainter line; null for none
 * @param actions forms and links at the end
 */
export function bannerOf(tone: Tone, sentence: Shown, detail: Shown, actions: Shown = null): Html {
  return html`<section class="banner ${tone}" id="banner"><div><h1>${sentence}</h1>${
    detail !== null && html`<p>${detail}</p>`
  }</div>${actions !== null && html`<div class="row">${actions}</div>`}</section>`;
}

/** A number with its name; `href` is the page about it. */
export type Tile = { readonly value: Shown; readonly label: string; readonly href?: string | null };

export function tilesOf(tiles: readonly Tile[]): Html {
  return html`<div class="tiles" id="tiles">${tiles.map(({ value, label, href = null }) => {
    const content = html`<b>${value}</b><span>${label}</span>`;
    return href === null
      ? html`<div class="tile">${content}</div>`
      : html`<a class="tile" href="${href}">${content}</a>`;
  })}</div>`;
}

/** Shows that a list has nothing yet, and what to do. */
export function emptyOf(title: string, text: Shown, action: Shown = null): Html {
  return html`<div class="empty"><h2>${title}</h2><p>${text}</p>${action}</div>`;
}

/**
 * Shows a command that does the same as the page.
 * @param origin facts for an administrator, such as a code; null for none
 */
export function commandOf(command: string, origin: Shown = null): Html {
  const code = html`<code>${shownWords(command)}</code>`;
  return detailsOf(origin === null ? "Show command" : "Details", html`${origin}${code}`);
}

/** Returns true if a next step names a command to run. */
export function isCommand(next: string): boolean {
  return next.includes("mdmirror ");
}

/** Shows the next step: a sentence, or a command. */
export function nextOf(next: string, origin: Shown = null): Html {
  if (isCommand(next)) return commandOf(next, origin);
  return html`<p class="next"><span dir="auto">${shownWords(sentenceOf(next))}</span></p>${origin !== null && detailsOf("Details", origin)}`;
}

/** Shows facts that open on demand. */
export function detailsOf(label: string, facts: Shown): Html {
  return html`<details class="command"><summary>${label}</summary>${facts}</details>`;
}

/** Shows the path to a page as links; the last one is the page itself. */
export function crumbsView(label: string, links: readonly Link[]): Html {
  return html`<nav aria-label="${label}"><ol class="crumbs">${links.map(
    ({ href, label: name, current = null }) =>
      html`<li>${current === "page" ? html`<span aria-current="page">${nameView(name)}</span>` : html`<a href="${href}">${nameView(name)}</a>`}</li>`,
  )}</ol></nav>`;
}

/**
 * Shows an age, which a script updates.
 * @param time in milliseconds since the epoch, as `now`
 */
export function ageOf(time: number, now: number): Html {
  const date = new Date(time).toISOString();
  return html`<time class="age" datetime="${date}" title="${date}">${ageText(now - time)}</time>`;
}

/**
 * Returns the attributes of a control whose content was refused; the first one gets the focus.
 * @param id element id of the sentence that says why
 */
export function refusedBy(id = "fault"): Html {
  return html` aria-invalid="true" aria-errormessage="${id}" autofocus`;
}

/** Shows why the content of a control was refused. */
export function refusalOf(sentence: string, id = "fault"): Html {
  return html`<span class="notice bad" role="alert" id="${id}">${sentenceView(sentence)}</span>`;
}

/**
 * Returns a form with a button. The form works without scripts.
 * @param fields hidden fields, in addition to the token
 */
export function actionForm(
  { action, csrf, fields = {} }: { readonly action: string; readonly csrf: string; readonly fields?: Fields },
  content: Shown,
): Html {
  const hidden = Object.entries({ ...fields, csrf });
  return html`<form method="post" action="${action}">${hidden.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${content}</form>`;
}

/** Values by the name of a form field, or labels by the value of an option. */
export type Fields = Readonly<Record<string, string>>;

/** Returns links to all views of one subject; `isShown`: the view of this page. */
export function segmentsOf(
  label: string,
  views: readonly { readonly href: string; readonly label: string; readonly isShown: boolean }[],
): Html {
  return html`<nav aria-label="${label}" class="segments">${views.map(
    ({ href, label: name, isShown }) => html`<a href="${href}"${isShown && html` aria-current="true"`}>${name}</a>`,
  )}</nav>`;
}

/** Returns the options of a list; `choices`: labels by value. */
export function optionsOf(choices: Fields, chosen: string | undefined): readonly Html[] {
  return Object.entries(choices).map(
    ([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`,
  );
}

/** Returns exclusive choices, each in a label; `choices`: labels by value. */
export function radiosOf(name: string, choices: Fields, chosen: string | null): readonly Html[] {
  return Object.entries(choices).map(
    ([value, label]) =>
      html`<label><input type="radio" name="${name}" value="${value}"${value === chosen && html` checked`}>${label}</label>`,
  );
}

/** Lists terms with their facts. */
export function factsOf(rows: readonly (readonly [term: Shown, fact: Shown])[]): Html {
  return html`<dl class="facts">${rows.map(([term, fact]) => html`<dt>${term}</dt><dd>${fact}</dd>`)}</dl>`;
}
