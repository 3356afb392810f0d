import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { documentPages } from "../scripts/document-pages.ts";
import { EXIT } from "../src/cli/exit.ts";
import { PROBLEM_CODES } from "../src/contract/problem.ts";
import { BLOCK_REASONS } from "../src/mirror/model/block.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), "utf8");

const DOCUMENTS = [
  "README.md",
  ".github/CHANGELOG.md",
  ".github/CONTRIBUTING.md",
  ".github/SECURITY.md",
  "scripts/README.md",
  ...globSync("src/docs/**/*.md", { cwd: root }),
  "test/README.md",
  ...globSync("src/**/README.md", { cwd: root, exclude: ["src/docs/**"] }),
].sort();

/** Maximum columns of a line of prose and of a table row. */
const PROSE = 120;
const ROW = 240;

/**
 * Returns the files that a document names outside of code blocks: targets of links, and names in
 * backquotes with one of the project's file extensions.
 */
function namedFiles(document: string): string[] {
  const text = document.replace(/^```[\s\S]*?^```$/gm, "");
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1]!);
  const names = [...text.matchAll(/`([\w./-]+\.(?:tsx?|mjs|jsonl?|svg))`/g)].map((match) => match[1]!);
  return [...links, ...names.filter((name) => !/^(?:config|quiet|hooks)\.json$|^\./.test(name))];
}

/**
 * Returns true if a named file exists. Its name may be relative to the document, to `src` or to the
 * root of the checkout. It may also begin at any subfolder of the document's folder; in a decision
 * record, at any subfolder of `src` and `test`.
 */
function fileExists(document: string, name: string): boolean {
  const here = dirname(document);
  if ([here, "src", ""].some((folder) => existsSync(join(root, folder, name)))) return true;
  const below = here === "." ? "src" : here.replace("src/docs/decisions", "{src,test}");
  return globSync(`${below}/**/${name}`, { cwd: root }).length > 0;
}

describe("the documents", () => {
  for (const document of DOCUMENTS) {
    it(`name existing files: ${document}`, () => {
      expect(namedFiles(read(document)).filter((name) => !fileExists(document, name))).toEqual([]);
    });

    it(`have lines that can be read: ${document}`, () => {
      const long = read(document)
        .replace(/^```text[\s\S]*?^```$/gm, "")
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

  it("have decision records of one form and one page, all in their index", () => {
    const folder = "src/docs/decisions";
    const records = globSync("[0-9]*.md", { cwd: join(root, folder) }).sort();
    const malformed = records.filter((file) => {
      const form = new RegExp(
        `^# ${file.slice(0, 4)} .+\\n\\nDate: \\d{4}-\\d\\d-\\d\\d\\. Status: .+\\.\\n\\n## Context\\n[^]+\\n## Decision\\n[^]+\\n## Consequences\\n[^]+$`,
      );
      const text = read(`${folder}/${file}`);
      return !form.test(text) || text.split("\n").length > 60;
    });
    expect(malformed).toEqual([]);
    const index = read(`${folder}/README.md`);
    expect([...index.matchAll(/\]\((\d.+?\.md)\)/g)].map((match) => match[1])).toEqual(records);
  });

  it("have the pages that come from the code: node scripts/document-pages.ts --write", async () => {
    for (const [file, text] of await documentPages()) expect(read(file), file).toBe(text);
  });

  it("have a heading for each code: of blocks, stops, problems, exits and the service", () => {
    const stops = /export type StopReason =([^;]+);/.exec(read("src/mirror/planner/plan-types.ts"))![1]!;
    const problems = /type ProblemCause =([^;]+);/.exec(read("src/mirror/engine/run/report.ts"))![1]!;
    const literals = [...`${stops}${problems}`.matchAll(/"([a-z-]+)"/g)].map((match) => match[1]!);
    const exits = Object.values(EXIT).map((code) => `exit code ${code}`);
    const codes = [...Object.keys(BLOCK_REASONS), ...literals, ...exits, ...Object.keys(PROBLEM_CODES)];
    const page = read("src/docs/troubleshooting.md");
    const headings = new Set([...page.matchAll(/^### (.+)$/gm)].flatMap((match) => match[1]!.split(", ")));
    expect(codes.filter((code) => !headings.has(code))).toEqual([]);
    expect(codes.length).toBeGreaterThan(80);
  });
});
