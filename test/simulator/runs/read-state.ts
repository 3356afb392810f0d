import type { StoredState } from "../../../src/mirror/state/state.ts";

/** Members of a state that write nothing, and whose results only its rows decide. */
const READS: ReadonlySet<string> = new Set<keyof StoredState>([
  "load",
  "blocks",
  "link",
  "linksAt",
  "documentsIn",
  "localPaths",
  "hasInode",
  "dir",
  "dirAt",
  "conflict",
  "intents",
  "text",
  "hasText",
  "storedNames",
  "digests",
  "versions",
  "isEarlier",
  "meta",
  "events",
  "runs",
  "lossesAfter",
]);

/**
 * Values read from one state, by call; forgotten whenever something may have been written. Oracles
 * ask for base some thousand times in a run, and it changes some dozen times.
 */
export class ReadState {
  readonly #answers = new Map<string, unknown>();

  forget(): void {
    this.#answers.clear();
  }

  /** Wraps a call of the program under test: anything but a read may write. */
  around<T>(name: string, call: () => T): T {
    if (READS.has(name)) return call();
    this.forget();
    try {
      return call();
    } finally {
      // The call may have read its own write, and rolled it back since.
      this.forget();
    }
  }

  /** Returns the state for an oracle. */
  view(state: StoredState): StoredState {
    return new Proxy(state, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function" || typeof name !== "string") return member;
        return (...args: unknown[]) => {
          const call = (): unknown => Reflect.apply(member, target, args);
          return READS.has(name) ? this.#once(`${name} ${JSON.stringify(args)}`, call) : this.around(name, call);
        };
      },
    });
  }

  #once(key: string, call: () => unknown): unknown {
    if (!this.#answers.has(key)) this.#answers.set(key, call());
    return this.#answers.get(key);
  }
}
