import { BoundedMap } from "../../../common/bounded-map.ts";

/**
 * LIMIT: characters in memory, about 32 to 64 MB: the live texts of a workspace of 40,000 notes.
 */
const HELD_CHARACTERS = 32 * 1024 * 1024;

/**
 * Texts of changes, by id. The text of a change never changes, so no entry becomes stale. For work
 * that reads many texts repeatedly: a regular expression without a literal reads all.
 */
export class TextCache extends BoundedMap<string, string> {
  constructor() {
    super(HELD_CHARACTERS, (text) => text.length);
  }
}
