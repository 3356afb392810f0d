import { parentPort } from "node:worker_threads";
import type { LinkBase, RenderedMarkdown } from "./markdown.ts";
import { renderMarkdown } from "./render-markdown.ts";

/** The thread of `renderer.ts`. It renders one document after the other. */

export type ToRender = { readonly text: string; readonly base: LinkBase };

/** Messages of the thread: "ready" first, then each rendered document. */
export type Said = "ready" | RenderedMarkdown;

parentPort?.on("message", ({ text, base }: ToRender) => {
  say(renderMarkdown(text, base));
});
say("ready");

function say(said: Said): void {
  parentPort!.postMessage(said);
}
