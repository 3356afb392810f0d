import type { Fs } from "../../../src/ports/disk.ts";
import type { State } from "../../../src/ports/state.ts";
import type { RamDisk } from "../ram-disk.ts";
import type { Fate } from "./mirror.ts";
import type { ReadState } from "./read-state.ts";

/** The ports of a process that may die at each of their calls. */

const TWO_PATHS: ReadonlySet<string> = new Set(["rename", "link"]);

/** Every system call is a place to die; of a new file's, three. */
export function guardDisk(disk: RamDisk, enter: (member: string) => void, fate: Fate): Fs {
  const inner = (call: string): void => {
    if (call === "writeNew.bytes" || call === "writeNew.sync") enter(`disk.${call}`);
  };
  return new Proxy<Fs>(disk, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || typeof name !== "string") return member;
      return (...args: unknown[]) => {
        fate.onDisk(name, args[0] as string, TWO_PATHS.has(name) ? (args[1] as string) : null);
        enter(`disk.${name}`);
        disk.beforeCall = name === "writeNew" || name === "makeNew" ? inner : null;
        try {
          return Reflect.apply(member, target, args) as unknown;
        } finally {
          disk.beforeCall = null;
        }
      };
    },
  });
}

/** Every call of the state is a place to die; inside a transaction that rolls it back. */
export function guardState(
  state: State,
  enter: (member: string) => void,
  reads: ReadState,
  onSecured: () => void,
): State {
  return new Proxy(state, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name === "spellings") return guardSpellings(member as State["spellings"], enter, reads);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        enter(`state.${String(name)}`);
        const value = reads.around(String(name), () => Reflect.apply(member, target, args) as unknown);
        if (name === "secureTexts") onSecured();
        return value;
      };
    },
  });
}

function guardSpellings(
  spellings: State["spellings"],
  enter: (member: string) => void,
  reads: ReadState,
): State["spellings"] {
  return new Proxy(spellings, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        enter(`state.spellings.${String(name)}`);
        return reads.around(String(name), () => Reflect.apply(member, target, args) as unknown);
      };
    },
  });
}
