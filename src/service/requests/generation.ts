/**
 * Makes the generation of a database, which each answer of the service contains. Ids and cursors of
 * a restored database look the same as before, but clients have seen later data. The new generation
 * tells them about the restore.
 */

import { createHmac, randomUUID } from "node:crypto";

export const GENERATION_NAME = "generation";

/** Returns the generation for a database that is being restored. */
export function makeGeneration(): Buffer {
  return Buffer.from(randomUUID());
}

/**
 * Returns the generation of a database that is being opened.
 * @param stored value in `meta`; undefined if the database was never restored. The generation is
 * then derived from the database's secret
 */
export function readGeneration(stored: Buffer | undefined, secret: Buffer): string {
  return stored?.toString() ?? createHmac("sha256", secret).update(GENERATION_NAME).digest("hex").slice(0, 32);
}
