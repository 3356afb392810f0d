/** Program of the thread that `renderer.ts` starts, which renders one document at a time. */

import { parentPort } from "node:worker_threads";
import type { LinkBase, MarkedLines, RenderedMarkdown } from "./markdown.ts";
import { renderMarkdown } from "./render-markdown.ts";

export type RenderRequest = {
  readonly text: string;
  readonly base: LinkBase;
  readonly marked: MarkedLines | null;
};

/** A message of the thread: first "ready", and then each rendered document. */
export type RenderMessage = "ready" | RenderedMarkdown;

parentPort?.on("message", ({ text, base, marked }: RenderRequest) => {
  sendMessage(renderMarkdown(text, base, marked));
});
sendMessage("ready");

function sendMessage(message: RenderMessage): void {
  parentPort!.postMessage(message);
}
