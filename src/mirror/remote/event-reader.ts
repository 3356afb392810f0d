import { createParser } from "eventsource-parser";

// LIMIT: an event of the contract has one path, of at most 25 KB in JSON's longest spelling.
const MAX_EVENT_LENGTH = 64 * 1024;

/** One event; `id`: that of the stream so far, null before there was one. */
export type ReadEvent = { readonly type: string; readonly data: string; readonly id: string | null };

/** Reads a stream of events, in pieces of any size. Ends at an event or a line above the limit. */
export class EventReader {
  readonly #decoder = new TextDecoder();
  readonly #parser: { feed(text: string): void };
  readonly #onBroken: () => void;
  #lastId: string | null = null;
  #isBroken = false;

  /** @param onBroken called after an event that is too long; the rest of the stream is not read */
  constructor(onEvent: (event: ReadEvent) => void, onBroken: () => void) {
    this.#onBroken = onBroken;
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT_LENGTH,
      onEvent: ({ event = "message", data, id }) => {
        if (this.#isBroken) return;
        if (data.length > MAX_EVENT_LENGTH) return this.#break();
        // An event without an id keeps that of the stream.
        if (id !== undefined) this.#lastId = id;
        onEvent({ type: event, data, id: this.#lastId });
      },
      onError: ({ type }) => {
        // Unknown fields and invalid pauses are ignored, as the format requires.
        if (type === "max-buffer-size-exceeded") this.#break();
      },
    });
  }

  take(bytes: Buffer): void {
    if (!this.#isBroken) this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
  }

  #break(): void {
    this.#isBroken = true;
    this.#onBroken();
  }
}
