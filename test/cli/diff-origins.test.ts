import { beforeEach, describe, expect, it } from "vitest";
import { useSyncedRig } from "./rig.ts";

/** `history`, `diff` and `why` of a merged document, and `diff` of a document in conflict. */

const BASE = "# Plan\n\none\ntwo\nthree\nfour\n\nCall Bob on friday.\n\n- a\n";
const MINE = BASE.replace("friday", "monday").replace("- a\n", "- a\n- mine\n");
const THEIRS = BASE.replace("Call", "Phone").replace("# Plan\n", "# Plan\n\nnew there\n");
const MERGED = [
  "# Plan\n\nnew there\n\none\ntwo\nthree\nfour\n\nPhone Bob on monday.\n\n- a\n- mine\n",
  [
    "      | # Plan",
    "      | ",
    "  T   |+new there",
    "  T   |+",
    "      | one",
    "      | two",
    "      | three",
    "      | four",
    "      | ",
    "    B |-Call Bob on friday.",
    "M T   |+Phone Bob on monday.",
    "      |?TTTTT        MMMMMM",
    "      | ",
    "      | - a",
    "M     |+- mine",
  ],
] as const;

const { rig, run } = useSyncedRig({ "a.md": BASE });
beforeEach(() => rig.pass(60_000));

async function edit(mine: string, theirs: string): Promise<number> {
  rig.editRemotely("a.md", theirs);
  rig.write("a.md", mine);
  const { code } = await run("sync");
  rig.pass(60_000);
  return code;
}

/** Returns true for an output line that begins with the three columns of origins. */
const isRow = (line: string) => /^[M ] [T ] [B ] \|/.test(line);

describe("a document that a sync merged", () => {
  beforeEach(async () => {
    expect(await edit(MINE, THEIRS)).toBe(0);
    expect(rig.read("a.md")).toBe(MERGED[0]);
  });

  it("is marked in the history with what it was made of, and shown line by line", async () => {
    const { out } = await run("history", "a.md");
    expect(out.at(-1)).toMatch(/^@4 .*\(merged from base @1, mine @\d and theirs @\d\) {2}\(local\)$/);
    expect(out.filter((line) => line.includes("(merged from"))).toHaveLength(1);
    for (const command of [
      ["history", "a.md", "--origins", "4"],
      ["diff", "a.md@4", "--origins"],
      ["diff", "a.md", "--origins"],
    ]) {
      const shown = await run(...command);
      expect([shown.code, shown.out.filter(isRow)]).toEqual([0, MERGED[1]]);
      expect(shown.out[0]).toMatch(/^a\.md@4: merged .* from base @1, mine @\d and theirs @\d$/);
    }
    const wrong = await run("diff", "a.md@1", "--origins");
    expect([wrong.code, wrong.err[0]]).toEqual([2, expect.stringContaining("version 1 of a.md is not a merge")]);
    expect((await run("history", "a.md", "--origins", "x")).code).toBe(2);
    expect((await run("diff", "--origins")).code).toBe(2);
  });

  it("is reported to a program without any text", async () => {
    const origins = [
      { kind: "added", from: "theirs", line: 3, count: 2 },
      { kind: "removed", from: "both", line: 8, count: 1 },
      { kind: "added", from: "mixed", line: 10, count: 1 },
      { kind: "added", from: "mine", line: 13, count: 1 },
    ];
    for (const command of [
      ["history", "a.md", "--origins", "4"],
      ["diff", "a.md", "--origins"],
      ["why", "a.md"],
    ]) {
      const { out } = await run(...command, "--json");
      expect(JSON.parse(out[0]!).merge).toMatchObject({ gone: [], origins });
      expect(out[0]).not.toContain("Phone");
    }
    expect(JSON.parse((await run("history", "a.md", "--json")).out[0]!).versions[3].merge).toMatchObject({
      base: expect.any(String),
      theirs: expect.any(String),
    });
  });
});

describe("diff of a document in conflict", () => {
  const HERE = BASE.replace("friday", "monday").replace("- a\n", "- a\n- mine\n");
  const THERE = BASE.replace("friday", "sunday").replace("# Plan\n", "# Plan\n\nnew there\n");

  it("shows what merges, and what does not", async () => {
    expect(await edit(HERE, THERE)).toBe(3);
    const { code, out } = await run("diff", "a.md");
    expect([code, out[0]]).toEqual([3, "a.md: in conflict at 1 place (!); the rest merges"]);
    const rows = out.filter(isRow);
    expect(rows.filter((row) => !row.startsWith("      | "))).toEqual([
      "  T   |+new there",
      "  T   |+",
      "      |!Call Bob on friday.",
      "M     |!Call Bob on monday.",
      "  T   |!Call Bob on sunday.",
      "M     |+- mine",
    ]);
    const json = await run("diff", "a.md", "--json");
    const [document] = JSON.parse(json.out[0]!).documents;
    expect(document.path).toBe("a.md");
    expect(document.kind).toBe("differs");
    expect(document.conflict).toEqual({
      kind: "parts",
      conflicts: 1,
      origins: [
        { kind: "added", from: "theirs", line: 3, count: 2 },
        { kind: "conflict", from: "base", line: 8, count: 1 },
        { kind: "conflict", from: "mine", line: 10, count: 1 },
        { kind: "conflict", from: "theirs", line: 11, count: 1 },
        { kind: "added", from: "mine", line: 14, count: 1 },
      ],
    });
    expect(json.code).toBe(3);
  });
});
