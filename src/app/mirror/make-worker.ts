import { parentPort, workerData } from "node:worker_threads";
import { type Burst, type Landed, Lander, textsIn } from "../../local/land.ts";
import { packBytes } from "../../state/text-codec.ts";

/** The thread of `make-aside.ts`: makes new files, and packs their texts for the store. */

/**
 * `slot`: the number of the memory that holds the texts. `memory`: that memory, when it is first
 * used. Its second half is for what is packed.
 */
export type Task = { readonly burst: Burst; readonly slot: number; readonly memory: SharedArrayBuffer | null };

/**
 * `codecs`, `lengths`: of each packed text, whose bytes stand in the second half where those of the
 * text stand in the first.
 */
export type Ended = {
  readonly landed: Landed;
  readonly codecs: readonly number[];
  readonly lengths: readonly number[];
};

const lander = new Lander(workerData as string);
const slots: SharedArrayBuffer[] = [];

function perform({ burst, slot, memory }: Task): Ended {
  if (memory !== null) slots[slot] = memory;
  const shared = slots[slot]!;
  const half = shared.byteLength / 2;
  const landed = lander.land(burst, Buffer.from(shared, 0, half));
  const [codecs, lengths]: [number[], number[]] = [[], []];
  for (const [n, plain] of textsIn(burst, Buffer.from(shared, 0, half)).entries()) {
    const { codec, bytes } = packBytes(plain);
    // Packed bytes are never more than the text's own.
    Buffer.from(shared, half + (burst.ends[n - 1] ?? 0), bytes.length).set(bytes);
    codecs.push(codec);
    lengths.push(bytes.length);
  }
  return { landed, codecs, lengths };
}

parentPort?.on("message", (task: Task) => parentPort!.postMessage(perform(task)));
