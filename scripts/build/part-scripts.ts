import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";

/**
 * Makes a script of each part, which `src/cli/part-script.ts` runs: of a script, unlike a module, the
 * code of the functions that were called can be kept. Beside it a module hands on what the script
 * exports; a command takes that one for the part (`src/cli/entry.mjs`). The part itself stays a
 * module, for threads, libraries and bundlers.
 */

const IMPORTED = /\bimport\s*\{([^}]*)\}\s*from\s*"\.\/(\w+)\.js";/g;
const EXPORTED = /\bexport\s*\{([^}]*)\};/g;
const ASKED = /\bimport\("\.\/(\w+)\.js"\)/g;

/** @param folder holds the parts @throws for one that cannot be a script */
export function makeScripts(folder: string, parts: readonly string[]): void {
  const texts = new Map(parts.map((part) => [part, readFileSync(join(folder, `${part}.js`), "utf8")]));
  // One for all, since they name each other.
  const digest = createHash("sha256")
    .update(JSON.stringify([...texts]))
    .digest("hex")
    .slice(0, 16);
  const nameOf = (part: string) => `${part}-${digest}`;
  for (const [part, text] of texts) {
    const script = scriptOf(text, nameOf);
    // Says where what is left of a module is: an import that was not seen, an `await`.
    new Script(script, { filename: `${part}.cjs` });
    writeFileSync(join(folder, `${nameOf(part)}.cjs`), script);
    writeFileSync(join(folder, `${part}.script.js`), handedOn(nameOf(part), exportsOf(text)));
  }
}

function scriptOf(text: string, nameOf: (part: string) => string): string {
  // ORDER: imports stand first, as they are evaluated first in a module.
  const imports = [...text.matchAll(IMPORTED)].map(
    ([, names, part]) => `const{${names!.replaceAll(/ as /g, ":")}}=loadPart("${nameOf(part!)}");`,
  );
  const body = text
    .replaceAll(IMPORTED, "")
    .replaceAll(EXPORTED, "")
    .replaceAll(ASKED, (_, part: string) => `Promise.resolve().then(()=>loadPart("${nameOf(part)}"))`)
    .replaceAll(/\bimport\(/g, "bring(")
    .replaceAll("import.meta.url", "partUrl");
  const exported = exportsOf(text).map(({ ours, theirs }) => `${theirs}:${ours}`);
  return `(function(loadPart,partUrl,bring){"use strict";${imports.join("\n")}\n${body}\nreturn{${exported.join(",\n")}}})`;
}

type Name = { readonly ours: string; readonly theirs: string };

function exportsOf(text: string): readonly Name[] {
  return [...text.matchAll(EXPORTED)].flatMap(([, names]) =>
    names!.split(",").map((one) => {
      const [ours, theirs = ours] = one.trim().split(/\s+as\s+/);
      return { ours: ours!, theirs: theirs! };
    }),
  );
}

function handedOn(name: string, exported: readonly Name[]): string {
  const names = exported.map(({ theirs }) => theirs).join(",\n");
  return `import{loadPart}from"../cli/part-script.js";export const{${names}}=loadPart("${name}");\n`;
}
