/** LIMIT: keys whose hash is remembered. Each is compared with each key that is sent. */
const REMEMBERED = 8;

type Known = { readonly key: string; readonly hash: Buffer };

/**
 * Hashes of the keys that were sent lately: to hash one takes longer than to compare it with all of
 * these. A comparison looks at each character of each of them, whether it is found or not, so that
 * its time tells nothing of a key but its length. They are no longer in memory than the process,
 * which has them in each request anyway.
 */
export class KeyHashes {
  readonly #hashOf: (key: string) => Buffer;
  readonly #known: Known[] = [];
  /** Where the next one goes: the oldest makes way. */
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

/** In constant time for keys of one length. */
function isSame(known: string, sent: string): boolean {
  if (known.length !== sent.length) return false;
  let difference = 0;
  for (let at = 0; at < known.length; at++) difference |= known.charCodeAt(at) ^ sent.charCodeAt(at);
  return difference === 0;
}
