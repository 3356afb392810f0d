import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as nodeFs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { createNodeFs, MAX_READ_BYTES } from "../../src/mirror/local/node-fs.ts";
import { type Bench, createNodeBench } from "../simulator/fs-bench.ts";
import { mirrorOn, walkAll } from "./benches.ts";
import { FIXED_RANDOM } from "../simulator/quiet-ports.ts";

function codeOf(call: () => unknown): unknown {
  try {
    call();
    return "no error";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

describe("the calls over node:fs", () => {
  let bench: Bench;
  beforeEach(() => {
    bench = createNodeBench();
  });
  afterEach(() => bench.close());

  it("make files as the process does, unless a mode is given", () => {
    const umask = process.umask();
    bench.fs.writeNew(join(bench.root, "a"), new Uint8Array(), null, false);
    bench.fs.writeNew(join(bench.root, "b"), new Uint8Array(), 0o622, false);
    expect(bench.fs.lstat(join(bench.root, "a")).mode).toBe(0o666 & ~umask);
    expect(bench.fs.lstat(join(bench.root, "b")).mode).toBe(0o622);
  });

  it.runIf(process.platform === "linux")("bring a whole disk to the medium (needs Linux)", async () => {
    expect(await bench.fs.syncDisk?.(bench.root)).toBe(true);
    // `/proc` is no disk that could be flushed.
    expect(await bench.fs.syncDisk?.("/proc")).toBe(false);
    const path = process.env["PATH"];
    process.env["PATH"] = bench.root;
    // The same if the program is missing.
    const done = await bench.fs.syncDisk?.(bench.root).finally(() => {
      process.env["PATH"] = path;
    });
    expect(done).toBe(false);
  });

  it("do not read what is larger than the limit", () => {
    const path = join(bench.root, "large.md");
    bench.write(path, "x");
    nodeFs.truncateSync(path, MAX_READ_BYTES + 1);
    expect(codeOf(() => bench.fs.readFile(path))).toBe("EFBIG");
  });

  it("read an inode whole, or say that it changed meanwhile", async () => {
    const path = join(bench.root, "log.md");
    bench.write(path, "");
    const script =
      "let n=0; const fs=require('fs'); for(;;) fs.writeFileSync(process.argv[1], String(n++%10).repeat(200000));";
    const writer = spawn(process.execPath, ["-e", script, path], { stdio: "ignore" });
    let whole = 0;
    let changed = 0;
    try {
      // Repeats until both results occurred, because the writer may rarely get processor time.
      while (changed === 0 || whole === 0 || whole + changed <= 10) {
        const code = codeOf(() => {
          const { bytes, stat } = bench.fs.readFile(path);
          expect(bytes.length).toBe(stat.size);
          whole++;
        });
        if (code === "EAGAIN") changed++;
        else expect(code).toBe("no error");
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      writer.kill("SIGKILL");
      await once(writer, "exit");
    }
  });

  it("ENOSPC of a real disk leaves the old text and no temp file", (context) => {
    const folder = nodeFs.mkdtempSync(join(tmpdir(), "mdmirror-full-"));
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", folder]).status !== 0) {
      console.log("no small disk can be mounted here");
      nodeFs.rmdirSync(folder);
      return context.skip("no small disk can be mounted here");
    }
    try {
      const mirror = mirrorOn(createNodeBench(folder));
      mirror.write(mirror.at("a.md"), "old");
      const long = "x".repeat(400_000);
      expect(mirror.disk.create("b.md", long)).toMatchObject({ kind: "fault", errno: "ENOSPC" });
      expect(mirror.disk.replace("a.md", long, digestOf("old"), "tmp/park")).toMatchObject({
        kind: "fault",
        errno: "ENOSPC",
      });
      expect(mirror.disk.read("a.md")).toMatchObject({ value: { text: "old" } });
      expect(mirror.disk.look("b.md").kind).toBe("absent");
      expect(mirror.fs.readdir(mirror.at(".mdmirror/tmp"))).toEqual([]);
    } finally {
      execFileSync("umount", [folder]);
      nodeFs.rmdirSync(folder);
    }
  });

  it("a folder that may not be read is unseen, one that may not be written is a fault", (context) => {
    const { root } = bench;
    if (process.getuid?.() === 0) {
      console.log("permissions do not bind root: seen on the RAM disk alone");
      return context.skip("permissions do not bind root");
    }
    const mirror = mirrorOn(bench);
    mirror.disk.makeFolder("locked");
    mirror.write(mirror.at("locked/a.md"), "a");
    nodeFs.chmodSync(join(root, "locked"), 0);
    const tree = walkAll(mirror.disk);
    expect([...tree.unseen.keys()]).toEqual(["locked"]);
    expect(mirror.disk.create("locked/b.md", "b").kind).toBe("fault");
    nodeFs.chmodSync(join(root, "locked"), 0o755);
  });
});

describe("the root of the calls", () => {
  it("is any absolute path: a relative one is a bug of the caller", () => {
    expect(() => new LocalDisk(createNodeFs(), "notes", { random: FIXED_RANDOM })).toThrow(TypeError);
  });
});
