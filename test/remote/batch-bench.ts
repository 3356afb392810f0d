import type { WireRequest } from "../../src/contract/wire.ts";
import type { WireResult } from "../../src/ports/wire.ts";
import { BatchWire } from "../../src/remote/batch-wire.ts";
import { LIST } from "./scripted-batches.ts";
import { answer, type Script, type ScriptedWire, scriptedWire } from "./scripted-wire.ts";
import { isBatch, requestsOf } from "./take-batch.ts";
import { type VirtualClock, virtualClock } from "./virtual-clock.ts";

/** A wire that gathers, over one that answers by script. */

export const BOUNDS = { deadlineMs: 30_000, maxBytes: 4_000_000 };
const HEADERS = { authorization: "Bearer k", accept: "application/json" };

export function get(n: number): WireRequest {
  return { method: "GET", path: `/v1/files/doc_${n}`, headers: HEADERS, body: null };
}

export function post(n: number, content = "x"): WireRequest {
  const headers = { ...HEADERS, "content-type": "application/json" };
  return { method: "POST", path: "/v1/files", headers, body: JSON.stringify({ path: `${n}.md`, content }) };
}

export function many(count: number, make: (n: number) => WireRequest = get): WireRequest[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

/** Answers with its own path and body. */
export const echo: Script = ({ path, body }) => answer(200, { path, body });

/** Until all promises of this turn have gone on, and what is due then was done. */
export function nextTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Until all that is ready now has gone on. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export class BatchBench {
  readonly inner: ScriptedWire;
  readonly clock: VirtualClock = virtualClock();
  readonly wire: BatchWire;
  readonly #prefix: string;

  constructor(script: Script, basePrefix = "") {
    this.inner = scriptedWire(script);
    this.wire = new BatchWire({ wire: this.inner, clock: this.clock, basePrefix });
    this.#prefix = basePrefix;
  }

  /** Asks for a list, as every client does first. */
  async listed(): Promise<this> {
    await this.wire.send({ ...LIST, path: this.#prefix + LIST.path }, BOUNDS);
    this.inner.sent.length = 0;
    return this;
  }

  send(request: WireRequest): Promise<WireResult> {
    return this.wire.send(request, BOUNDS);
  }

  sendAll(requests: readonly WireRequest[]): Promise<WireResult[]> {
    return Promise.all(requests.map((each) => this.send(each)));
  }

  /** How many requests each exchange held; 1: by itself. */
  sizes(): number[] {
    return this.inner.sent.map((each) => (isBatch(each) ? requestsOf(each).length : 1));
  }
}

/** A script whose answers, but for lists, wait until they are released one by one. */
export class HeldScript {
  readonly #waiting: (() => void)[] = [];
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  readonly answer: Script = async (request, n) => {
    if (!request.path.includes("?")) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#script(request, n);
  };

  get waiting(): number {
    return this.#waiting.length;
  }

  release(): void {
    this.#waiting.shift()!();
  }
}
