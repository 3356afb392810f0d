import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import type { RemoteTraits } from "../../src/mirror/ports/remote.ts";
import type { Wire, WireResult } from "../../src/common/wire.ts";
import type { Log } from "../../src/mirror/ports/world.ts";
import type { Random } from "../../src/common/random.ts";
import { createRemote, type RemoteOptions } from "../../src/mirror/remote/client.ts";
import { NO_TRAITS } from "../../src/mirror/remote/traits.ts";
import { VirtualClock } from "../clocks.ts";

/** A wire in memory that records requests and returns the answers of a script. */

export const KEY = "sk_test_0123456789abcdef";

export type Script = (request: WireRequest, n: number) => WireResult | Promise<WireResult>;

/** Returns the answers in order; the last one again and again. */
export class ScriptedWire implements Wire {
  readonly sent: WireRequest[] = [];
  closed = false;
  readonly #script: Script | readonly WireResult[];

  constructor(script: Script | readonly WireResult[]) {
    this.#script = script;
  }

  async send(request: WireRequest): Promise<WireResult> {
    this.sent.push(request);
    const n = this.sent.length;
    const script = this.#script;
    return typeof script === "function" ? script(request, n) : script[Math.min(n, script.length) - 1]!;
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

export function answer(status: number, body: unknown = "", headers: Readonly<Record<string, string>> = {}): WireResult {
  const response: WireResponse = { status, headers, body: typeof body === "string" ? body : JSON.stringify(body) };
  return { kind: "answer", response };
}

export function problem(
  status: number,
  code: string,
  pointers: readonly string[] = [],
  headers: Readonly<Record<string, string>> = {},
): WireResult {
  const errors = pointers.map((pointer) => ({ code: "invalid_name", pointer, detail: "no" }));
  const body = {
    type: `https://docs/errors/${code}`,
    title: "T",
    status,
    code,
    detail: "the detail",
    requestId: "req_body",
    errors,
  };
  return answer(status, body, { "content-type": "application/problem+json", "x-request-id": "req_header", ...headers });
}

export const LOST: WireResult = { kind: "lost", why: "UND_ERR_SOCKET" };
export const NOT_SENT: WireResult = { kind: "not-sent", why: "ECONNREFUSED" };

export const FILE = { id: "doc_1", lastChangeId: "chg_1", path: "a/note.md", protected: false };
export const FOLDER = { id: "dir_1", path: "a" };

export function page(data: readonly unknown[], nextCursor: string | null = null): WireResult {
  return answer(200, { object: "list", url: "/v1/files", data, hasMore: nextCursor !== null, nextCursor });
}

/** What a client has learned of a deployment like the first version of the service. */
export const FIRST_TRAITS: RemoteTraits = { ...NO_TRAITS, leadingSlash: false, folderTree: "no" };

/**
 * Opens a client with a scripted wire and a virtual clock. By default it knows a deployment of the
 * first version, whose ids and paths are short to write.
 * @param fraction replaces the random jitter of delays
 */
export function bench(
  script: Script | readonly WireResult[],
  options: Partial<RemoteOptions> & { readonly fraction?: number; readonly clock?: VirtualClock } = {},
) {
  const { fraction = 0.5, clock = new VirtualClock(), ...rest } = options;
  const wire = new ScriptedWire(script);
  const lines: string[] = [];
  const log: Log = { write: (...line) => void lines.push(JSON.stringify(line)) };
  const random: Random = { fraction: () => fraction, hex: (n) => "0".repeat(n) };
  const remote = createRemote({ wire, key: KEY, clock, random, log, traits: FIRST_TRAITS, ...rest });
  return { remote, wire, clock, lines };
}
