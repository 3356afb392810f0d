import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { findMutant } from "./all.ts";
import { checkMutant, editsOf, applyMutant, SRC } from "./mutant.ts";

/**
 * `MDMIRROR_MUTANT=ID node --import hook.ts …`: loads `src` with this mutant, in this process and
 * in all processes that it starts.
 */

const mutant = findMutant(process.env["MDMIRROR_MUTANT"] ?? "");
checkMutant(mutant);
const files = new Map(editsOf(mutant).map(({ file }) => [pathToFileURL(SRC + file).href, file]));
registerHooks({
  load(url, context, nextLoad) {
    const result = nextLoad(url, context);
    const file = files.get(url.replace(/\?.*$/, ""));
    if (file === undefined || result.source === undefined || result.source === null) return result;
    return { ...result, source: applyMutant(mutant, file, Buffer.from(result.source as Uint8Array).toString("utf8")) };
  },
});
