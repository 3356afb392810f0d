import type { ServerResponse } from "node:http";
import { shownWords } from "../model/shown-name.ts";
import { PAGE_HEADERS } from "../page/headers.ts";
import { troublePage } from "./pages/trouble.ts";
import type { Asked, Moment, Ui, UiPage } from "./page.ts";

/** Tells a page that is open what it looks like now, whenever that differs (server-sent events). */

/** How often it is looked, in ms: the state of a folder is read, and its daemon asked. */
const PACE_MS = 1_000;
/** After so many looks without news a line is sent, by which an end that is gone is noticed. */
const QUIET_LOOKS = 15;
/** When a browser that was cut off tries again, in ms. */
const RETRY_MS = 2_000;

type Listener = {
  readonly raw: ServerResponse;
  readonly gone: AbortSignal;
  /** null: the session is over. */
  readonly moment: () => Moment | null;
};

export async function tellNews(ui: Ui, page: UiPage, asked: Asked, { raw, gone, moment }: Listener): Promise<void> {
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

async function newsOf(ui: Ui, page: UiPage, asked: Asked, moment: Moment) {
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

/** A browser that does not read what it is sent is not sent more. */
function drained(raw: ServerResponse, gone: AbortSignal): Promise<void> {
  if (!raw.writableNeedDrain || gone.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    raw.once("drain", resolve);
    gone.addEventListener("abort", () => resolve(), { once: true });
  });
}
