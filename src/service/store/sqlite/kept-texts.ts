import { BoundedMap } from "../../../common/bounded-map.ts";
import type { ShownText } from "../rows.ts";

/** LIMIT: characters in memory, some 8 to 16 MB: what a few thousand notes hold. */
const HELD_CHARACTERS = 8 * 1024 * 1024;

/**
 * A file as it was read.
 * @property asOf `Db.writes.files` then: while it stays the same, the row is what it was
 */
export type KeptText = ShownText & { readonly workspace: number; readonly asOf: number };

/**
 * Files that were read lately, by their ids, as they stand in an answer: what was just changed is
 * asked for by each mirror of it, and to read the row, unpack the text and write both as JSON is
 * half of that. A change never gets another text, so the text holds for as long as its change is
 * live, whatever becomes of the row.
 */
export class KeptTexts extends BoundedMap<string, KeptText> {
  constructor() {
    super(HELD_CHARACTERS, ({ shown, json }) => shown.length + json.length);
  }
}
