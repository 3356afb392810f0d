import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../src/cli/exit.ts";
import { keepCode, loadPart } from "../../src/cli/part-script.ts";
import { CHECKOUT, type Installed, run } from "./installed.ts";
import { type ServedMirror, serveMirror } from "./served-mirror.ts";

/** The code of the parts of dist is kept from run to run: `src/cli/part-script.ts`. */

const DIST = join(CHECKOUT, "dist");

let dir: string;
let built: Installed;
let mirror: string;
let served: ServedMirror;
let cache: string;

beforeAll(async () => {
  served = await serveMirror(["plan.md"]);
  ({ built, mirror } = served);
  ({ dir } = built);
});

afterAll(() => served.stop());

beforeEach(() => {
  cache = mkdtempSync(join(dir, "cache-"));
});

const withCache = () => ({ ...built, env: { ...built.env, XDG_CACHE_HOME: cache } });
const sync = () => run(withCache(), "sync", mirror);

/** The files of kept code, by part and command. */
function kept(): ReadonlyMap<string, string> {
  const folder = join(cache, "mdmirror");
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  const ours = files.flatMap((file) => {
    const [, part, command] = /(\w+)-[0-9a-f]{16}-(\w+)$/.exec(file) ?? [];
    return part === undefined ? [] : [[`${part} ${command}`, join(folder, file)] as const];
  });
  return new Map(ours.toSorted());
}

/** In how many runs what is kept was made. */
const runs = (name: string): number => readFileSync(kept().get(name)!).readDoubleLE(0);

describe("a part", () => {
  it("that is not there is told with its file", () => {
    expect(() => loadPart("gone-0123456789abcdef")).toThrow(/ENOENT.*parts\/gone-0123456789abcdef\.cjs/);
  });

  it("that was not run leaves nothing to keep", () => {
    const before = process.listeners("exit");
    keepCode();
    const added = process.listeners("exit").filter((listener) => !before.includes(listener));
    expect(added).toHaveLength(1);
    for (const listener of added) {
      process.removeListener("exit", listener);
      listener(0);
    }
    expect(kept().size).toBe(0);
  });
});

describe("the code of the parts", () => {
  it("is made anew in the first three runs that end well, for each command by itself", () => {
    expect(sync()).toMatchObject({ code: 0 });
    expect([...kept().keys()]).toEqual(["common sync", "start sync", "sync sync"]);
    for (const [at, want] of [2, 3, 3].entries()) {
      expect([at, sync().code, runs("sync sync")]).toEqual([at, 0, want]);
    }
    expect(run(withCache(), "status", mirror)).toMatchObject({ code: 0 });
    expect(run(withCache(), "log", mirror)).toMatchObject({ code: 0 });
    expect([...kept().keys()].filter((name) => !name.endsWith(" sync"))).toEqual([
      "common others",
      "common status",
      "start others",
      "start status",
      "status others",
      "status status",
      "sync others",
    ]);
  });

  it("is not kept of a run that did not end well, which may have called little", () => {
    expect(run(withCache(), "status", join(dir, "nowhere"))).not.toMatchObject({ code: 0 });
    expect([...kept().keys()]).toEqual([]);
  });

  it.each([
    ["a flipped bit", (bytes: Buffer) => void bytes.writeUInt8(bytes[100]! ^ 4, 100)],
    ["a flipped bit of the second copy", (bytes: Buffer) => void bytes.writeUInt8(bytes.at(-5)! ^ 1, bytes.length - 5)],
    ["nulls", (bytes: Buffer) => void bytes.fill(0)],
    ["other bytes", (bytes: Buffer) => void bytes.fill("mdmirror")],
  ])("is not run where it is damaged: %s", (_, damage) => {
    expect(sync()).toMatchObject({ code: 0 });
    for (const file of kept().values()) {
      const bytes = readFileSync(file);
      damage(bytes);
      writeFileSync(file, bytes);
    }
    expect(sync()).toMatchObject({ code: 0, err: "" });
    expect(runs("sync sync")).toBe(1);
  });

  it.each([0, 1, 7, 8, 9, 1_000, 100_001])("is not run where it is cut off after %d bytes", (length) => {
    expect(sync()).toMatchObject({ code: 0 });
    for (const file of kept().values()) writeFileSync(file, readFileSync(file).subarray(0, length));
    expect(sync()).toMatchObject({ code: 0, err: "" });
    expect(runs("sync sync")).toBe(1);
  });

  it("is not run once its part was changed, also into a text of the same length", () => {
    const copy = join(cache, "package");
    cpSync(DIST, join(copy, "dist"), { recursive: true });
    cpSync(join(CHECKOUT, "package.json"), join(copy, "package.json"));
    symlinkSync(join(CHECKOUT, "node_modules"), join(copy, "node_modules"));
    const changed = { ...withCache(), command: join(copy, "dist/cli/entry.mjs") };
    for (const _ of [1, 2]) expect(run(changed, "sync", mirror).out).toContain("nothing to do");
    const folder = join(copy, "dist/parts");
    for (const name of readdirSync(folder).filter((part) => part.endsWith(".cjs"))) {
      const text = readFileSync(join(folder, name), "utf8");
      writeFileSync(join(folder, name), text.replaceAll("nothing to do", "NOTHING to do"));
    }
    expect(run(changed, "sync", mirror).out).toContain("NOTHING to do");
  });

  it.each([
    ["another user's to write", (file: string) => chmodSync(file, 0o666)],
    ["a pipe", (file: string) => [rmSync(file), execFileSync("mkfifo", [file])]],
    ["too large to be kept code", (file: string) => truncateSync(file, 3 * 2 ** 30)],
    ["a folder", (file: string) => [rmSync(file), mkdirSync(file)]],
  ])("is not run where the file is %s", (_, change) => {
    for (const _run of [1, 2]) expect(sync()).toMatchObject({ code: 0, err: "" });
    const file = kept().get("sync sync")!;
    change(file);
    expect(sync()).toMatchObject({ code: 0, err: "" });
    expect(statSync(file).isDirectory() || runs("sync sync") === 1).toBe(true);
  });

  it("is kept of a run that found something for its user", () => {
    const unfit = join(mirror, "unfit.md");
    writeFileSync(unfit, "a\0b");
    const { code } = sync();
    rmSync(unfit);
    expect([code, runs("sync sync")]).toEqual([EXIT.attention, 1]);
  });

  it("is silently not kept below a path that is too long for its name", () => {
    const rest = 4_042 - cache.length;
    const names = Array.from({ length: Math.floor(rest / 200) }, () => "n".repeat(199));
    const long = join(cache, ...names, "n".repeat(rest - names.length * 200 - 1));
    const asked = { ...built, env: { ...built.env, XDG_CACHE_HOME: long } };
    for (const _run of [1, 2]) expect(run(asked, "--version")).toMatchObject({ code: 0, err: "" });
    expect(readdirSync(join(long, "mdmirror/compiled"))).toHaveLength(1);
  });

  it("is not asked for where nothing can be kept", () => {
    const asked = { ...built, env: { ...built.env, XDG_CACHE_HOME: "/proc/no-such-folder" } };
    expect(run(asked, "sync", mirror)).toMatchObject({ code: 0, err: "" });
  });

  it("of other versions goes after a month, and what a kill left half written", () => {
    expect(sync()).toMatchObject({ code: 0 });
    const file = kept().get("sync sync")!;
    const others = ["1", "2"].map((digit) => file.replace(/-[0-9a-f]{16}-/, `-${digit.repeat(16)}-`));
    const [old = "", newer = "", half = ""] = [...others, `${file}.4711`];
    for (const one of [old, newer, half]) writeFileSync(one, "");
    const longAgo = new Date(Date.now() - 31 * 86_400_000);
    for (const one of [old, half]) utimesSync(one, longAgo, longAgo);
    rmSync(file);
    expect(sync()).toMatchObject({ code: 0 });
    expect([old, half, newer, file].map((one) => existsSync(one))).toEqual([false, false, true, true]);
  });
});
