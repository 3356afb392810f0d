import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { HOLD_REASONS } from "../src/model/hold.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), "utf8");

const DOCUMENTS = [
  "README.md",
  ".github/CHANGELOG.md",
  ".github/CONTRIBUTING.md",
  ".github/SECURITY.md",
  "scripts/README.md",
  "src/decisions.md",
  "src/docs/troubleshooting.md",
  "test/README.md",
  ...globSync(["src/README.md", "src/*/README.md"], { cwd: root }),
].sort();

/** Columns of prose, and of a row of a table, at most. */
const PROSE = 120;
const ROW = 240;

/** Files that a document names: links, and names in backquotes that end as files of ours do. */
function namedFiles(text: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1]!);
  const names = [...text.matchAll(/`([\w./-]+\.(?:tsx?|mjs|jsonl?|svg))`/g)].map((match) => match[1]!);
  return [...links, ...names.filter((name) => !/^(?:config|quiet)\.json$|^\./.test(name))];
}

/**
 * Beside the document, in a room of `src` or in the checkout; a bare name anywhere below the
 * document's folder.
 */
function isThere(document: string, name: string): boolean {
  const here = dirname(document);
  if ([here, "src", ""].some((folder) => existsSync(join(root, folder, name)))) return true;
  const below = here === "." ? "src" : here;
  return globSync(`${below}/**/${name}`, { cwd: root }).length > 0;
}

describe("the documents", () => {
  for (const document of DOCUMENTS) {
    it(`name files that are there: ${document}`, () => {
      expect(namedFiles(read(document)).filter((name) => !isThere(document, name))).toEqual([]);
    });

    it(`have lines that can be read: ${document}`, () => {
      const long = read(document)
        .split("\n")
        .filter((line) => line.length > (line.startsWith("|") ? ROW : PROSE));
      expect(long).toEqual([]);
    });
  }

  it("have the sections that comments name", () => {
    const sources = globSync(["src/**/*.ts", "test/**/*.ts", "scripts/**/*.ts"], { cwd: root });
    const cited = sources.flatMap((file) => {
      const text = read(file).replace(/\n\s*\*?\s*/g, " ");
      return [...text.matchAll(/\(?`(src\/\w+\/README\.md)`, "([^"]+)"(?: and "([^"]+)")?/g)].flatMap((match) =>
        match.slice(2).flatMap((title) => (title === undefined ? [] : [{ file, document: match[1]!, title }])),
      );
    });
    expect(cited.filter(({ document, title }) => !read(document).includes(`# ${title}\n`))).toEqual([]);
    expect(cited.length).toBeGreaterThan(5);
  });

  it("are short where choices are told: a decision has 12 lines at most", () => {
    const entries = read("src/decisions.md").split(/\n\n+/);
    expect(entries.filter((entry) => entry.split("\n").length > 12)).toEqual([]);
    expect(entries.length).toBeGreaterThan(100);
  });

  it("have a heading for each reason that blocks a document or stops a sync", () => {
    const stops = /export type HaltReason =([^;]+);/.exec(read("src/planner/plan-types.ts"))![1]!;
    const codes = [...Object.keys(HOLD_REASONS), ...[...stops.matchAll(/"([a-z-]+)"/g)].map((match) => match[1]!)];
    const headings = new Set(read("src/docs/troubleshooting.md").split("\n"));
    expect(codes.filter((code) => !headings.has(`### ${code}`))).toEqual([]);
    expect(codes.length).toBeGreaterThan(40);
  });
});
