import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { loadBundle } from "../../src/app/page-bundle.ts";

/** Bytes of all scripts and styles that any page but an editor's fetches, as gzip makes them. */
const MOST = 60_000;
/** The same of the editor, on the page of a conflict alone. */
const MOST_OF_EDITOR = 110_000;

test("all that pages fetch together stays under 60 kB, but for the editor", () => {
  const { names, assets } = loadBundle();
  const editor = names.get("conflict.js")!;
  const sizes = new Map([...assets].map(([name, { bytes }]) => [name, gzipSync(bytes).length]));
  const others = [...sizes].filter(([name]) => name !== editor);
  expect(others.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(MOST);
  expect(sizes.get(editor)).toBeLessThan(MOST_OF_EDITOR);
});
