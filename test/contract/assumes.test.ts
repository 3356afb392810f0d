import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as limits from "../../src/contract/limits.ts";
import { PROBLEM_CODES } from "../../src/contract/problem.ts";
import { CONTRACT } from "./suite/all.ts";
import { CANNOT_HOLD } from "./suite/cannot-hold.ts";

const src = fileURLToPath(new URL("../../src", import.meta.url));

/**
 * Returns the quoted titles after `contract test(s)` in an `ASSUMES:` comment. A title that ends in
 * an ellipsis matches every title with that beginning.
 */
function citedTitles(text: string): string[] {
  const plain = text.replace(/\n\s*(\/\/|\*)\s?/g, " ");
  return [...plain.matchAll(/contract tests? ((?:(?:, | and )?"[^"]+")+)/g)].flatMap((match) =>
    [...match[1]!.matchAll(/"([^"]+)"/g)].map((title) => title[1]!),
  );
}

const files = ["contract", "service"].flatMap((layer) =>
  readdirSync(`${src}/${layer}`, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => ({
      name: `${layer}/${name}`,
      text: readFileSync(`${src}/${layer}/${name}`, "utf8"),
    })),
);

describe("ASSUMES: lines", () => {
  for (const { name, text } of files.filter((file) => file.text.includes("ASSUMES:"))) {
    it(`name real contract tests: ${name}`, () => {
      const titles = CONTRACT.map((test) => test.title);
      const known = (cited: string) =>
        titles.some((title) =>
          cited.endsWith("…") ? title.startsWith(cited.slice(0, -1).trim()) : title.startsWith(cited),
        );
      expect(citedTitles(text).filter((cited) => !known(cited))).toEqual([]);
    });
  }

  it("are found together with the tests that they name", () => {
    expect(files.flatMap(({ text }) => citedTitles(text)).length).toBeGreaterThan(15);
  });
});

describe("the contract in words", () => {
  const words = readFileSync(`${src}/contract/README.md`, "utf8").replace(/\s+/g, " ");

  it("finds each test that an ASSUMES: names", () => {
    const cited = files.flatMap(({ text }) => citedTitles(text)).map((title) => title.replace(/\s+/g, " "));
    expect([...new Set(cited)].filter((title) => !words.includes(`"${title}"`))).toEqual([]);
  });

  it("finds each limit and each error code", () => {
    const numbers = Object.values(limits).flatMap((value) =>
      typeof value === "number" ? [value] : typeof value === "object" ? Object.values(value) : [],
    );
    expect(numbers.filter((number) => !words.includes(number.toLocaleString("en")))).toEqual([]);
    expect(
      Object.entries(PROBLEM_CODES).filter(
        ([code, { status }]) => !new RegExp(`\\| \`${code}\`[^|]*\\| ${status} \\|`).test(words),
      ),
    ).toEqual([]);
  });
});

describe("the suite", () => {
  it("has no two tests of one title", () => {
    const titles = CONTRACT.map((test) => test.title);
    expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
  });

  it("says of tests that it has what cannot hold elsewhere", () => {
    const titles = new Set(CONTRACT.map((test) => test.title));
    const excused = Object.values(CANNOT_HOLD).flatMap((each) => each.titles);
    expect(excused.length).toBeGreaterThan(0);
    expect(excused.filter((title) => !titles.has(title))).toEqual([]);
  });
});
