import { EventSourceStream } from "undici/lib/web/eventsource/eventsource-stream.js";

// LIMIT: an event of the contract has one path, of at most 25 KB in JSON's longest spelling.
const MAX_EVENT_BYTES = 64 * 1024;

/** One event; `id`: that of the stream so far, null before there was one. */
export type ReadEvent = { readonly type: string; readonly data: string; readonly id: string | null };

/**
 * Reads a stream of events, whatever pieces it comes in.
 * ASSUMES: the exact version of undici that package.json names has its parser in this file, which
 * ends at an event, or a line, above the bound.
 */
export class EventReader {
  readonly #parser: EventSourceStream;
  #isBroken = false;

  /** @param onBroken called once an event was too long: nothing more is read */
  constructor(onEvent: (event: ReadEvent) => void, onBroken: () => void) {
    this.#parser = new EventSourceStream({
      maxEventSize: MAX_EVENT_BYTES,
      // Handed on at once: nothing is kept for somebody who reads later.
      push: ({ type, options: { data, lastEventId } }) => {
        onEvent({ type, data, id: lastEventId ?? null });
        return true;
      },
    });
    this.#parser.on("error", () => {
      this.#isBroken = true;
      onBroken();
    });
  }

  take(bytes: Buffer): void {
    if (!this.#isBroken) this.#parser.write(bytes);
  }
}
