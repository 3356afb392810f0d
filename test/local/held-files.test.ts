import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesHeldToWrite, HeldFiles } from "../../src/local/held-files.ts";
import { digestOf } from "../../src/model/digest.ts";
import { usualTmpdir } from "../memory-folder.ts";
import { ramMirror } from "./benches.ts";

const nameOf = ({ dev, ino }: { readonly dev: number; readonly ino: number }) => `${dev}:${ino}`;

describe("what other processes have open", () => {
  it.skipIf(process.platform !== "linux")("is told where they may write into it, until they close it", async () => {
    const dir = mkdtempSync(join(usualTmpdir(), "mdmirror-held-"));
    try {
      const [read, written] = ["read.md", "written.md"].map((name) => join(dir, name)) as [string, string];
      for (const file of [read, written]) writeFileSync(file, "text\n");
      const stats = { read: nameOf(statSync(read)), written: nameOf(statSync(written)) };
      const script = 'exec 3<"$0" 4>>"$1"; echo open; read line; exec 4>&-; echo closed; read line';
      const program = spawn("sh", ["-c", script, read, written], { stdio: ["pipe", "pipe", "inherit"] });
      await once(program.stdout, "data");
      rmSync(written);
      expect([stats.read, stats.written].map((one) => filesHeldToWrite().has(one))).toEqual([false, true]);
      program.stdin.write("\n");
      await once(program.stdout, "data");
      expect(filesHeldToWrite().has(stats.written)).toBe(false);
      program.stdin.end();
      await once(program, "exit");
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it("is asked for once until it is to be forgotten, and is nothing where the system does not tell", () => {
    let asked = 0;
    const files = new HeldFiles({ heldToWrite: () => new Set([`1:${++asked}`]) });
    expect([1, 2].map((ino) => files.has({ dev: 1, ino }))).toEqual([true, false]);
    files.forget();
    expect([1, 2].map((ino) => files.has({ dev: 1, ino }))).toEqual([false, true]);
    expect(new HeldFiles({}).has({ dev: 1, ino: 1 })).toBe(false);
  });

  it("is asked for anew for a file that was replaced since", () => {
    const { ram, disk, at } = ramMirror();
    ram.user.write(at("note.md"), "text\n");
    const opened = new Set<string>();
    ram.heldToWrite = () => new Set(opened);
    expect(disk.replace("note.md", "first\n", digestOf("text\n"), "tmp/park-1").kind).toBe("done");
    expect(disk.isHeld("tmp/park-1")).toBe(false);
    opened.add(`1:${ram.user.inode(at("note.md"))}`);
    expect(disk.replace("note.md", "second\n", digestOf("first\n"), "tmp/park-2").kind).toBe("done");
    expect(["tmp/park-1", "tmp/park-2"].map((park) => disk.isHeld(park))).toEqual([false, true]);
  });
});
