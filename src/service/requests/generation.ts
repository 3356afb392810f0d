import { createHmac, randomUUID } from "node:crypto";

/**
 * The generation of a database, which each answer names. A restored one is no continuation of what
 * its callers knew, although ids and cursors are the same; by this mark they see it.
 */

/** Its name in table `meta`. */
export const GENERATION_NAME = "generation";

/** The mark of a database that is being restored. */
export function newGeneration(): Buffer {
  return Buffer.from(randomUUID());
}

/**
 * The mark of a database that is being opened.
 * @param stored what `meta` holds; undefined: it was never restored, and its secret tells it apart
 */
export function generationOf(stored: Buffer | undefined, secret: Buffer): string {
  return stored?.toString() ?? createHmac("sha256", secret).update(GENERATION_NAME).digest("hex").slice(0, 32);
}
