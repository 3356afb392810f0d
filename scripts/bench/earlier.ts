/** Another checkout of mdmirror as a side of a line: what a change cost. */
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export type Earlier = { readonly name: "earlier"; readonly cli: string; link(root: string, url: string): void };

/**
 * Folders are linked by the code of that checkout: its configuration and its list of mirrors may be
 * others.
 * @param checkout its folder, with its packages
 */
export async function openEarlier(checkout: string): Promise<Earlier> {
  const folder = resolve(checkout);
  const { link } = (await import(pathToFileURL(join(folder, "scripts/bench/fixture.ts")).href)) as {
    link(root: string, url: string, links?: "translate"): void;
  };
  return {
    name: "earlier",
    cli: join(folder, "src/cli/entry.mjs"),
    link: (root, url) => link(root, url, "translate"),
  };
}
