import { BoundedMap } from "../../../common/bounded-map.ts";
import type { ShownText } from "../rows.ts";

/** LIMIT: characters in memory, about 8 to 16 MB: a few thousand notes. */
const HELD_CHARACTERS = 8 * 1024 * 1024;

/**
 * A file as it was read. @property asOf `Db.writes.files` at that time; while it is unchanged, so
 * is the row
 */
export type KeptText = ShownText & { readonly workspace: number; readonly asOf: number };

/**
 * Recently read files by id, as JSON of an answer. Every client of a workspace reads a document
 * that just changed; reading the row, unpacking the content and writing JSON take half of that
 * request. The text of a change never changes, so it is valid while its change is live, even if the
 * row changed.
 */
export class KeptTexts extends BoundedMap<string, KeptText> {
  constructor() {
    super(HELD_CHARACTERS, ({ shown, json }) => shown.length + json.length);
  }
}
