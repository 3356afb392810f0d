import { parentPort } from "node:worker_threads";
import { encodeText } from "./text-codec.ts";

/** The thread of `pack-aside.ts`: packs batches of texts. */

/** The texts of a batch, in its order. `ends`: where each text's bytes end in `bytes`. */
export type PackedBatch = {
  readonly bytes: ArrayBuffer;
  readonly ends: readonly number[];
  readonly codecs: readonly number[];
  readonly sizes: readonly number[];
};

parentPort?.on("message", (texts: readonly string[]) => {
  const packed = texts.map(encodeText);
  let end = 0;
  const ends = packed.map(({ bytes }) => (end += bytes.length));
  const all = new Uint8Array(end);
  for (const [n, { bytes }] of packed.entries()) all.set(bytes, ends[n]! - bytes.length);
  const batch: PackedBatch = {
    bytes: all.buffer,
    ends,
    codecs: packed.map(({ codec }) => codec),
    sizes: packed.map(({ size }) => size),
  };
  parentPort!.postMessage(batch, [all.buffer]);
});
