import { parentPort } from "node:worker_threads";
import type { LinkBase, RenderedMarkdown } from "../../page/markdown.ts";
import { renderMarkdown } from "../../page/render-markdown.ts";

/** The thread of `renderer.ts`: one document after the other. */

export type ToRender = { readonly text: string; readonly base: LinkBase };

parentPort?.on("message", ({ text, base }: ToRender) => {
  const rendered: RenderedMarkdown = renderMarkdown(text, base);
  parentPort!.postMessage(rendered);
});
