import type { PackedText } from "../contract/packed-text.ts";

/** Packs texts for the store in another thread, where they are many. */
export type TextPacker = {
  /**
   * @param done takes the text packed, or as it is where the thread has ended; never within this
   * call
   * @returns false where the text is to be packed here
   */
  put(text: string, done: (text: string | PackedText) => void): boolean;
  /** Resolves when all that was put is done. Rejects then with what the thread threw. */
  end(): Promise<void>;
};
