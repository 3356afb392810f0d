import { afterEach, describe, expect, it } from "vitest";
import { type Bench, createNodeBench, createRamBench } from "../fs-bench.ts";

/** The result or errno of a call, and the tree afterwards. */
export type Case = {
  readonly title: string;
  readonly act: (bench: Bench, at: (name: string) => string) => unknown;
  readonly gives: unknown;
};

/** One byte longer than a name may be. */
export const LONG_NAME = "n".repeat(256);

const DISKS = { "a real disk": () => createNodeBench(), "the RAM disk": () => createRamBench({ granularityMs: 0 }) };

/** Tests one list of cases on the real disk and on the one in memory. */
export function testCases(what: string, cases: readonly Case[]): void {
  describe.each(Object.entries(DISKS))(`${what}: %s`, (_name, create) => {
    let bench: Bench | null = null;
    afterEach(() => bench?.close());

    it.each(cases)("$title", async ({ act, gives }) => {
      const made = create();
      bench = made;
      const at = (below: string) => (below === "" ? made.root : `${made.root}/${below}`);
      build(made, at);
      let result: unknown;
      try {
        result = await act(made, at);
      } catch (error) {
        result = (error as { code: string }).code;
      }
      expect(result).toEqual(gives);
    });
  });
}

// Makes the tree of every case: a.md, b.md, full/c.md, empty/, link -> a.md, folder-link -> full,
// dangling -> nowhere, loop -> loop, pipe.
function build(bench: Bench, at: (name: string) => string): void {
  bench.write(at("a.md"), "a");
  bench.write(at("b.md"), "b");
  bench.fs.mkdir(at("full"), 0o777);
  bench.write(at("full/c.md"), "c");
  bench.fs.mkdir(at("empty"), 0o777);
  bench.symlink("a.md", at("link"));
  bench.symlink("full", at("folder-link"));
  bench.symlink("nowhere", at("dangling"));
  bench.symlink("loop", at("loop"));
  bench.special(at("pipe"));
}

export function bytes(content: string): Uint8Array {
  return Buffer.from(content);
}

export function text(content: Uint8Array): string {
  return Buffer.from(content).toString();
}

export function pick({ kind, size, nlink }: { kind: string; size: number; nlink: number }): object {
  return { kind, size, nlink };
}

/** @returns the errno of a stat, or the kind of what still exists */
export function gone(fs: Bench["fs"], path: string): string {
  try {
    return fs.lstat(path).kind;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const STAMP_KEYS = ["dev", "ino", "size", "mtimeMs", "ctimeMs", "birthMs", "nlink"] as const;

/** Returns the members of the stamp that a change moves. */
export function stampChange({ fs }: Bench, path: string, change: () => void, afterwards = path): string[] {
  const before = fs.lstat(path);
  // A kernel's clock for stamps ticks every few milliseconds.
  for (const end = performance.now() + 25; performance.now() < end; );
  change();
  const after = fs.lstat(afterwards);
  return STAMP_KEYS.filter((key) => before[key] !== after[key] && !(key === "size" && before.kind === "folder"));
}
