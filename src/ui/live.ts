import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { shownWords } from "../common/shown-name.ts";
import { PAGE_HEADERS } from "../page/headers.ts";
import type { Changes } from "./jobs.ts";
import { linkList, noticeOf } from "../page/layout.ts";
import { type PageRequest, resultsOf, sectionsOf, type Ui, type UiPage } from "./page.ts";
import { troublePage } from "./pages/trouble.ts";

/** Sends an open page its new content after each change, as server-sent events. */

/** Milliseconds between two readings of a page's data, from the state and the daemon. */
const PACE_MS = 1_000;
/** LIMIT: share of the time that an open page may be read; a slow page is read less often. */
const MOST_SHARE = 1 / 20;
/**
 * Number of readings without a change after which a comment is sent. Sending fails if the browser
 * has disconnected.
 */
const QUIET_LOOKS = 15;
/** Milliseconds after which a disconnected browser connects again. */
const RETRY_MS = 2_000;
/** Texts of ages in JSON; a script of the page updates them. */
const AGES = /(?<=<time class=\\"age\\"[^>]*>)[^<]*/g;

type Listener = {
  readonly raw: ServerResponse;
  readonly gone: AbortSignal;
  /** Returns the page's current request; null after the session has ended. */
  readonly asked: () => PageRequest | null;
};

export async function sendUpdates(ui: Ui, page: UiPage, { raw, gone, asked }: Listener): Promise<void> {
  const head = { ...PAGE_HEADERS, "content-type": "text/event-stream; charset=utf-8" };
  raw.writeHead(200, head).write(`retry: ${RETRY_MS}\n\n`);
  let shown = "";
  for (let quiet = 0; !gone.aborted; quiet++) {
    const now = asked();
    if (now === null) break;
    const began = ui.clock.monotonic();
    const news = await newsOf(ui, page, now);
    const tookMs = ui.clock.monotonic() - began;
    const key = news.replace(AGES, "");
    if (key !== shown) {
      quiet = 0;
      raw.write(`event: news\ndata: ${news}\n\n`);
    } else if (quiet % QUIET_LOOKS === QUIET_LOOKS - 1) raw.write(":\n\n");
    shown = key;
    await drained(raw, gone);
    const pauseMs = tookMs / MOST_SHARE;
    if (pauseMs > PACE_MS) await unlessAborted(wait(pauseMs, undefined, { signal: gone }), gone);
    else await nextChange(ui.changes, gone);
  }
  raw.end();
}

/** Returns the page as JSON. */
async function newsOf(ui: Ui, page: UiPage, asked: PageRequest): Promise<string> {
  const shown = await page.show(ui, asked);
  const sections = await sectionsOf(ui, page, asked);
  const content = shown.kind === "ok" ? shown.value : troublePage(shown.trouble, sections?.label ?? null);
  const { title, main, announcement = "", here = null } = content;
  return JSON.stringify({
    title: shownWords(title),
    main: main.text,
    sections: sections === null ? "" : linkList(sections.links, here).text,
    announcement: shownWords(announcement),
    results: (await resultsOf(ui, asked)).map((result) => noticeOf(result, asked.csrf).text),
  });
}

/** Resolves after the browser has read everything, or has disconnected. */
async function drained(raw: ServerResponse, gone: AbortSignal): Promise<void> {
  if (raw.writableNeedDrain) await unlessAborted(once(raw, "drain", { signal: gone }), gone);
}

/** Resolves at the next change, after some time, or when the browser has disconnected. */
function nextChange(changes: Changes, gone: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([gone, AbortSignal.timeout(PACE_MS)]);
  return unlessAborted(once(changes, "change", { signal }), signal);
}

async function unlessAborted(event: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await event.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
