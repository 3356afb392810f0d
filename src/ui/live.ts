import type { ServerResponse } from "node:http";
import { shownWords } from "../common/shown-name.ts";
import { PAGE_HEADERS } from "../page/headers.ts";
import { troublePage } from "./pages/trouble.ts";
import type { PageRequest, Moment, Ui, UiPage } from "./page.ts";

/** Sends an open page its new content after each change, as server-sent events. */

/** Milliseconds between two readings of a page's data, from the state and the daemon. */
const PACE_MS = 1_000;
/**
 * Readings without a change after which a comment is sent. Sending fails if the browser has
 * disconnected.
 */
const QUIET_LOOKS = 15;
/** Milliseconds after which a disconnected browser connects again. */
const RETRY_MS = 2_000;

type Listener = {
  readonly raw: ServerResponse;
  readonly gone: AbortSignal;
  /** Returns the context of the page; null after the session has ended. */
  readonly moment: () => Moment | null;
};

export async function sendUpdates(
  ui: Ui,
  page: UiPage,
  asked: PageRequest,
  { raw, gone, moment }: Listener,
): Promise<void> {
  const head = { ...PAGE_HEADERS, "content-type": "text/event-stream; charset=utf-8" };
  raw.writeHead(200, head).write(`retry: ${RETRY_MS}\n\n`);
  let shown = "";
  for (let quiet = 0; !gone.aborted; quiet++) {
    const now = moment();
    if (now === null) break;
    const { key, news } = await newsOf(ui, page, asked, now);
    if (key !== shown) quiet = 0;
    if (key !== shown) raw.write(`event: news\ndata: ${JSON.stringify(news())}\n\n`);
    else if (quiet % QUIET_LOOKS === QUIET_LOOKS - 1) raw.write(":\n\n");
    shown = key;
    await drained(raw, gone);
    await ui.changes.next(PACE_MS, gone);
  }
  raw.end();
}

async function newsOf(ui: Ui, page: UiPage, asked: PageRequest, moment: Moment) {
  const opened = await page.open(ui, asked);
  const [key, content] =
    opened.kind === "ok"
      ? [opened.value.key, () => opened.value.show(moment)]
      : [JSON.stringify(opened.trouble), () => troublePage(opened.trouble)];
  return {
    key,
    news: () => {
      const { title, main, said = "" } = content();
      return { title: shownWords(title), main: main.text, said: shownWords(said) };
    },
  };
}

/** Resolves after the browser has read everything, or has disconnected. */
function drained(raw: ServerResponse, gone: AbortSignal): Promise<void> {
  if (!raw.writableNeedDrain || gone.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    raw.once("drain", resolve);
    gone.addEventListener("abort", () => resolve(), { once: true });
  });
}
