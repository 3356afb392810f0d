import { localTime } from "../mirror/operations/results/when.ts";
import { html, type Html } from "../page/html.ts";
import { ageOf } from "../page/parts.ts";

/**
 * Shows a local time and its age.
 * @param at milliseconds since the epoch
 */
export function timeOf(at: number, now: number): Html {
  if (at <= 0) return html`<span class="when">before the first known version</span>`;
  return html`<span class="when"><time datetime="${new Date(at).toISOString()}">${localTime(at)}</time> <span class="faint">${ageOf(at, now)} ago</span></span>`;
}
