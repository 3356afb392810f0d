import type { RunReport } from "../run/report.ts";
import type { World } from "../run/world.ts";
import type { DaemonRequest } from "./daemon-types.ts";

type QueuedRequest =
  | {
      readonly kind: DaemonRequest;
      readonly resolve: (report: RunReport) => void;
      readonly reject: (error: Error) => void;
    }
  | {
      readonly kind: "exclusive";
      readonly work: (world: World) => Promise<void>;
      readonly reject: (error: Error) => void;
    };

/**
 * Requests to the daemon. They are carried out between two runs, in the order in which they came.
 */
export class RequestQueue {
  readonly #onRequest: () => void;
  #waiting: QueuedRequest[] = [];
  #closedBecause: string | null = null;

  constructor(onRequest: () => void) {
    this.#onRequest = onRequest;
  }

  request(kind: DaemonRequest): Promise<RunReport> {
    const { promise, resolve, reject } = Promise.withResolvers<RunReport>();
    this.#add({ kind, resolve, reject });
    return promise;
  }

  exclusive<T>(work: (world: World) => T | Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // An exception of the work rejects the promise of whoever requested it.
    const settle = async (world: World) => {
      try {
        resolve(await work(world));
      } catch (error) {
        reject(error);
      }
    };
    this.#add({ kind: "exclusive", work: settle, reject });
    return promise;
  }

  take(): QueuedRequest[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Rejects the requests that wait, and takes no more. */
  close(why: string): void {
    this.#closedBecause = why;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error(why));
  }

  #add(request: QueuedRequest): void {
    if (this.#closedBecause !== null) request.reject(new Error(this.#closedBecause));
    else {
      this.#waiting.push(request);
      this.#onRequest();
    }
  }
}
