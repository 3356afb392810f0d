import type { WireRequest } from "../../src/contract/wire.ts";
import type { Wire, WireResult } from "../../src/common/wire.ts";
import { withTranslation } from "../../src/mirror/engine/links/translating.ts";
import { META } from "../../src/mirror/engine/run/meta.ts";
import type { World } from "../../src/mirror/engine/run/world.ts";
import type { LocalDisk } from "../../src/mirror/local/disk.ts";
import type { Fs } from "../../src/mirror/ports/fs.ts";
import type { RemoteTraits } from "../../src/mirror/ports/remote.ts";
import { createRemote } from "../../src/mirror/remote/client.ts";
import type { StoredState } from "../../src/mirror/state/state.ts";
import type { State } from "../../src/mirror/ports/state.ts";
import { closeNothing, NO_PROGRESS } from "./quiet-ports.ts";
import type { RamDisk } from "./ram-disk.ts";

/** Kills a process: a port call throws it, and every later one of that process. */
export class Killed extends Error {
  override readonly name = "Killed";
}

/** Events of a process while it runs. */
export type Fate = {
  /** The call at which it dies (1: the first), counted over disk, state and wire; null: never. */
  readonly killAt: number | null;
  /** Called before each call of a port; may act as a user. */
  readonly onCall: (call: number, member: string) => void;
  /** Sends one request to the service, with its fault. */
  readonly exchange: (request: WireRequest) => Promise<WireResult>;
  /** Called before each call of the disk. */
  readonly onDisk: (call: string, path: string, to: string | null) => void;
};

/** The parts of a process that outlive it, and those that each machine has of its own. */
type Machine = Pick<World, "clock" | "random" | "log" | "bootId" | "prefix"> & {
  readonly key: string;
  readonly disk: RamDisk;
  readonly state: StoredState;
  /** `wiki`: wiki links too. */
  readonly links: boolean | "wiki";
  readonly openDisk: (fs: Fs) => LocalDisk;
  /** Called with the number of each call. */
  readonly counts: (call: number) => void;
  /** Called at the kill. */
  readonly dies?: (member: string) => void;
};

/** Starts a process, each of whose calls of a port may be its last one. */
export function startProcess(machine: Machine, fate: Fate, safety: Omit<StateCalls, "enter">): World {
  let [calls, isDead] = [0, false];
  const enter = (member: string): void => {
    if (isDead) throw new Killed("the process is gone");
    machine.counts(++calls);
    fate.onCall(calls, member);
    if (calls !== fate.killAt) return;
    isDead = true;
    machine.dies?.(member);
    throw new Killed("killed here");
  };
  const wire: Wire = {
    send: async (request) => {
      enter("wire.send");
      const result = await fate.exchange(request);
      // A second moment to die: the service has carried out the request, and nobody received the
      // answer.
      enter("wire.answer");
      return result;
    },
    close: closeNothing,
  };
  const { clock, random, log, key, bootId, prefix, links, state } = machine;
  const traits = state.meta(META.traits);
  const world: World = {
    clock,
    random,
    log,
    progress: NO_PROGRESS,
    remote: createRemote({
      wire,
      key,
      clock,
      random,
      log,
      traits: traits === null ? null : (JSON.parse(traits) as RemoteTraits),
    }),
    disk: machine.openDisk(guardDisk(machine.disk, enter, fate)),
    state: guardState(state, { enter, ...safety }),
    bootId,
    prefix,
  };
  return links === false ? world : withTranslation(world, true, links === "wiki");
}

const TWO_PATHS: ReadonlySet<string> = new Set(["rename", "link"]);

/** Makes every system call a place to die; the creation of a new file has three. */
function guardDisk(disk: RamDisk, enter: (member: string) => void, { onDisk }: Fate): Fs {
  return new Proxy<Fs>(disk, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || typeof name !== "string") return member;
      // This call asks the system which files are open, and names no path of the disk.
      if (name === "listOpenToWrite") return () => target.listOpenToWrite?.();
      return (...args: unknown[]) => {
        onDisk(name, args[0] as string, TWO_PATHS.has(name) ? (args[1] as string) : null);
        enter(`disk.${name}`);
        disk.amidWrite = (part) => enter(`disk.${part}`);
        try {
          return Reflect.apply(member, target, args) as unknown;
        } finally {
          disk.amidWrite = null;
        }
      };
    },
  });
}

type StateCalls = {
  /** Called before each call, with a name such as `state.load`. */
  readonly enter: (member: string) => void;
  /** Makes a call; by default directly. */
  readonly around?: <T>(name: string, call: () => T) => T;
  /** Called when the stored content survives a power cut, or the committed rows, too. */
  readonly onSafe: (what: "texts" | "all") => void;
};

/** Makes every call of the state a place to die; inside a transaction, the kill rolls it back. */
function guardState<T extends State | State["spellings"]>(state: T, calls: StateCalls, prefix = "state."): T {
  const { enter, around = (_name, call) => call(), onSafe } = calls;
  return new Proxy(state, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name === "spellings") return guardState(member as State["spellings"], calls, "state.spellings.");
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        enter(`${prefix}${String(name)}`);
        const value = around(String(name), () => Reflect.apply(member, target, args) as unknown);
        if (name === "secureTexts") onSafe("texts");
        if (name === "transactSafely") onSafe("all");
        return value;
      };
    },
  });
}
