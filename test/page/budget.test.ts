import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { loadBundle } from "../../src/page/page-bundle.ts";

/** LIMIT: bytes, compressed by gzip, of all scripts and styles of a page without an editor. */
const MOST = 60_000;
/** LIMIT: the same for a page with an editor: of a conflict, and of a review. */
const MAX_OF_EDITOR = 110_000;
const EDITOR = "editor.js";

const { names, assets } = await loadBundle();

/** Returns a file and all files that it imports, directly or not. */
function fetchedBy(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = Buffer.from(assets.get(file)!.bytes).toString();
  for (const [, part] of text.matchAll(/"\.\/(part-[\w-]+\.js)"/g)) fetchedBy(part!, found);
  return found;
}

function weigh(entries: readonly string[]): number {
  const files = new Set(entries.flatMap((entry) => [...fetchedBy(names.get(entry)!)]));
  return [...files].reduce((sum, file) => sum + gzipSync(assets.get(file)!.bytes).length, 0);
}

test("all that pages fetch together stays under 60 kB, but for the editor", () => {
  expect(weigh([...names.keys()].filter((entry) => entry !== EDITOR))).toBeLessThan(MOST);
});

test("nothing of the editor is fetched by another page, and it has its own bound", () => {
  expect(weigh([EDITOR])).toBeGreaterThan(MOST);
  expect(weigh([EDITOR])).toBeLessThan(MAX_OF_EDITOR);
});
