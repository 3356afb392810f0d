import { chmodSync } from "node:fs";
import { beforeEach, describe, expect, it, test } from "vitest";
import { useSyncedRig } from "./rig.ts";
import { snapshot } from "../temporary-folder.ts";

describe("`diff`, `verify`, `log`, and `why` after a refusal", () => {
  const { rig, run } = useSyncedRig({ "a.md": "one\ntwo\nthree\n", "d/b.md": "b\n" });

  test("why shows the last error with its requestId", async () => {
    rig.protectRemotely("a.md");
    await run("sync");
    rig.remove("a.md");
    await run("sync");
    const { out } = await run("why", "a.md");
    expect(out.join("\n")).toMatch(/file_protected|delete-refused/);
  });

  describe("log", () => {
    test("newest last, in local time, by run, path and number; --json is one object a line", async () => {
      rig.write("a.md", "SECRET TEXT\n");
      await run("sync");
      const { out } = await run("log");
      expect(out.at(-1)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}run 2 {2}put {2}a\.md {2}edited locally$/);
      expect((await run("log", "--limit", "1")).out).toEqual([out.at(-1)]);
      expect((await run("log", "--run", "2")).out).toEqual([out.at(-1)]);
      expect((await run("log", "--path", "a.md")).out).toHaveLength(2);
      const events = (await run("log", "--json")).out.map((line) => JSON.parse(line) as object);
      expect(events.at(-1)).toMatchObject({ kind: "put", path: "a.md", run: 2 });
      expect(JSON.stringify(events)).not.toContain("SECRET TEXT");
      expect((await run("log", "--limit", "x")).code).toBe(2);
    });
  });

  describe("diff", () => {
    test("nothing differs: 0", async () => {
      expect(await run("diff")).toMatchObject({ code: 0, out: ["both sides are equal"] });
      const same = "mdmirror: service/a.md and local/a.md are equal";
      expect(await run("diff", "a.md")).toMatchObject({ code: 0, out: [], err: [same] });
      expect(await run("diff", "a.md", "--json")).toMatchObject({ code: 0, err: [] });
    });

    test("lists what differs, with counts of lines, and ends with 3", async () => {
      rig.write("a.md", "one\n2\nthree\nfour\n");
      rig.write("new.md", "n\n");
      rig.createRemotely("there.md", "t\n");
      const before = snapshot(rig.root);
      const { code, out } = await run("diff");
      expect([code, out]).toEqual([3, ["a.md      +2 -1", "new.md    only local", "there.md  only on the service"]]);
      expect(snapshot(rig.root)).toEqual(before);
    });

    test("a unified diff of one, as any patch tool reads it", async () => {
      rig.write("a.md", "one\n2\nthree");
      const { code, out } = await run("diff", "a.md");
      expect(code).toBe(3);
      expect(out).toEqual([
        "--- service/a.md",
        "+++ local/a.md",
        "@@ -1,3 +1,3 @@",
        " one",
        "-two",
        "-three",
        "+2",
        "+three",
        "\\ No newline at end of file",
      ]);
      const terminal = await rig.run(["diff", "a.md"], { cwd: rig.root, terminal: true });
      expect(terminal.out.join("\n")).toContain("\u001b[31m-two");
      expect(await run("diff", "nobody.md")).toMatchObject({ code: 2 });
    });

    test("the service gone: 5", async () => {
      await rig.stopService();
      expect((await run("diff")).code).toBe(5);
      rig.write("new.md", "n\n");
      for (const path of ["a.md", "new.md", "nobody.md"])
        expect([path, (await run("diff", path)).code]).toEqual([path, 5]);
    });
  });

  describe("verify", () => {
    test("a manifest of what agrees, and 0; nothing is written (I23)", async () => {
      const before = snapshot(rig.root);
      const report = await rig.json(["verify", "w"]);
      expect(report).toMatchObject({
        exit: 0,
        agree: true,
        differing: [],
        onlyLocal: [],
        onlyService: [],
        blocked: [],
      });
      expect(report["documents"]).toEqual([
        { path: "a.md", id: rig.remote("a.md")!.id, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), size: 14 },
        { path: "d/b.md", id: rig.remote("d/b.md")!.id, sha256: expect.any(String), size: 2 },
      ]);
      expect(snapshot(rig.root)).toEqual(before);
    });

    test("reports what differs, is only local, only on the service, blocked or unreadable, and ends with 3", async () => {
      rig.write("a.md", "other\n");
      rig.write("new.md", "n\n");
      rig.createRemotely("there.md", "t\n");
      rig.write("sub/dark.md", "d\n");
      chmodSync(rig.path("sub"), 0o000);
      const report = await rig.json(["verify", "w"]);
      chmodSync(rig.path("sub"), 0o755);
      expect(report).toMatchObject({
        exit: 3,
        agree: false,
        differing: [{ path: "a.md" }],
        onlyService: [{ path: "there.md" }],
      });
      expect(report["onlyLocal"]).toContain("new.md");
    });
  });
});

describe("a merge or a conflict", () => {
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
});
