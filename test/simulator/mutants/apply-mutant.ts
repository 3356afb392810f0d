import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { checkMutant, editsOf, type Mutant, plantInto, SRC } from "./mutant.ts";

/**
 * Loads modules with the mutant from now on, in this process. Modules that were imported before
 * stay unchanged, so call this first.
 * @returns true if all modules of the mutant were loaded since: a suite that never loads them
 * proves nothing
 */
export function applyHere(mutant: Mutant): () => boolean {
  checkMutant(mutant);
  const files = new Map(editsOf(mutant).map(({ file }) => [pathToFileURL(SRC + file).href, file]));
  const loaded = new Set<string>();
  registerHooks({
    load(url, context, nextLoad) {
      const result = nextLoad(url, context);
      const file = files.get(url);
      if (file === undefined || result.source === undefined || result.source === null) return result;
      loaded.add(file);
      return { ...result, source: plantInto(mutant, file, Buffer.from(result.source as Uint8Array).toString("utf8")) };
    },
  });
  return () => new Set(files.values()).size === loaded.size;
}
