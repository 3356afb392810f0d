import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { loadBundle } from "../../src/page/page-bundle.ts";

/** Bytes of all scripts and styles that any page but an editor's fetches, as gzip makes them. */
const MOST = 60_000;
/** The same of the pages with an editor: a conflict's, and a review's. */
const MAX_OF_EDITOR = 110_000;
const EDITOR = "editor.js";

const { names, assets } = await loadBundle();

/** A file and the parts that it imports, however deep. */
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
