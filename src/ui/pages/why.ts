import { explainPath } from "../../mirror/operations/doctor/explain-path.ts";
import { ok } from "../../common/trouble.ts";
import { nameOf as lastName } from "../../contract/path.ts";
import { html } from "../../page/html.ts";
import { nameView, sentenceView } from "../../page/parts.ts";
import { type EventLine, eventItem, eventLineOf } from "../event-parts.ts";
import { crumbsOf, requestedPath } from "../path-parts.ts";
import { defineMirrorPage } from "../seen-mirror.ts";

/** Shows the state of a document or folder and its next steps: `mdmirror why`. */

type Model = {
  readonly mirror: string;
  readonly path: string;
  readonly facts: readonly (readonly [term: string, fact: string])[];
  readonly events: readonly EventLine[];
};

/** The page is not live, because each reading of its data sends requests to the service. */
export const WHY = defineMirrorPage<Model>({
  path: "/m/:name/why/*",
  isLive: false,
  async look(ui, { name: mirror, root }, asked) {
    const path = requestedPath(asked.params);
    const told = await explainPath(root, path, ui);
    if (told.kind === "trouble") return told;
    return ok({ mirror, path, facts: told.value.facts, events: told.value.events.map(eventLineOf) });
  },
  show: ({ mirror, path, facts, events }) => ({
    title: `State of ${lastName(path)} · ${mirror} · mdmirror`,
    main: html`${crumbsOf(mirror, path, true)}
<h1>State of ${path === "" ? "the linked folder" : nameView(lastName(path))}</h1>
<p class="faint">Both sides were scanned for this page; reload to scan again.</p>
<dl class="facts">${facts.map(([term, fact]) => html`<dt>${term}</dt><dd>${sentenceView(fact)}</dd>`)}</dl>
${events.length > 0 && html`<h2>Last events</h2><ul class="lines">${events.map((line) => eventItem(mirror, line, true))}</ul>`}`,
  }),
});
