/**
 * Makes the generation of a database, which is sent with each answer. A restore changes the
 * generation. Clients then notice the restore, although ids and cursors look the same as before.
 */

import { createHmac, randomUUID } from "node:crypto";

export const GENERATION_NAME = "generation";

export function makeGeneration(): Buffer {
  return Buffer.from(randomUUID());
}

/** @param stored generation in the table `meta`; undefined if the database was never restored */
export function readGeneration(stored: Buffer | undefined, secret: Buffer): string {
  return stored?.toString() ?? createHmac("sha256", secret).update(GENERATION_NAME).digest("hex").slice(0, 32);
}
