import { burstOf, endsOf, Lander, type MakesAside } from "../../src/local/land.ts";
import { digestOf } from "../../src/model/digest.ts";
import { unpackedBytes } from "../../src/model/packed-text.ts";
import type { Fs } from "../../src/ports/fs.ts";
import type { MadeEntry, MadeFile, NewFile } from "../../src/ports/disk.ts";
import type { Random } from "../../src/ports/world.ts";

/** What the thread for new files does, in a later turn of this one. */
export class MakesInTurn implements MakesAside {
  readonly #lander: Lander;

  constructor(fs: Fs, root: string, random: Pick<Random, "hex">, note?: (entries: readonly MadeEntry[]) => void) {
    this.#lander = new Lander(root, random, note, fs);
  }

  isReady(): boolean {
    return true;
  }

  begin(): void {
    // It is always there.
  }

  create(...[root, folding, files]: Parameters<MakesAside["create"]>): Promise<MadeFile[]> | null {
    const burst = root === null ? null : burstOf(root, folding, files);
    return burst === null ? null : this.#make(burst, files);
  }

  async #make(burst: NonNullable<ReturnType<typeof burstOf>>, files: readonly NewFile[]): Promise<MadeFile[]> {
    await null;
    const texts = files.map(({ text }) => (typeof text === "string" ? Buffer.from(text) : unpackedBytes(text)));
    const digests = texts.map((text) => (text === null ? null : digestOf(text)));
    return endsOf(this.#lander.land(burst, texts, digests)).map((end, n) => {
      const [{ text }, bytes] = [files[n]!, texts[n]!];
      return { end, text, digest: typeof text === "string" || bytes === null ? null : digestOf(bytes) };
    });
  }
}
