import * as nodeFs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Disk, Fs } from "../../src/ports/disk.ts";
import { LocalDisk } from "../../src/local/disk.ts";
import { createNodeFs } from "../../src/local/node-fs.ts";
import { type Bench, createNodeBench, seededRandom } from "../simulator/fs-bench.ts";

/**
 * A mirrored folder on a real disk, beside it a twin with files of the same names, and a hook
 * around each system call.
 */

// Thousands of folders are made: in memory where the system has a place for it.
const MEMORY = nodeFs.existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** What lies in the mirrored folder; the twin beside it has all of it too. */
export const NAMES = [
  "f/a.md",
  "f/b.md",
  "f/g/e.md",
  "f/empty/.DS_Store",
  ".mdmirror/tmp/parked",
  ".mdmirror/trash/old",
];

export type SwapFixture = {
  readonly root: string;
  readonly twin: string;
  readonly disk: Disk;
  /** Called right before each system call and, with true, right after. */
  around: ((call: string, path: string, after: boolean) => void) | null;
  /**
   * Puts the twin's folder in the place of the root's, by a symlink. @returns what takes it back
   */
  swap(folder: string): () => void;
  /**
   * Everything that is told of the twin's files and folders, so that whatever was done there shows.
   */
  outside(): string[];
  close(): void;
};

/**
 * @param text what the twin's files hold @param handles false: as where no folder can be held open
 */
export function openSwapFixture(text: string, handles = true): SwapFixture {
  const bench: Bench = createNodeBench(MEMORY);
  const [root, twin, aside] = ["root", "twin", "aside"].map((name) => join(bench.root, name)) as [
    string,
    string,
    string,
  ];
  for (const base of [root, twin]) {
    nodeFs.mkdirSync(join(base, "f/g"), { recursive: true });
    nodeFs.mkdirSync(join(base, "f/empty"));
    for (const name of ["tmp", "trash"]) nodeFs.mkdirSync(join(base, ".mdmirror", name), { recursive: true });
    for (const name of NAMES) bench.write(join(base, name), base === root ? `${name}\n` : text || `${name}\n`);
  }
  const fixture: SwapFixture = {
    root,
    twin,
    disk: new LocalDisk(
      hooked(() => fixture.around, handles),
      root,
      { random: seededRandom(7) },
    ),
    around: null,
    swap(folder) {
      nodeFs.renameSync(join(root, folder), aside);
      nodeFs.symlinkSync(join(twin, folder), join(root, folder));
      return () => {
        nodeFs.unlinkSync(join(root, folder));
        nodeFs.renameSync(aside, join(root, folder));
      };
    },
    outside: () => tellAll(twin),
    close: () => bench.close(),
  };
  return fixture;
}

/** What a document of the root holds; null when it is not there. */
export function textAt(fixture: SwapFixture, path: string): string | null {
  const abs = join(fixture.root, path);
  if (!nodeFs.existsSync(abs)) return null;
  return path.endsWith(".md") || path.includes("tmp/") ? nodeFs.readFileSync(abs, "utf8") : "a folder";
}

function tellAll(base: string): string[] {
  return nodeFs
    .readdirSync(base, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const { ino, nlink, ctimeMs } = nodeFs.lstatSync(join(base, name));
      return `${name} ${ino} ${nlink} ${ctimeMs}`;
    });
}

type Around = SwapFixture["around"];

function hooked(around: () => Around, handles: boolean): Fs {
  const real = createNodeFs();
  // No power is lost here, and fsync takes most of the time.
  const fs: Fs = { ...real, writeNew: (path, bytes, mode) => real.writeNew(path, bytes, mode, false) };
  const wrap = <T extends object>(calls: T): T =>
    Object.fromEntries(
      Object.entries(calls).map(([name, call]) => {
        if (typeof call !== "function") return [name, call];
        return [name, (...given: unknown[]) => within(around(), name, String(given[0] ?? ""), () => call(...given))];
      }),
    ) as T;
  const wrapped = wrap(fs);
  const { handle } = wrapped;
  if (handle !== undefined && handles) return { ...wrapped, handle: (path) => wrap(handle(path)) };
  const { handle: _none, ...plain } = wrapped;
  return plain;
}

function within<T>(around: Around, name: string, path: string, call: () => T): T {
  around?.(name, path, false);
  try {
    return call();
  } finally {
    around?.(name, path, true);
  }
}
