import type { StoredState } from "../../../src/mirror/state/state.ts";

/** Members of a state that write nothing, and whose answers its rows alone decide. */
const READS: ReadonlySet<string> = new Set<keyof StoredState>([
  "load",
  "holds",
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
  "sightings",
  "digests",
  "versions",
  "isEarlier",
  "meta",
  "events",
  "runs",
  "lossesAfter",
]);

/**
 * What was read of one state, by call; forgotten whenever something may have been written. Judges
 * ask some thousand times in a life for a base tree that changed some dozen times.
 */
export class ReadState {
  readonly #answers = new Map<string, unknown>();

  forget(): void {
    this.#answers.clear();
  }

  /** Around a call that somebody else makes: all but a read may write. */
  around<T>(name: string, call: () => T): T {
    if (READS.has(name)) return call();
    this.forget();
    try {
      return call();
    } finally {
      // What it wrote may have been read within it, and rolled back since.
      this.forget();
    }
  }

  /** The state as a judge sees it. */
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
