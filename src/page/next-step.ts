import { shownWords } from "../common/shown-name.ts";
import { html, type Html } from "./html.ts";

/** Shows what a user does next. Pages have buttons, so a command opens on demand. */

/** Shows a command that does the same as the page. */
export function commandOf(command: string): Html {
  return html`<details class="command"><summary>Show command</summary><code>${shownWords(command)}</code></details>`;
}

/** Shows the next step: a clause, often a command. */
export function nextOf(next: string): Html {
  return next.includes("mdmirror ")
    ? commandOf(next)
    : html`<p class="next"><span dir="auto">${shownWords(next)}</span></p>`;
}
