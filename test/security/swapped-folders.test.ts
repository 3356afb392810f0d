import * as nodeFs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Disk, Fs } from "../../src/mirror/ports/disk.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { createNodeFs } from "../../src/mirror/local/node-fs.ts";
import { type Bench, createNodeBench } from "../simulator/fs-bench.ts";
import { rollDice } from "../simulator/dice.ts";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";

/**
 * A linked folder on a real disk, beside it a twin with files of the same names, and a hook at each
 * system call.
 */

// In memory if the system has such a file system, because the test creates thousands of folders.
const MEMORY = nodeFs.existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Files of the linked folder; the twin has files with the same names. */
const NAMES = ["f/a.md", "f/b.md", "f/g/e.md", "f/empty/.DS_Store", ".mdmirror/tmp/parked", ".mdmirror/trash/old"];

/** Called right before each system call, and with `after` set right after it. */
type CallHook = ((call: string, path: string, after: boolean) => void) | null;

class SwapFixture {
  readonly root: string;
  readonly twin: string;
  readonly disk: Disk;
  around: CallHook = null;
  readonly #bench: Bench = createNodeBench(MEMORY);
  readonly #aside: string;

  constructor(text: string, handles: boolean) {
    this.root = join(this.#bench.root, "root");
    this.twin = join(this.#bench.root, "twin");
    this.#aside = join(this.#bench.root, "aside");
    this.#fill(this.root, null);
    this.#fill(this.twin, text || null);
    const calls = hooked(() => this.around, handles);
    this.disk = new LocalDisk(calls, this.root, { random: rollDice(7) });
  }

  /** @param text content of each file; null for the file's own name */
  #fill(base: string, text: string | null): void {
    nodeFs.mkdirSync(join(base, "f/g"), { recursive: true });
    nodeFs.mkdirSync(join(base, "f/empty"));
    for (const name of ["tmp", "trash"]) nodeFs.mkdirSync(join(base, ".mdmirror", name), { recursive: true });
    for (const name of NAMES) this.#bench.write(join(base, name), text ?? `${name}\n`);
  }

  /**
   * Replaces a folder by a symlink to the twin's folder.
   * @returns a function that restores the folder
   */
  swap(folder: string): () => void {
    const place = join(this.root, folder);
    nodeFs.renameSync(place, this.#aside);
    nodeFs.symlinkSync(join(this.twin, folder), place);
    return () => {
      nodeFs.unlinkSync(place);
      nodeFs.renameSync(this.#aside, place);
    };
  }

  /**
   * Returns what the disk reports of the twin's files and folders, so that any change of them
   * shows.
   */
  outside(): string[] {
    return listAll(this.twin);
  }

  close(): void {
    this.#bench.close();
  }
}

/**
 * Opens a linked folder and its twin.
 * @param text content of the twin's files
 * @param handles false for a system that cannot keep folders open
 */
function openSwapFixture(text: string, handles = true): SwapFixture {
  return new SwapFixture(text, handles);
}

/** Returns the content of a document in the root; null if it is missing. */
function textAt(fixture: SwapFixture, path: string): string | null {
  const abs = join(fixture.root, path);
  if (!nodeFs.existsSync(abs)) return null;
  return path.endsWith(".md") || path.includes("tmp/") ? nodeFs.readFileSync(abs, "utf8") : "a folder";
}

function listAll(base: string): string[] {
  return nodeFs
    .readdirSync(base, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const { ino, nlink, ctimeMs } = nodeFs.lstatSync(join(base, name));
      return `${name} ${ino} ${nlink} ${ctimeMs}`;
    });
}

function hooked(around: () => CallHook, handles: boolean): Fs {
  const real = createNodeFs();
  // Without fsync, which takes most of the time: no test here cuts the power.
  const fs: Fs = { ...real, writeNew: (path, bytes, mode) => real.writeNew(path, bytes, mode, false) };
  const wrapped = wrap(fs, around);
  const { handle } = wrapped;
  if (handle !== undefined && handles) return { ...wrapped, handle: (path) => wrap(handle(path), around) };
  const { handle: _none, ...plain } = wrapped;
  return plain;
}

function wrap<T extends object>(calls: T, around: () => CallHook): T {
  const wrapped = Object.entries(calls).map(([name, call]) => {
    if (typeof call !== "function") return [name, call];
    return [name, (...given: unknown[]) => within(around(), name, String(given[0] ?? ""), () => call(...given))];
  });
  return Object.fromEntries(wrapped) as T;
}

function within<T>(around: CallHook, name: string, path: string, call: () => T): T {
  around?.(name, path, false);
  try {
    return call();
  } finally {
    around?.(name, path, true);
  }
}

/**
 * I26 between the check of a folder and the call that relies on it. Only Linux can keep the checked
 * folder open.
 */

const SECRET = "a text of somebody else\n";
const digest = (text: string) => digestOf(Buffer.from(text));

type Effect = {
  /** The folders above the paths that the effect touches. */
  readonly above: readonly string[];
  readonly act: (disk: Disk) => { readonly kind: string };
  /** Returns true if the linked folder is right after an effect that ended as `done`. */
  readonly check: (at: (path: string) => string | null) => boolean;
};

const EFFECTS: Readonly<Record<string, Effect>> = {
  create: {
    above: ["f", ".mdmirror", ".mdmirror/tmp"],
    act: (disk) => disk.create("f/new.md", "new\n"),
    check: (at) => at("f/new.md") === "new\n",
  },
  replace: {
    above: ["f", ".mdmirror", ".mdmirror/tmp"],
    act: (disk) => disk.replace("f/a.md", "new\n", digest("f/a.md\n"), "tmp/p"),
    check: (at) => at("f/a.md") === "new\n" && at(".mdmirror/tmp/p") === "f/a.md\n",
  },
  move: {
    above: ["f", "f/g", ".mdmirror", ".mdmirror/tmp"],
    act: (disk) => disk.move("f/a.md", "f/g/moved.md", digest("f/a.md\n")),
    check: (at) => at("f/g/moved.md") === "f/a.md\n" && at("f/a.md") === null,
  },
  trash: {
    above: ["f", ".mdmirror", ".mdmirror/trash"],
    act: (disk) => disk.trash("f/a.md", digest("f/a.md\n"), "trash/run/a.md"),
    check: (at) => at("f/a.md") === null && at(".mdmirror/trash/run/a.md") === "f/a.md\n",
  },
  "put back": {
    above: ["f", ".mdmirror", ".mdmirror/tmp"],
    act: (disk) => disk.putBack("tmp/parked", "f/back.md"),
    check: (at) => at("f/back.md") === ".mdmirror/tmp/parked\n" && at(".mdmirror/tmp/parked") === null,
  },
  "make a folder": { above: ["f"], act: (disk) => disk.makeFolder("f/h"), check: (at) => at("f/h") === "a folder" },
  "move a folder": {
    above: ["f"],
    act: (disk) => disk.moveFolder("f/g", "f/h"),
    check: (at) => at("f/h/e.md") === "f/g/e.md\n" && at("f/g") === null,
  },
  "remove a folder": {
    above: ["f", "f/empty", ".mdmirror", ".mdmirror/trash"],
    act: (disk) => disk.removeFolder("f/empty", "trash/run"),
    check: (at) => at("f/empty") === null,
  },
  "discard what is parked": {
    above: [".mdmirror", ".mdmirror/tmp"],
    act(disk) {
      disk.removeSetAside("tmp/parked");
      return { kind: "gone or not" };
    },
    check: () => true,
  },
  sweep: {
    above: [".mdmirror", ".mdmirror/tmp", ".mdmirror/trash"],
    act(disk) {
      disk.sweep(new Set());
      return { kind: "gone or not" };
    },
    check: () => true,
  },
};

type Count = {
  swapped: number;
  readonly landed: string[];
  readonly untrue: string[];
  readonly leftOpen: string[];
};

/**
 * Repeats an effect, each time with a folder swapped right before its next system call.
 * @param back true if the folder returns right after that call
 */
function swapAtEachCall(name: string, folder: string, back: boolean, handles: boolean, count: Count): void {
  const { act, check } = EFFECTS[name]!;
  for (let n = 1; ; n++) {
    const fixture = openSwapFixture("", handles);
    try {
      fixture.disk.names();
      const before = fixture.outside();
      let left = n;
      let takeBack: (() => void) | null = null;
      fixture.around = (_call, _path, after) => {
        if (!after && --left === 0 && existsSync(join(fixture.root, folder))) takeBack = fixture.swap(folder);
        if (after && left === 0 && back) {
          takeBack?.();
          takeBack = null;
          left = -1;
        }
      };
      const { kind } = act(fixture.disk);
      fixture.around = null;
      (takeBack as (() => void) | null)?.();
      if (left > 0) return;
      count.swapped++;
      count.leftOpen.push(...openBelow(fixture.root));
      const where = `${name}, ${folder} at call ${n}${back ? ", and back" : ""}`;
      if (fixture.outside().join("\n") !== before.join("\n")) count.landed.push(where);
      if (kind === "done" && !check((path) => textAt(fixture, path))) count.untrue.push(where);
    } finally {
      fixture.close();
    }
  }
}

function swapEverywhere(names: readonly string[], handles: boolean): Count {
  const count: Count = { swapped: 0, landed: [], untrue: [], leftOpen: [] };
  for (const name of names)
    for (const folder of EFFECTS[name]!.above)
      for (const back of [true, false]) swapAtEachCall(name, folder, back, handles, count);
  return count;
}

describe.runIf(process.platform === "linux")("I26 a folder swapped for a symlink before a call (needs Linux)", () => {
  it.each(Object.keys(EFFECTS))("%s: nothing lands behind it, and what is said to be done is done", (name) => {
    const count = swapEverywhere([name], true);
    expect(count).toMatchObject({ landed: [], untrue: [], leftOpen: [] });
    expect(count.swapped).toBeGreaterThan(10);
  });

  it("the same attack succeeds if no folder can be kept open, which proves that the test hits the moment", () => {
    const count = swapEverywhere(["create", "replace"], false);
    expect(count.landed.length).toBeGreaterThan(10);
  });

  it.each(["f", "f/g"])("%s: no content behind it is read, by a scan or a single read", (folder) => {
    let [swapped, whole] = [0, 0];
    for (const back of [true, false]) {
      for (let n = 1; ; n++) {
        const fixture = openSwapFixture(SECRET);
        try {
          const read: string[] = [];
          const saw = walkSwapped(fixture, folder, n, back, read);
          if (saw === null) break;
          swapped++;
          expect(read).not.toContain(SECRET);
          expect(saw).not.toContain(digest(SECRET));
          if (read.length === 3) whole++;
        } finally {
          fixture.close();
        }
      }
    }
    expect(swapped).toBeGreaterThan(40);
    expect(whole).toBeGreaterThan(5);
  });
});

/**
 * Scans with a folder swapped at the n-th system call.
 * @returns digests of everything that the scan found; null if there was no n-th call
 */
function walkSwapped(fixture: SwapFixture, folder: string, n: number, back: boolean, read: string[]): string[] | null {
  const { disk } = fixture;
  disk.names();
  let left = n;
  let takeBack: (() => void) | null = null;
  fixture.around = (_call, _path, after) => {
    if (!after && --left === 0) takeBack = fixture.swap(folder);
    if (after && left === 0 && back) {
      takeBack?.();
      takeBack = null;
      left = -1;
    }
  };
  const tree = disk.walk(
    () => null,
    (_digest, text) => void read.push(text),
  );
  const found = NAMES.slice(0, 3).map((path) => disk.look(path));
  fixture.around = null;
  (takeBack as (() => void) | null)?.();
  if (left > 0) return null;
  return [
    ...Array.from(tree.files.values(), (file) => file.digest ?? ""),
    ...found.map((look) => (look.kind === "file" ? look.digest : "")),
  ];
}

/** Returns the paths that this process has open below the parent folder of `root`. */
function openBelow(root: string): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    const path = existsSync(`/proc/self/fd/${fd}`) ? readlinkSync(`/proc/self/fd/${fd}`) : "";
    return path.startsWith(dirname(root)) ? [path] : [];
  });
}
