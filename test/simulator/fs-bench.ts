import { execFileSync } from "node:child_process";
import * as nodeFs from "node:fs";
import { join } from "node:path";
import type { Fs } from "../../src/ports/disk.ts";
import { createNodeFs } from "../../src/local/node-fs.ts";
import { usualTmpdir } from "../memory-folder.ts";
import { RamDisk, type RamDiskOptions } from "./ram-disk.ts";

/**
 * An empty folder on a real disk or in memory, with what a test must do there beside the calls of
 * the Fs.
 */
export type Bench = {
  readonly fs: Fs;
  readonly root: string;
  /** In place, as `echo text > path`. */
  write(path: string, text: string | Uint8Array): void;
  append(path: string, text: string): void;
  symlink(target: string, path: string): void;
  /** A FIFO. */
  special(path: string): void;
  close(): void;
};

/** @param parent where to make it; the system's folder for temporary files by default */
export function createNodeBench(parent = usualTmpdir()): Bench {
  const root = nodeFs.realpathSync(nodeFs.mkdtempSync(join(parent, "mdmirror-")));
  return {
    fs: createNodeFs(),
    root,
    write: (path, text) => nodeFs.writeFileSync(path, text),
    append: (path, text) => nodeFs.appendFileSync(path, text),
    symlink: (target, path) => nodeFs.symlinkSync(target, path),
    special: (path) => void execFileSync("mkfifo", [path]),
    close: () => nodeFs.rmSync(root, { recursive: true, force: true }),
  };
}

export function createRamBench(options?: RamDiskOptions): Bench {
  const disk = new RamDisk(options);
  disk.user.makeFolder("/home/notes");
  return {
    fs: disk,
    root: "/home/notes",
    write: (path, text) => disk.user.write(path, text),
    append: (path, text) => disk.user.open(path).append(text),
    symlink: (target, path) => disk.user.symlink(target, path),
    special: (path) => disk.user.special(path),
    close: () => undefined,
  };
}

/** A seeded source of names, so that a run can be repeated. */
export function seededRandom(seed: number): { fraction(): number; hex(n: number): string } {
  let state = seed >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
  return {
    fraction: () => next() / 0x1_0000_0000,
    hex: (n) => Array.from({ length: n }, () => (next() & 15).toString(16)).join(""),
  };
}
