/**
 * Encrypts positions that a client keeps: cursors and ids of events. The client cannot read or
 * forge an encrypted position.
 */
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";
import type { ServerContext } from "./context.ts";

const TAG_BYTES = 16;

/**
 * Encrypts content. The same content and purpose always give the same result, because the nonce is
 * computed from the content and the purpose.
 * @param purpose a string that says what the result is for, such as the query to which a cursor
 * belongs. `unsealContent` must be called with the same string
 */
function sealContent(secret: Buffer, purpose: string, plain: Buffer): string {
  const tag = makeTag(secret, purpose, plain);
  const sealedContent = createCipheriv("aes-256-ctr", secret, tag).update(plain);
  return Buffer.concat([tag, sealedContent]).toString("base64url");
}

/**
 * Returns the content that `sealContent` encrypted for this purpose; null if the string is anything
 * else.
 * @param bytes length of the content
 */
function unsealContent(secret: Buffer, purpose: string, text: string, bytes: number): Buffer | null {
  const sealedBytes = Buffer.from(text, "base64url");
  if (sealedBytes.length !== TAG_BYTES + bytes || sealedBytes.toString("base64url") !== text) return null;
  const tag = sealedBytes.subarray(0, TAG_BYTES);
  const content = createDecipheriv("aes-256-ctr", secret, tag).update(sealedBytes.subarray(TAG_BYTES));
  return timingSafeEqual(tag, makeTag(secret, purpose, content)) ? content : null;
}

function makeTag(secret: Buffer, purpose: string, plain: Buffer): Buffer {
  return createHmac("sha256", secret).update(plain).update(purpose).digest().subarray(0, TAG_BYTES);
}

const CURSOR_PREFIX = "cur_";
const CURSOR_POSITION_BYTES = 8;

/**
 * Returns the cursor for the position after the last row of a page. The cursor does not reveal the
 * number of rows that a key cannot read. The same position in the same query always gives the same
 * cursor.
 * @param query workspace, kind of list and selector. The cursor is accepted only for the same query
 */
export function sealCursor(secret: Buffer, query: string, position: number): string {
  const content = Buffer.alloc(CURSOR_POSITION_BYTES);
  content.writeBigUInt64BE(BigInt(position));
  return CURSOR_PREFIX + sealContent(secret, query, content);
}

/** Returns the position in a cursor; null if the cursor was not made for this query. */
export function openCursor(secret: Buffer, query: string, cursor: string): number | null {
  const content = cursor.startsWith(CURSOR_PREFIX)
    ? unsealContent(secret, query, cursor.slice(CURSOR_PREFIX.length), CURSOR_POSITION_BYTES)
    : null;
  return content === null ? null : Number(content.readBigUInt64BE());
}

const EVENT_ID_PREFIX = "evt_";
const RANDOM_BYTES = 12;
/**
 * Number of bytes of an encrypted position. Shorter positions are padded to this number. All event
 * ids then have one length, which reveals nothing.
 */
const EVENT_POSITION_BYTES = 44;

type SealingContext = Pick<ServerContext, "cursorSecret" | "random">;

/**
 * Returns the id of an event for a position in the outbox. The id does not reveal the number of
 * changes that a key may not read. Each call gives another id, even for the same position: equal
 * ids would show a client when a hidden change happened.
 * @param workspace row number of the workspace; the id is valid in this workspace only
 */
export function sealPosition({ cursorSecret, random }: SealingContext, workspace: number, position: string): string {
  const content = Buffer.alloc(RANDOM_BYTES + EVENT_POSITION_BYTES);
  content.set(random(RANDOM_BYTES));
  if (content.write(position, RANDOM_BYTES, "latin1") !== position.length)
    throw new Error("the position in the outbox is too long");
  return EVENT_ID_PREFIX + sealContent(cursorSecret, sealPurpose(workspace), content);
}

/** Returns the position in an id; null if `sealPosition` did not make the id for this workspace. */
export function openPosition(secret: Buffer, workspace: number, id: string): string | null {
  if (!id.startsWith(EVENT_ID_PREFIX)) return null;
  const content = unsealContent(
    secret,
    sealPurpose(workspace),
    id.slice(EVENT_ID_PREFIX.length),
    RANDOM_BYTES + EVENT_POSITION_BYTES,
  );
  return content?.toString("latin1", RANDOM_BYTES).replace(/\0+$/, "") ?? null;
}

function sealPurpose(workspace: number): string {
  return `events ${workspace}`;
}
