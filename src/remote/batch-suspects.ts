import { createHash } from "node:crypto";
import type { WireRequest } from "../contract/wire.ts";

/** LIMIT: how many are remembered; those of before are forgotten then. */
const MOST = 4_096;

/**
 * Requests of batches that came to nothing. Each goes by itself if it is made once more: one of
 * them may be why (a proxy that refuses its text), and must hold up no other (I17).
 */
export class BatchSuspects {
  readonly #keys = new Set<string>();

  note(requests: readonly WireRequest[]): void {
    if (this.#keys.size + requests.length > MOST) this.#keys.clear();
    for (const request of requests) this.#keys.add(keyOf(request));
  }

  /** Whether this request is one; it is asked for each that is made. */
  has(request: WireRequest): boolean {
    return this.#keys.size > 0 && this.#keys.has(keyOf(request));
  }

  /** It was answered by itself. */
  clear(request: WireRequest): void {
    this.#keys.delete(keyOf(request));
  }
}

/** Not the request itself, which holds a text. */
function keyOf({ method, path, body }: WireRequest): string {
  return createHash("sha256")
    .update(`${method} ${path}\n`)
    .update(body ?? "")
    .digest("base64");
}
