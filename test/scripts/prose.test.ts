import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { allMessages, messagesOf } from "../../scripts/messages.ts";
import { deadLinks, proseFaults } from "../../scripts/prose.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/**
 * Documents for users. The page of commands is left out: it is made from the help, which has its
 * own rules.
 */
const TEXTS = [
  "README.md",
  ".github/CHANGELOG.md",
  ".github/CONTRIBUTING.md",
  ".github/SECURITY.md",
  ...globSync("src/docs/**/*.md", { cwd: root }),
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

describe("the messages", () => {
  /** Options, commands and file names, which are not prose. */
  const CODES = /--[a-z-]+|mdmirror [a-z-]+|[\w.~$/-]*[./][\w.-]+/g;

  it("have plain words and short sentences", () => {
    const faulty = allMessages().flatMap(({ file, line, text }) =>
      proseFaults(text.replaceAll(" · ", "\n\n").replaceAll(CODES, "CODE")).map((fault) => `${file}:${line} ${fault}`),
    );
    expect(faulty).toEqual([]);
  });

  it("are found in strings and templates, with their code, and not in errors, comments and SQL", () => {
    const source = [
      'const NEXT = { "no-key": "give a key" };',
      "// a comment with words",
      "throw new Error(`no such row #{id}`);",
      'db.prepare("SELECT path FROM records");',
      'io.out(`#{name} is #{isOpen ? `open until #{day}` : "closed now"}`);',
      "const page = html`<h1>Two parts</h1><p>of a page</p>`;",
    ]
      .join("\n")
      .replaceAll("#{", "$".concat("{"));
    expect(messagesOf("a.ts", source).map(({ line, code, text }) => [line, code, text])).toEqual([
      [1, "no-key", "give a key"],
      [5, "", "open until …"],
      [5, "", "closed now"],
      [6, "", "Two parts · of a page"],
    ]);
  });
});

describe("the check of prose", () => {
  const places = (text: string) => proseFaults(text).map((fault) => fault.split(":")[0]);

  it("finds words that are not used, in paragraphs, lists and tables", () => {
    expect(places("All is well.\n\nIt goes\nthere.\n\n- told\n\n| a | halted |\n")).toEqual(["3", "6", "8"]);
  });

  it("counts the words of a sentence over its lines, and begins again at the next one", () => {
    const words = (count: number) => Array.from({ length: count }, () => "word").join(" ");
    expect(places(`Word ${words(12)}\n${words(12)}. Word ${words(24)}.\n`)).toEqual([]);
    expect(places(`Word ${words(12)}\n${words(13)}.\n`)).toEqual(["1"]);
    expect(places(`- Word ${words(29)}\n- Word ${words(30)}\n`)).toEqual(["2"]);
  });
});
