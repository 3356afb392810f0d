import { readEvents } from "../../mirror/operations/history/events.ts";
import { ok } from "../../common/trouble.ts";
import { html } from "../../page/html.ts";
import { nameView } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import { type EventLine, eventItem, eventLineOf } from "../event-parts.ts";
import { type Part, pagerOf, partOf } from "../paging.ts";
import { defineMirrorPage } from "../seen-mirror.ts";

/** Shows the folder's events, newest last, as `mdmirror log` prints them. */

/** LIMIT: lines on one page. */
const SIZE = 100;
/** LIMIT: events that are read, newest first; `mdmirror log` prints older ones. */
const EVENTS = 10_000;

type Model = { readonly mirror: string; readonly part: Part<EventLine> };

export const LOG = defineMirrorPage<Model>({
  path: "/m/:name/log",
  isLive: true,
  look(ui, { name: mirror, root }, asked) {
    const read = ui.reads.read(root, { key: "log", file: null }, ({ state }) =>
      ok(readEvents(state, { limit: EVENTS, run: null, path: null }).toReversed().map(eventLineOf)),
    );
    if (read.kind === "trouble") return read;
    const part = partOf(read.value, asked, SIZE);
    return ok({ mirror, part: { ...part, items: part.items.toReversed() } });
  },
  show: ({ mirror, part }) => ({
    title: `Log · ${mirror} · mdmirror`,
    main: html`<h1>Log of ${nameView(mirror)}</h1>
<p class="faint">Newest last. The first page has the newest lines and updates itself.</p>
${part.total === 0 ? html`<p>No events yet.</p>` : html`<ol class="lines">${part.items.map((line) => eventItem(mirror, line, true))}</ol>`}
${pagerOf(part, "lines", (page) => mirrorAddress(mirror, "log", { page }))}`,
  }),
});
