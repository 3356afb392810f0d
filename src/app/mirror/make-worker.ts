import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { type Burst, type Landed, Lander, textsIn } from "../../local/land.ts";
import { CODEC } from "../../contract/packed-text.ts";
import { type Digest, digestOf } from "../../model/digest.ts";
import { unpackedBytes } from "../../model/packed-text.ts";
import { packBytes } from "../../state/text-codec.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { noterIn } from "./made-list.ts";
import { systemRandom } from "./random.ts";

/** The thread of `aside-thread.ts`: makes new files, and packs texts for the store. */

/**
 * `ends`: where each text ends in the memory. `slot`: the number of that memory; `memory`: itself,
 * when it is first used. Its second half is for what is packed. `zipped`: how many bytes of each
 * stand there already, and not in the first half; 0, and null for all: none. `burst`: the files to
 * be made of the texts; null: none.
 */
export type Task = {
  readonly burst: Burst | null;
  readonly ends: readonly number[];
  readonly zipped: readonly number[] | null;
  readonly slot: number;
  readonly memory: SharedArrayBuffer | null;
};

/**
 * Of each packed text, whose bytes stand in the second half where those of the text stand in the
 * first.
 */
export type Packed = { readonly codecs: readonly number[]; readonly lengths: readonly number[] };

/**
 * `landed`: null where no files were to be made. `digests`: of the texts that were zipped; null for
 * the others, and for one that is damaged; null for all: none was.
 */
export type Ended = {
  readonly landed: Landed | null;
  readonly packed: Packed;
  readonly digests: readonly (Digest | null)[] | null;
};

const root = workerData as string;
const lander = new Lander(root, systemRandom(), noterIn(join(root, MIRROR_FOLDER)));
const slots: SharedArrayBuffer[] = [];

function perform({ burst, ends, zipped, slot, memory }: Task): Ended {
  if (memory !== null) slots[slot] = memory;
  const shared = slots[slot]!;
  const came = textsIn({ ends }, Buffer.from(shared, 0, shared.byteLength / 2));
  const texts = zipped === null ? came : came.map((text, n) => unzipped(shared, ends, n, zipped[n]!, text));
  const all = burst === null && zipped === null ? null : texts.map((text) => (text === null ? null : digestOf(text)));
  const landed = burst === null ? null : lander.land(burst, texts, all!);
  const digests = zipped?.map((length, n) => (length === 0 ? null : all![n]!)) ?? null;
  return { landed, packed: pack(shared, ends, texts, zipped), digests };
}

/** @param length of the n-th text where it is zipped. @param came it itself where it is not */
function unzipped(
  shared: SharedArrayBuffer,
  ends: readonly number[],
  n: number,
  length: number,
  came: Buffer,
): Buffer | null {
  if (length === 0) return came;
  const bytes = Buffer.from(shared, shared.byteLength / 2 + (ends[n - 1] ?? 0), length);
  return unpackedBytes({ codec: CODEC.zstd, size: came.length, bytes });
}

/** What came zipped stays as it is. */
function pack(
  shared: SharedArrayBuffer,
  ends: readonly number[],
  texts: readonly (Buffer | null)[],
  zipped: readonly number[] | null,
): Packed {
  const half = shared.byteLength / 2;
  const [codecs, lengths]: [number[], number[]] = [[], []];
  for (const [n, plain] of texts.entries()) {
    const came = zipped?.[n] ?? 0;
    const { codec, bytes } = came > 0 || plain === null ? { codec: CODEC.zstd, bytes: null } : packBytes(plain);
    // Packed bytes are never more than the text's own.
    if (bytes !== null) Buffer.from(shared, half + (ends[n - 1] ?? 0), bytes.length).set(bytes);
    codecs.push(codec);
    lengths.push(bytes?.length ?? came);
  }
  return { codecs, lengths };
}

parentPort?.on("message", (task: Task) => parentPort!.postMessage(perform(task)));
