import { BoundedMap } from "../../../common/bounded-map.ts";

/** LIMIT: characters in memory, about 32 MB: the files of a workspace of 100,000. */
const HELD_CHARACTERS = 32 * 1024 * 1024;

/**
 * JSON of files in a list, by row number, until they change: reading rows and writing JSON take
 * nine tenths of a list's time.
 */
export class ShownFiles extends BoundedMap<number, string> {
  constructor() {
    super(HELD_CHARACTERS, (text) => text.length);
  }
}
