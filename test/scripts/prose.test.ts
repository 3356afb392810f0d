import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { deadLinks, proseFaults } from "../../scripts/prose.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** What users read. The page of commands is made of the help, which has its own rules. */
const TEXTS = [
  "README.md",
  ".github/CHANGELOG.md",
  ".github/CONTRIBUTING.md",
  ".github/SECURITY.md",
  ...globSync("src/docs/**/*.md", { cwd: root, exclude: ["src/docs/decisions/**"] }),
];
const GENERATED = ["src/docs/commands.md", "src/docs/configuration.md"];

describe("texts for readers", () => {
  for (const file of TEXTS) {
    if (!GENERATED.includes(file))
      it(`have plain words and short sentences: ${file}`, () => {
        expect(proseFaults(readFileSync(join(root, file), "utf8"))).toEqual([]);
      });

    it(`have links that lead somewhere: ${file}`, () => {
      expect(deadLinks(root, file)).toEqual([]);
    });
  }
});

describe("the check of prose", () => {
  const places = (text: string) => proseFaults(text).map((fault) => fault.split(":")[0]);

  it("finds words that are not used, in paragraphs, lists and tables", () => {
    expect(places("All is well.\n\nIt goes\nthere.\n\n- told\n\n| a | halted |\n")).toEqual(["3", "6", "8"]);
  });

  it("passes over code, addresses and words within words", () => {
    expect(places("`here`, [list](here.md), there is, adhere.\n\n```sh\necho here\n```\n")).toEqual([]);
  });

  it("counts the words of a sentence over its lines, and begins again at the next one", () => {
    const words = (count: number) => Array.from({ length: count }, () => "word").join(" ");
    expect(places(`Word ${words(12)}\n${words(12)}. Word ${words(24)}.\n`)).toEqual([]);
    expect(places(`Word ${words(12)}\n${words(13)}.\n`)).toEqual(["1"]);
    expect(places(`- Word ${words(29)}\n- Word ${words(30)}\n`)).toEqual(["2"]);
  });

  it("finds links to files and headings that do not exist", () => {
    const dir = mkdtempSync(join(tmpdir(), "mdmirror-prose-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    mkdirSync(join(dir, "docs"));
    writeFileSync(
      join(dir, "docs/a.md"),
      "# A heading: `code`\n\n[1](#a-heading-code) [2](#no) [3](b.md) [4](../c.md#x)\n",
    );
    writeFileSync(join(dir, "c.md"), "# C\n");
    expect(deadLinks(dir, "docs/a.md")).toEqual(["#no", "b.md", "../c.md#x"]);
  });
});
