/**
 * Encrypts a position in the outbox; the result is the id of an event. The id does not reveal the
 * number of changes that a key may not read. Each call gives another id, even for the same
 * position: equal ids would show a client when a hidden change happened.
 */

import type { ServerContext } from "../requests/context.ts";
import { sealContent, unsealContent } from "../requests/seal.ts";

const EVENT_ID_PREFIX = "evt_";
const RANDOM_BYTES = 12;
/**
 * Number of bytes of an encrypted position. Shorter positions are padded, so that all event ids
 * have one length and the length reveals nothing.
 */
const EVENT_POSITION_BYTES = 44;

type SealingContext = Pick<ServerContext, "cursorSecret" | "random">;

/**
 * Returns the id of an event for a position in the outbox.
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
