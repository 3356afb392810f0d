import { parentPort, workerData } from "node:worker_threads";
import { type Burst, type Landed, Lander, textsIn } from "../../local/land.ts";
import { packBytes } from "../../state/text-codec.ts";
import { systemRandom } from "./random.ts";

/** The thread of `aside-thread.ts`: makes new files, and packs texts for the store. */

/**
 * `ends`: where each text ends in the memory. `slot`: the number of that memory; `memory`: itself,
 * when it is first used. Its second half is for what is packed. `burst`: the files to be made of
 * the texts; null: none.
 */
export type Task = {
  readonly burst: Burst | null;
  readonly ends: readonly number[];
  readonly slot: number;
  readonly memory: SharedArrayBuffer | null;
};

/**
 * Of each packed text, whose bytes stand in the second half where those of the text stand in the
 * first.
 */
export type Packed = { readonly codecs: readonly number[]; readonly lengths: readonly number[] };

/** `landed`: null where no files were to be made. */
export type Ended = { readonly landed: Landed | null; readonly packed: Packed };

const lander = new Lander(workerData as string, systemRandom());
const slots: SharedArrayBuffer[] = [];

function perform({ burst, ends, slot, memory }: Task): Ended {
  if (memory !== null) slots[slot] = memory;
  const shared = slots[slot]!;
  const plain = Buffer.from(shared, 0, shared.byteLength / 2);
  const landed = burst === null ? null : lander.land(burst, plain);
  return { landed, packed: pack(shared, ends, textsIn({ ends }, plain)) };
}

function pack(shared: SharedArrayBuffer, ends: readonly number[], texts: readonly Buffer[]): Packed {
  const half = shared.byteLength / 2;
  const [codecs, lengths]: [number[], number[]] = [[], []];
  for (const [n, plain] of texts.entries()) {
    const { codec, bytes } = packBytes(plain);
    // Packed bytes are never more than the text's own.
    Buffer.from(shared, half + (ends[n - 1] ?? 0), bytes.length).set(bytes);
    codecs.push(codec);
    lengths.push(bytes.length);
  }
  return { codecs, lengths };
}

parentPort?.on("message", (task: Task) => parentPort!.postMessage(perform(task)));
