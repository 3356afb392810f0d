import { createHmac, randomUUID } from "node:crypto";

/**
 * Generation of a database, which each answer names. Ids and cursors of a restored database look
 * the same, but its data differs from what clients last saw; a new generation tells them.
 */

/** Name of the generation in table `meta`. */
export const GENERATION_NAME = "generation";

/** Returns the mark of a database that is being restored. */
export function newGeneration(): Buffer {
  return Buffer.from(randomUUID());
}

/**
 * Returns the mark of a database that is being opened.
 * @param stored value in `meta`; undefined if it was never restored, and its secret distinguishes
 * it
 */
export function generationOf(stored: Buffer | undefined, secret: Buffer): string {
  return stored?.toString() ?? createHmac("sha256", secret).update(GENERATION_NAME).digest("hex").slice(0, 32);
}
