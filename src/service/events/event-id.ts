/**
 * Encrypts a position in the outbox as the id of an event, so that the id does not reveal how many
 * changes a key may not read. Two ids of one position differ: otherwise a client could learn the
 * time of a hidden change by repeated requests.
 */

import type { ServerContext } from "../requests/context.ts";
import { sealContent, unsealContent } from "../requests/seal.ts";

const EVENT_ID_PREFIX = "evt_";
const RANDOM_BYTES = 12;
/** Bytes to which every position is padded, so that the length of an id reveals nothing. */
const POSITION_BYTES = 44;

type SealingContext = Pick<ServerContext, "cursorSecret" | "random">;

/**
 * Returns the id of an event for a position in the outbox.
 * @param workspace row number of the workspace; the id is valid in this workspace only
 */
export function sealPosition({ cursorSecret, random }: SealingContext, workspace: number, position: string): string {
  const content = Buffer.alloc(RANDOM_BYTES + POSITION_BYTES);
  content.set(random(RANDOM_BYTES));
  if (content.write(position, RANDOM_BYTES, "latin1") !== position.length)
    throw new Error("the position in the outbox is too long");
  return EVENT_ID_PREFIX + sealContent(cursorSecret, sealPurpose(workspace), content);
}

/** Returns null for an id that `sealPosition` did not make for this workspace. */
export function openPosition(secret: Buffer, workspace: number, id: string): string | null {
  if (!id.startsWith(EVENT_ID_PREFIX)) return null;
  const content = unsealContent(
    secret,
    sealPurpose(workspace),
    id.slice(EVENT_ID_PREFIX.length),
    RANDOM_BYTES + POSITION_BYTES,
  );
  return content?.toString("latin1", RANDOM_BYTES).replace(/\0+$/, "") ?? null;
}

function sealPurpose(workspace: number): string {
  return `events ${workspace}`;
}
