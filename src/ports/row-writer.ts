import type { PackedText } from "../contract/packed-text.ts";
import type { Link } from "../model/link.ts";
import type { Lent } from "./disk.ts";
import type { MirrorEvent } from "./state.ts";

/** What base learns of a document of the service of which a new file was made here. */
export type CreatedRows = {
  readonly link: Link;
  readonly event: MirrorEvent;
  /** The text of the file, which is the link's. */
  readonly text: string | PackedText;
  /** The memory of the text, to be given back when it is written. Left out: its own. */
  readonly lent?: Lent;
};

/** Writes rows of the state in another thread, where they are many. */
export type RowWriter = {
  /** From how many steps of a plan on. */
  readonly worthIt: number;
  /**
   * One call at a time. Nobody else should write to the state meanwhile: he would wait, and all of
   * this thread with him.
   * @returns whether they are committed; if not, it is not known of any. Never rejects
   */
  write(rows: readonly CreatedRows[]): Promise<boolean>;
  /** Resolves when nothing of the state is open there any more. Never rejects. */
  end(): Promise<void>;
};
