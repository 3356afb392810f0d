import { BoundedMap } from "../../../common/bounded-map.ts";

/** LIMIT: characters in memory, some 32 MB: the files of a workspace of 100,000. */
const HELD_CHARACTERS = 32 * 1024 * 1024;

/**
 * How files are shown in a list, by row number, until they change: to read a row, make an object of
 * it and write that as JSON is nine tenths of a list.
 */
export class ShownFiles extends BoundedMap<number, string> {
  constructor() {
    super(HELD_CHARACTERS, (text) => text.length);
  }
}
