import { CODEC, type PackedText } from "./packed-text.ts";

/**
 * One exchange with the service, apart from any transport: what a test sends in process and what
 * HTTP carries.
 */

/** Header names are lower case. */
export type WireHeaders = Readonly<Record<string, string>>;

export type WireRequest = {
  readonly method: string;
  /** Path and query as they stand in the request line, percent-encoded: `/v1/files?limit=10`. */
  readonly path: string;
  readonly headers: WireHeaders;
  /** JSON text, or null without a body. */
  readonly body: string | null;
};

export type WireResponse = {
  readonly status: number;
  readonly headers: WireHeaders;
  /** JSON text; empty for 204. */
  readonly body: string;
  /**
   * The body in parts, one after the other, where it is made of many: in one piece a long text
   * takes fresh memory, and is copied again by whoever writes it or takes it apart. Empty once they
   * were taken, as the body is then.
   */
  readonly parts?: string[];
  /** The text that the body leaves out, where it came beside it (`PACKED_BATCH_TYPE`). */
  readonly text?: TextBeside;
  /**
   * The bytes of a body that is no text; then `body` has a character for each. Empty once they were
   * taken, as the body is then.
   */
  readonly bytes?: Buffer;
};

/**
 * A packed text on its way, taken out once: whoever brought it may be held long after it was used,
 * as `takeParts` tells.
 */
export class TextBeside {
  /** Bytes of its UTF-8, as whoever sent it says. */
  readonly size: number;
  /** Bytes of what came. */
  readonly length: number;
  readonly isZipped: boolean;
  #packed: PackedText | null;

  constructor(packed: PackedText) {
    this.size = packed.size;
    this.length = packed.bytes.length;
    this.isZipped = packed.codec === CODEC.zstd;
    this.#packed = packed;
  }

  /** @throws when it was taken before */
  take(): PackedText {
    const packed = this.#packed;
    if (packed === null) throw new Error("a text was taken twice");
    this.#packed = null;
    return packed;
  }
}

/** A response whose body is no text. */
export function responseOfBytes(status: number, headers: WireHeaders, bytes: Buffer): WireResponse {
  return {
    status,
    headers,
    bytes,
    get body() {
      return this.bytes!.toString("latin1");
    },
  };
}

/** Takes the bytes out of a response, as `takeParts` does its parts. null: its body is a text. */
export function takeBytes(response: { bytes?: Buffer }): Buffer | null {
  const { bytes = null } = response;
  if (bytes !== null) response.bytes = NOTHING;
  return bytes;
}

const NOTHING = Buffer.alloc(0);

/** A response in parts. Its body is put together whenever it is asked for. */
export function responseInParts(status: number, headers: WireHeaders, parts: string[]): WireResponse {
  return {
    status,
    headers,
    parts,
    get body() {
      return parts.join("");
    },
  };
}

/**
 * Takes the parts out of a response. The promises that brought it have waited so long that V8 moved
 * them among its old objects: though nobody needs them, they keep all that hangs on the response
 * until those are collected.
 */
export function takeParts({ parts }: WireResponse): readonly string[] | null {
  return parts?.splice(0) ?? null;
}
