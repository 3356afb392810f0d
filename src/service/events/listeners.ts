import type { AnswerStream } from "../http/stream.ts";
import type { KeyReader } from "../requests/authenticate.ts";

export type ListenerGroup = {
  readonly hash: Buffer;
  reader: KeyReader;
  /** Time when the access of the key was last read, in milliseconds by the service's clock. */
  lookedAt: number;
  readonly sinks: Set<AnswerStream>;
};

/** The connected listeners, grouped by key. An idle listener costs only its connection. */
export class Listeners {
  readonly #groups = new Map<string, ListenerGroup>();
  /** Time of the last data sent to each listener. The listener with the earliest time is first. */
  readonly #beats = new Map<AnswerStream, number>();

  /** Number of listeners by key, including new listeners that still get missed events. */
  readonly #counts = new Map<string, number>();

  get size(): number {
    return this.#beats.size;
  }

  groups(): Iterable<ListenerGroup> {
    return this.#groups.values();
  }

  countOf(hash: Buffer): number {
    return this.#counts.get(toMapKey(hash)) ?? 0;
  }

  /** Changes the number of listeners of a key: 1 for a new listener, -1 for a lost listener. */
  count(hash: Buffer, change: 1 | -1): void {
    const name = toMapKey(hash);
    const count = (this.#counts.get(name) ?? 0) + change;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }

  add(sink: AnswerStream, hash: Buffer, reader: KeyReader, now: number): void {
    const name = toMapKey(hash);
    const group = this.#groups.get(name) ?? { hash, reader, lookedAt: now, sinks: new Set() };
    group.reader = reader;
    group.lookedAt = now;
    group.sinks.add(sink);
    this.#groups.set(name, group);
    this.#beats.set(sink, now);
  }

  remove(sink: AnswerStream, hash: Buffer): void {
    const name = toMapKey(hash);
    const group = this.#groups.get(name);
    group?.sinks.delete(sink);
    if (group?.sinks.size === 0) this.#groups.delete(name);
    this.#beats.delete(sink);
  }

  /** Sends `text` to each listener to which nothing was sent for `everyMs` milliseconds. */
  beat(text: string, now: number, everyMs: number): void {
    for (const [sink, sentAt] of this.#beats) {
      if (now - sentAt < everyMs) continue;
      this.#beats.set(sink, now);
      sink.send(text);
    }
  }

  end(group: ListenerGroup): void {
    for (const sink of [...group.sinks]) {
      sink.end();
      this.remove(sink, group.hash);
    }
  }
}

function toMapKey(hash: Buffer): string {
  return hash.toString("latin1");
}
