import type { WireRequest } from "../../src/contract/wire.ts";
import type { Wire, WireResult } from "../../src/common/wire.ts";
import { withTranslation } from "../../src/mirror/engine/links/translating.ts";
import { META } from "../../src/mirror/engine/run/meta.ts";
import type { World } from "../../src/mirror/engine/run/world.ts";
import type { LocalDisk } from "../../src/mirror/local/disk.ts";
import type { Fs } from "../../src/mirror/ports/disk.ts";
import type { RemoteTraits } from "../../src/mirror/ports/remote.ts";
import { createRemote } from "../../src/mirror/remote/client.ts";
import type { StoredState } from "../../src/mirror/state/state.ts";
import type { State } from "../../src/mirror/ports/state.ts";
import { closeNothing, NO_PROGRESS } from "./quiet-ports.ts";
import type { RamDisk } from "./ram-disk.ts";

/**
 * Thrown by the port call at which a process is killed, and by every later call of that process.
 */
export class Killed extends Error {
  override readonly name = "Killed";
}

/** Events during the life of a process. */
export type ProcessHooks = {
  /**
   * Port call at which it is killed (1: the first), counted over disk, state and wire; null: never.
   */
  readonly killAt: number | null;
  /** Called before each port call; may act as a user. */
  readonly onCall: (call: number, member: string) => void;
  /** Sends one request to the service. Applies the request's fault. */
  readonly exchange: (request: WireRequest) => Promise<WireResult>;
  /** Called before each call of the disk. */
  readonly onDisk: (call: string, path: string, to: string | null) => void;
};

/** What outlives a process, and what belongs to its machine. */
type Machine = Pick<World, "clock" | "random" | "log" | "bootId" | "prefix"> & {
  readonly key: string;
  readonly disk: RamDisk;
  readonly state: StoredState;
  /** True to translate links; `wiki` for wiki links too. */
  readonly links: boolean | "wiki";
  readonly openDisk: (fs: Fs) => LocalDisk;
  /** Called with the number of each port call. */
  readonly counts: (call: number) => void;
  /** Called when the process is killed. */
  readonly dies?: (member: string) => void;
};

/** Starts a process that can be killed at each port call. */
export function startProcess(machine: Machine, fate: ProcessHooks, safety: Omit<StateCalls, "enter">): World {
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
      // A second moment for a kill: the service has executed the request, and the process has not
      // received the answer.
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

/**
 * Returns the disk with a possible kill at each system call; the creation of a file has three such
 * moments.
 */
function guardDisk(disk: RamDisk, enter: (member: string) => void, { onDisk }: ProcessHooks): Fs {
  return new Proxy<Fs>(disk, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || typeof name !== "string") return member;
      // This call asks the system for open files and has no path.
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
  /** Wraps each call; by default it is made directly. */
  readonly around?: <T>(name: string, call: () => T) => T;
  /** Called when stored contents, or all committed rows too, survive a power cut from now on. */
  readonly onSafe: (what: "texts" | "all") => void;
};

/** Returns the state with a possible kill at each call. A kill in a transaction rolls it back. */
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
