import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const IMPORT = /(?:from|import\()\s*"(\.[^"]+)"/g;

/**
 * Returns the declaration files that a user of the package can reach, in the order of their
 * imports.
 * @param entries exported declaration files, as paths in `dist`
 * @throws if a file imports one that does not exist
 */
export function reachedTypes(dist: string, entries: readonly string[]): string[] {
  const reached = new Set(entries);
  for (const file of reached) {
    const text = readFileSync(join(dist, file), "utf8");
    for (const [, name] of text.matchAll(IMPORT)) {
      const found = normalize(join(dirname(file), name!)).replace(/\.(?:js|ts)$/, ".d.ts");
      if (!existsSync(join(dist, found))) throw new Error(`${file} imports ${name}, which is not there`);
      reached.add(found);
    }
  }
  return [...reached];
}

type Exports = Readonly<Record<string, string | { readonly types: string }>>;

/** Returns the exported declaration files of the package, as paths in `dist`. */
export function typeEntries(root: string): string[] {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly exports: Exports };
  return Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [entry.types.replace(/^\.\/dist\//, "")],
  );
}
