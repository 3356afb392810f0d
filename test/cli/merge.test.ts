import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { useRigOfFile } from "./rig.ts";

const rig = useRigOfFile();
let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const files = (base: string, mine: string, theirs: string): string[] =>
  Object.entries({ base, mine, theirs }).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });

describe("merge", () => {
  it("prints a clean merge and writes nothing with -p", async () => {
    const paths = files("- a\n", "- a\n- mine\n", "- a\n- other\n");
    expect(await rig.run(["merge", ...paths, "-p"])).toMatchObject({ code: 0, out: ["- a\n- other\n- mine"] });
    expect(readFileSync(join(folder, "mine"), "utf8")).toBe("- a\n- mine\n");
  });

  it("ends with 3 and marks a conflict, also one that no line conflicts with", async () => {
    expect((await rig.run(["merge", ...files("a\n", "b\n", "c\n")])).code).toBe(3);
    expect(readFileSync(join(folder, "mine"), "utf8")).toContain("<<<<<<< mine\nb\n");
    const apart = files("a\n\nb\n\n[c]: x\n", "[d]: m\n\na\n\nb\n\n[c]: x\n", "a\n\nb\n\n[c]: x\n[d]: t\n");
    const { code, out } = await rig.run(["merge", ...apart, "-p"]);
    expect(code).toBe(3);
    expect(out.join("\n")).toContain("<<<<<<< mine");
  });

  it("explains each line", async () => {
    const { code, out } = await rig.run([
      "merge",
      ...files("- a\n- b\n", "- a\n- b now\n", "- new a\n- b\n"),
      "--explain",
    ]);
    const { lines } = JSON.parse(out.join("\n")) as { lines: { line: number; rule: string }[] };
    expect(code).toBe(0);
    expect(lines.map(({ line, rule }) => [line, rule])).toEqual([
      [1, "remote"],
      [2, "local"],
    ]);
  });
});
