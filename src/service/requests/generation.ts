/**
 * Makes the generation of a database, which each answer of the service contains. After a restore,
 * ids and cursors look the same as before, but clients have seen later data. A new generation shows
 * them the restore.
 */

import { createHmac, randomUUID } from "node:crypto";

export const GENERATION_NAME = "generation";

export function makeGeneration(): Buffer {
  return Buffer.from(randomUUID());
}

/** @param stored value in `meta`; undefined if the database was never restored */
export function readGeneration(stored: Buffer | undefined, secret: Buffer): string {
  return stored?.toString() ?? createHmac("sha256", secret).update(GENERATION_NAME).digest("hex").slice(0, 32);
}
