import type { WireRequest, WireResponse } from "../../../src/contract/wire.ts";
import type { StoredState } from "../../../src/state/state.ts";

/**
 * What judges read again and again while nobody writes is read once: a life asks some thousand
 * times for a base tree that changed some dozen times.
 */

/** Members of a state that write nothing, and whose answers its rows alone decide. */
const READS: ReadonlySet<string> = new Set<keyof StoredState>([
  "load",
  "holds",
  "link",
  "linksAt",
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
  "deletionsSince",
]);

/** What was read of one state, by call; forgotten whenever something may have been written. */
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

/** Answers of a service to its GETs; forgotten whenever something may have been written. */
export class ReadAnswers {
  readonly #answers = new Map<string, WireResponse>();
  readonly #nextRequestId: () => string;

  /**
   * @param nextRequestId draws as the service would: a read that is spared moves its dice all the
   * same
   */
  constructor(nextRequestId: () => string) {
    this.#nextRequestId = nextRequestId;
  }

  forget(): void {
    this.#answers.clear();
  }

  answer(request: WireRequest, ask: (request: WireRequest) => WireResponse): WireResponse {
    if (request.method !== "GET") return this.#write(request, ask);
    const { authorization = "", "x-api-key": key = "" } = request.headers;
    const asked = `${authorization}\n${key}\n${request.path}`;
    const known = this.#answers.get(asked);
    if (known !== undefined) return { ...known, headers: { ...known.headers, "x-request-id": this.#nextRequestId() } };
    const response = ask(request);
    // The body of a refusal names its request.
    if (response.status === 200) this.#answers.set(asked, response);
    return response;
  }

  #write(request: WireRequest, ask: (request: WireRequest) => WireResponse): WireResponse {
    try {
      return ask(request);
    } finally {
      this.forget();
    }
  }
}
