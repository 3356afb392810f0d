import * as nodeFs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Disk, Fs } from "../../src/mirror/ports/disk.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { createNodeFs } from "../../src/mirror/local/node-fs.ts";
import { type Bench, createNodeBench } from "../simulator/fs-bench.ts";
import { rollDice } from "../simulator/dice.ts";

/**
 * A linked folder on a real disk, beside it a twin with files of the same names, and a hook at each
 * system call.
 */

// In memory if the system has such a file system, because the test creates thousands of folders.
const MEMORY = nodeFs.existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Files of the linked folder; the twin has files with the same names. */
export const NAMES = [
  "f/a.md",
  "f/b.md",
  "f/g/e.md",
  "f/empty/.DS_Store",
  ".mdmirror/tmp/parked",
  ".mdmirror/trash/old",
];

/** Called right before each system call, and with `after` set right after it. */
type CallHook = ((call: string, path: string, after: boolean) => void) | null;

export class SwapFixture {
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
export function openSwapFixture(text: string, handles = true): SwapFixture {
  return new SwapFixture(text, handles);
}

/** Returns the content of a document in the root; null if it is missing. */
export function textAt(fixture: SwapFixture, path: string): string | null {
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
