import { execFileSync } from "node:child_process";
import * as nodeFs from "node:fs";
import { join } from "node:path";
import type { Fs } from "../../src/mirror/ports/disk.ts";
import { createNodeFs } from "../../src/mirror/local/node-fs.ts";
import { usualTmpdir } from "../memory-folder.ts";
import { RamDisk, type RamDiskOptions } from "./ram-disk.ts";

/**
 * An empty folder on a real disk or in memory. Besides the calls of the Fs it has actions of users,
 * which also work as plain functions.
 */
export type Bench = {
  readonly fs: Fs;
  readonly root: string;
  /** Writes in place, like `echo text > path`. */
  write(path: string, text: string | Uint8Array): void;
  append(path: string, text: string): void;
  symlink(target: string, path: string): void;
  /** Creates a FIFO. */
  special(path: string): void;
  close(): void;
};

class NodeBench implements Bench {
  readonly fs = createNodeFs();
  readonly root: string;
  readonly write = nodeFs.writeFileSync;
  readonly append = nodeFs.appendFileSync;
  readonly symlink = nodeFs.symlinkSync;

  constructor(parent: string) {
    this.root = nodeFs.realpathSync(nodeFs.mkdtempSync(join(parent, "mdmirror-")));
  }

  readonly special = (path: string): void => void execFileSync("mkfifo", [path]);

  readonly close = (): void => nodeFs.rmSync(this.root, { recursive: true, force: true });
}

/**
 * @param parent folder in which it is created; by default the system's folder for temporary files
 */
export function createNodeBench(parent = usualTmpdir()): Bench {
  return new NodeBench(parent);
}

class RamBench implements Bench {
  readonly fs: RamDisk;
  readonly root = "/home/notes";

  constructor(options?: RamDiskOptions) {
    this.fs = new RamDisk(options);
    this.fs.user.makeFolder(this.root);
  }

  readonly write = (path: string, text: string | Uint8Array): void => this.fs.user.write(path, text);

  readonly append = (path: string, text: string): void => this.fs.user.open(path).append(text);

  readonly symlink = (target: string, path: string): void => this.fs.user.symlink(target, path);

  readonly special = (path: string): void => this.fs.user.special(path);

  readonly close = (): void => undefined;
}

export function createRamBench(options?: RamDiskOptions): Bench {
  return new RamBench(options);
}
