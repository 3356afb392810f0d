import type { PackedText } from "../../contract/packed-text.ts";
import { keepHere, type KeepText } from "../apply/text-name.ts";
import type { Digest } from "../../model/digest.ts";
import type { LocalPath } from "../../model/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import type { OnText } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import type { TextPacker } from "../../ports/text-packer.ts";

type Packed = { readonly digest: Digest; readonly text: string | PackedText; readonly path: LocalPath };

/**
 * Stores the texts of a walk, which are packed in another thread while the walk reads on: else a
 * first look at a large folder would spend half of its time on that. All of them are in the store
 * when the walk is handed on, so before anything is done with them (I03).
 */
export class PackAhead {
  readonly #state: State;
  readonly #packer: TextPacker;
  readonly #keep: KeepText;
  #packed: Packed[] = [];

  constructor(state: State, packer: TextPacker, base: BaseTree) {
    this.#state = state;
    this.#packer = packer;
    this.#keep = keepHere(state, base);
  }

  /** @param walk hands on each text within a transaction: packed ones are stored in it, too */
  async during<T>(walk: (take: OnText) => Promise<T>): Promise<T> {
    try {
      return await walk((...text) => this.#take(...text));
    } finally {
      await this.#end();
    }
  }

  #take(...[digest, text, path]: Parameters<OnText>): void {
    this.#store();
    const isTaken = this.#packer.put(text, (packed) => this.#packed.push({ digest, text: packed, path }));
    if (!isTaken) this.#keep(digest, text, path);
  }

  async #end(): Promise<void> {
    try {
      await this.#packer.end();
    } finally {
      if (this.#packed.length > 0) this.#state.transact(() => this.#store());
    }
  }

  #store(): void {
    for (const { digest, text, path } of this.#packed.splice(0)) this.#keep(digest, text, path);
  }
}
