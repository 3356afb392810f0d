import { BoundedMap } from "../../model/bounded-map.ts";

/** LIMIT: characters in memory, some 8 to 16 MB: what a few thousand notes hold. */
const HELD_CHARACTERS = 8 * 1024 * 1024;

/** A file's text as JSON, and the change that it is of. */
type Kept = { readonly changeId: string; readonly json: string };

/**
 * Texts that were read lately, by the id of their file, as they stand in an answer: what was just
 * changed is asked for by each mirror of it, and to unpack a text and to write it as JSON is half
 * of that. A change never gets another text, so an entry holds for as long as its change is live.
 */
export class KeptTexts extends BoundedMap<string, Kept> {
  constructor() {
    super(HELD_CHARACTERS, ({ json }) => json.length);
  }
}
