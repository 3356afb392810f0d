/** LIMIT: keys whose hash is remembered. Each is compared with each key that is sent. */
const REMEMBERED = 8;

type Known = { readonly key: string; readonly hash: Buffer };

/**
 * Remembers hashes of recent keys: hashing takes longer than comparing with all of these. A
 * comparison reads every character of every key, found or not, so that its time reveals only the
 * length of a key. The keys stay in the memory of the process, which has them in each request
 * anyway.
 */
export class KeyHashes {
  readonly #hashOf: (key: string) => Buffer;
  readonly #known: Known[] = [];
  /** Index of the next entry, which replaces the oldest. */
  #next = 0;

  constructor(hashOf: (key: string) => Buffer) {
    this.#hashOf = hashOf;
  }

  hashOf(key: string): Buffer {
    let found: Known | null = null;
    for (const known of this.#known) if (isSame(known.key, key)) found = known;
    if (found !== null) return found.hash;
    const hash = this.#hashOf(key);
    this.#known[this.#next] = { key, hash };
    this.#next = (this.#next + 1) % REMEMBERED;
    return hash;
  }
}

/** Compares in constant time for keys of one length. */
function isSame(known: string, sent: string): boolean {
  if (known.length !== sent.length) return false;
  let difference = 0;
  for (let at = 0; at < known.length; at++) difference |= known.charCodeAt(at) ^ sent.charCodeAt(at);
  return difference === 0;
}
