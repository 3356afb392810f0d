import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { Disk } from "../../src/mirror/ports/disk.ts";
import { NAMES, openSwapFixture, type SwapFixture, textAt } from "./swapped-folders.ts";

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
