import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import type { SyncService } from "../sync-service/service.ts";

/** LIMIT: characters of remembered answers. */
const MOST = 8_000_000;

/**
 * Remembers the service's answers to GET requests until something may have been written. Mirrors
 * and oracles list a workspace some hundred times between two changes.
 */
export class ReadAnswers {
  readonly #answers = new Map<string, WireResponse>();
  readonly #nextRequestId: () => string;
  readonly #ask: SyncService["answer"];
  #size = 0;

  /**
   * @param nextRequestId draws a request id: a remembered answer must draw the same random numbers
   * as a real one
   */
  constructor(nextRequestId: () => string, ask: SyncService["answer"]) {
    this.#nextRequestId = nextRequestId;
    this.#ask = ask;
  }

  forget(): void {
    this.#answers.clear();
    this.#size = 0;
  }

  readonly answer = (request: WireRequest): WireResponse => {
    if (request.method !== "GET") return this.#write(() => this.#ask(request));
    const { authorization = "", "x-api-key": key = "" } = request.headers;
    const asked = `${authorization}\n${key}\n${request.path}\n${request.body ?? ""}`;
    const known = this.#answers.get(asked);
    if (known !== undefined) return { ...known, headers: { ...known.headers, "x-request-id": this.#nextRequestId() } };
    const response = this.#ask(request);
    // A refusal contains its request's id, so it is not remembered.
    if (response.status === 200) this.#remember(asked, response);
    return response;
  };

  /** Returns the service for callers that may change it without `answer`. */
  open(service: SyncService): SyncService {
    return this.#open(service);
  }

  #remember(asked: string, response: WireResponse): void {
    this.#size += response.body.length;
    if (this.#size > MOST) this.forget();
    else this.#answers.set(asked, response);
  }

  #write<T>(work: () => T): T {
    this.forget();
    try {
      return work();
    } finally {
      // The call may also have read and remembered answers.
      this.forget();
    }
  }

  #open<T extends object>(one: T): T {
    return new Proxy(one, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member === "function")
          return (...args: unknown[]) => this.#write(() => Reflect.apply(member, target, args) as unknown);
        return typeof member === "object" && member !== null ? this.#open(member) : member;
      },
    });
  }
}
