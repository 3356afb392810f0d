import { z } from "zod";

/**
 * Schemas of the answers that an administrator reads. The service may have another version, or not
 * be mdmirror, so an answer with an unexpected form counts as unreadable.
 */

/** Reads one value; returns null if the value has another form. */
export type Read<T> = (value: unknown) => T | null;

function readBy<T>(schema: z.ZodType<T>): Read<T> {
  return (value) => schema.safeParse(value).data ?? null;
}

const workspace = z.object({
  id: z.string(),
  name: z.string(),
  state: z.string(),
  documents: z.number(),
  inReview: z.number(),
});

const grant = z.object({ on: z.unknown(), level: z.string() });

const key = z
  .object({
    id: z.string(),
    workspaceId: z.string(),
    label: z.string(),
    grants: z.array(grant),
    grantPaths: z.array(z.string()),
    rateLimit: z.object({ requests: z.number(), seconds: z.number() }).nullable(),
    // Times are in milliseconds since the epoch; null means never.
    expiresAt: z.number().nullable(),
    createdAt: z.number(),
    lastUsedAt: z.number().nullable(),
  })
  .refine(({ grants, grantPaths }) => grants.length === grantPaths.length)
  .transform(({ grants, grantPaths, ...members }) => ({ ...members, grants: grants.map(toldGrant(grantPaths)) }));

/**
 * Returns grants with their paths. `waits`: nothing exists at the path yet. A file or folder
 * created at the path gets this grant only if the grant gives less than the parent folder's.
 */
const toldGrant = (paths: readonly string[]) => (sent: z.output<typeof grant>, at: number) => ({
  path: paths[at]!,
  level: sent.level,
  waits: typeof sent.on === "string" && sent.on.startsWith("/"),
});

const review = z.object({
  id: z.string(),
  workspaceId: z.string(),
  path: z.string(),
  status: z.string(),
  reason: z.string(),
  at: z.number(),
});

/**
 * Contents of a review: `content` is in review; `baseContent` is the version that the edit began
 * with, null if that version was pruned.
 */
const texts = z.object({ content: z.string(), baseContent: z.string().nullable(), liveContent: z.string() });

export type WorkspaceJson = z.output<typeof workspace>;
export type KeyJson = z.output<typeof key>;
export type ReviewJson = z.output<typeof review>;
export type ReviewVersionsJson = z.output<typeof texts>;

export const readWorkspace = readBy(workspace);
export const readKey = readBy(key);
export const readReview = readBy(review);
export const readShownReview = readBy(z.object({ ...review.shape, ...texts.shape }));
const newKey = z.object({ key: z.string() });
/** Reads a new key together with its secret. */
export const readMadeKey: Read<{ readonly key: KeyJson; readonly text: string }> = (value) => {
  const [made, text] = [readKey(value), newKey.safeParse(value).data?.key];
  return made === null || text === undefined ? null : { key: made, text };
};
/** Accepts any answer: the request was carried out. */
export const readDone: Read<true> = () => true;
/** Reads the path of a review's document. */
export const readPath = readBy(z.object({ path: z.string() }).transform((settled) => settled.path));

const page = z.object({ data: z.array(z.unknown()), nextCursor: z.string().nullish().catch(null) });

/** Reads `{data: [...]}` and the cursor of the next page. */
export function readPage<T>(
  value: unknown,
  read: Read<T>,
): { readonly data: readonly T[]; readonly next: string | null } | null {
  const found = page.safeParse(value).data;
  const data = found?.data.map(read).filter((one) => one !== null);
  if (found === undefined || data?.length !== found.data.length) return null;
  const next = found.nextCursor ?? null;
  // A service that sends empty pages with cursors would keep the client reading without end.
  return next !== null && data.length === 0 ? null : { data, next };
}
