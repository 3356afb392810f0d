import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { loadBundle } from "../../src/app/page-bundle.ts";

/** Bytes of all scripts and styles that a page fetches, as gzip makes them. */
const MOST = 60_000;

test("what each page fetches stays under 60 kB", () => {
  const { names, assets } = loadBundle();
  const sizeOf = (entry: string) => gzipSync(assets.get(names.get(entry)!)!.bytes).length;
  expect(["page.js", "style.css", "icon.svg"].reduce((sum, entry) => sum + sizeOf(entry), 0)).toBeLessThan(MOST);
});
