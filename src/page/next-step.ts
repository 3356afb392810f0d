/** Shows what a user does next. Pages have buttons, so a command opens on demand. */

import { sentenceOf } from "../common/sentence.ts";
import { shownWords } from "../common/shown-name.ts";
import { html, type Html, type Shown } from "./html.ts";

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
