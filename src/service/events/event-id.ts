import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";
import type { ServerContext } from "../requests/context.ts";

/**
 * Seals the id of an event, a place in the outbox, as cursors are sealed. It does not reveal how
 * much happened that the key may not read, and cannot be forged. Two ids of one place differ:
 * otherwise repeated requests would reveal when something happened.
 */

const PREFIX = "evt_";
const TAG_BYTES = 16;
const CHANCE_BYTES = 12;
/** Bytes of every padded place, so that the length reveals nothing. */
const PLACE_BYTES = 44;
const SEALED = new RegExp(`^${PREFIX}[A-Za-z0-9_-]{${((TAG_BYTES + CHANCE_BYTES + PLACE_BYTES) / 3) * 4}}$`);

type Sealing = Pick<ServerContext, "cursorSecret" | "random">;

/** @param workspace its row number; a place is valid in one workspace only */
export function sealPlace({ cursorSecret: secret, random }: Sealing, workspace: number, place: string): string {
  const plain = Buffer.alloc(CHANCE_BYTES + PLACE_BYTES);
  plain.set(random(CHANCE_BYTES));
  if (plain.write(place, CHANCE_BYTES, "latin1") !== place.length)
    throw new Error("the place in the outbox is too long");
  const tag = tagOf(secret, workspace, plain);
  const sealed = createCipheriv("aes-256-ctr", secret, tag).update(plain);
  return PREFIX + Buffer.concat([tag, sealed]).toString("base64url");
}

/** @returns null for any id that `sealPlace` did not make for this workspace */
export function openPlace(secret: Buffer, workspace: number, id: string): string | null {
  if (!SEALED.test(id)) return null;
  const bytes = Buffer.from(id.slice(PREFIX.length), "base64url");
  const tag = bytes.subarray(0, TAG_BYTES);
  const plain = createDecipheriv("aes-256-ctr", secret, tag).update(bytes.subarray(TAG_BYTES));
  if (!timingSafeEqual(tag, tagOf(secret, workspace, plain))) return null;
  return plain.toString("latin1", CHANCE_BYTES).replace(/\0+$/, "");
}

function tagOf(secret: Buffer, workspace: number, plain: Buffer): Buffer {
  return createHmac("sha256", secret).update(`events ${workspace} `).update(plain).digest().subarray(0, TAG_BYTES);
}
