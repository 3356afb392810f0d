import { publicKind } from "../mirror/operations/results/actions.ts";
import { localTime } from "../mirror/operations/results/when.ts";
import type { MirrorEvent } from "../mirror/ports/state.ts";
import { html, type Html } from "../page/html.ts";
import { badgeOf, nameView, sentenceView } from "../page/parts.ts";
import { documentAddress, mirrorAddress } from "./addresses.ts";

/** Members of an event that a line of the log shows. */
export type EventLine = Pick<
  MirrorEvent,
  "run" | "at" | "kind" | "path" | "detail" | "outcome" | "code" | "requestId"
> & { readonly isDocument: boolean };

export function eventLineOf(event: MirrorEvent): EventLine {
  const { run, at, kind, path, detail, outcome, code, requestId, id } = event;
  return { run, at, kind, path, detail, outcome, code, requestId, isDocument: id?.startsWith("doc_") === true };
}

/**
 * Returns the line of an event.
 * @param withRun false on a page of one run
 */
export function eventItem(mirror: string, line: EventLine, withRun: boolean): Html {
  const { run, at, kind, path, detail, outcome, code, requestId, isDocument } = line;
  const origin = [code, requestId === null ? null : `request ${requestId}`].filter((one) => one !== null);
  const place = path === "" ? "the linked folder" : nameView(path);
  const named = isDocument ? html`<a href="${documentAddress(mirror, "history", path)}">${place}</a>` : place;
  return html`<li><span><time datetime="${new Date(at).toISOString()}">${localTime(at)}</time>${
    withRun && html` <a href="${mirrorAddress(mirror, `runs/${run}`)}">run ${run}</a>`
  } <b>${publicKind(kind)}</b> ${named}</span>
<span>${sentenceView(detail)}${origin.length > 0 && html` <span class="faint">(${sentenceView(origin.join(", "))})</span>`}${
    outcome !== "done" && html` ${badgeOf("asks", outcome)}`
  }</span></li>`;
}
