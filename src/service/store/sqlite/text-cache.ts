import { BoundedMap } from "../../../common/bounded-map.ts";

/** LIMIT: characters in memory, some 32 to 64 MB: the live texts of a workspace of 40,000 notes. */
const HELD_CHARACTERS = 32 * 1024 * 1024;

/**
 * Texts of changes, by id. A change never gets another text, so no entry is ever out of date. For
 * work that reads many texts repeatedly: a regex without a literal reads every one.
 */
export class TextCache extends BoundedMap<string, string> {
  constructor() {
    super(HELD_CHARACTERS, (text) => text.length);
  }
}
