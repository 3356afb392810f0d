import { ageText } from "../common/age.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import { html, type Html, type Shown } from "./html.ts";
import type { Tone } from "./layout.ts";

/** Parts that many pages share. */

/**
 * Shows a name or path from outside. Whatever its writing direction, it cannot change the look of
 * the text beside it.
 */
export function nameView(name: string): Html {
  return html`<bdi class="name">${shownName(name)}</bdi>`;
}

/** Shows a sentence with names from outside, or from the service. */
export function sentenceView(words: string): Html {
  return html`<span dir="auto">${shownWords(words)}</span>`;
}

/** Shows a word with a coloured mark. */
export function badgeOf(tone: Tone, word: string): Html {
  return html`<span class="badge ${tone}">${word}</span>`;
}

/**
 * Shows an age, which a script updates.
 * @param at in milliseconds since the epoch, as `now`
 */
export function ageOf(at: number, now: number): Html {
  const date = new Date(at).toISOString();
  return html`<time class="age" datetime="${date}" title="${date}">${ageText(now - at)}</time>`;
}

/** Shows the next step: a clause, often a command. */
export function nextOf(next: string): Html {
  return html`<p class="next">Next: ${sentenceView(next)}</p>`;
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

type Fields = Readonly<Record<string, string>>;
