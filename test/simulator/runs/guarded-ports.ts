import type { WireRequest } from "../../../src/contract/wire.ts";
import type { Fs } from "../../../src/mirror/ports/fs.ts";
import type { WireResult } from "../../../src/common/wire.ts";
import type { RamDisk } from "../ram-disk.ts";

/** The disk of a process that may die at each of its calls. */

/** Events of a process while it runs. */
export type Fate = {
  readonly killAt: number | null;
  /** Called before each port call; may act as a user. */
  readonly onCall: (call: number, member: string) => void;
  /** Sends one request to the service, with its fault. */
  readonly exchange: (request: WireRequest) => Promise<WireResult>;
  /** Called before each call of the disk. */
  readonly onDisk: (call: string, path: string, to: string | null) => void;
  /** Called before each scan of the whole folder. */
  readonly onScan: () => void;
};

const TWO_PATHS: ReadonlySet<string> = new Set(["rename", "link"]);

/** Makes every system call a place to die; the creation of a new file has three. */
export function guardDisk(disk: RamDisk, enter: (member: string) => void, fate: Fate): Fs {
  const inner = (call: string): void => {
    if (call === "writeNew.bytes" || call === "writeNew.sync") enter(`disk.${call}`);
  };
  return new Proxy<Fs>(disk, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || typeof name !== "string") return member;
      // This call asks the system which files are open, and names no path of the disk.
      if (name === "heldToWrite") return () => target.heldToWrite?.();
      return (...args: unknown[]) => {
        fate.onDisk(name, args[0] as string, TWO_PATHS.has(name) ? (args[1] as string) : null);
        enter(`disk.${name}`);
        disk.beforeCall = name === "writeNew" ? inner : null;
        try {
          return Reflect.apply(member, target, args) as unknown;
        } finally {
          disk.beforeCall = null;
        }
      };
    },
  });
}
