import { isJsonObject, type JsonObject } from "../../contract/json.ts";

/**
 * What a service tells its administrator. The service may be another version, or not ours at all,
 * so an answer with a member of another form counts as unreadable.
 */

export type ToldWorkspace = {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly documents: number;
  readonly inReview: number;
};

type ToldGrant = {
  readonly path: string;
  readonly level: string;
  /**
   * Nothing is at the path yet. What comes there gets this grant only if it gives less than the
   * folder above.
   */
  readonly waits: boolean;
};

export type ToldKey = {
  readonly id: string;
  readonly workspaceId: string;
  readonly label: string;
  readonly grants: readonly ToldGrant[];
  readonly rateLimit: { readonly requests: number; readonly seconds: number } | null;
  /** Times in milliseconds since the epoch; null: never. */
  readonly expiresAt: number | null;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
};

export type ToldReview = {
  readonly id: string;
  readonly workspaceId: string;
  readonly path: string;
  readonly status: string;
  readonly reason: string;
  readonly at: number;
};

export type ToldTexts = {
  /** The text that was sent. */
  readonly content: string;
  /** The text that the edit began from; null where that version was pruned. */
  readonly baseContent: string | null;
  readonly liveContent: string;
};

/**
 * Reads one value.
 * @returns null if it has another form
 */
export type Read<T> = (value: unknown) => T | null;

export const readWorkspace: Read<ToldWorkspace> = (value) =>
  pick<ToldWorkspace>(value, { id: isText, name: isText, state: isText, documents: isNumber, inReview: isNumber });

export const readKey: Read<ToldKey> = (value) => {
  const members = { id: isText, workspaceId: isText, label: isText, createdAt: isNumber };
  const more = { rateLimit: isRate, expiresAt: isNumberOrNull, lastUsedAt: isNumberOrNull };
  const key = pick<Omit<ToldKey, "grants">>(value, { ...members, ...more });
  const grants = readGrants(value);
  return key === null || grants === null ? null : { ...key, grants };
};

export const readReview: Read<ToldReview> = (value) =>
  pick<ToldReview>(value, {
    id: isText,
    workspaceId: isText,
    path: isText,
    status: isText,
    reason: isText,
    at: isNumber,
  });

export const readTexts: Read<ToldTexts> = (value) =>
  pick<ToldTexts>(value, { content: isText, baseContent: isTextOrNull, liveContent: isText });

/** The text of a key that was just made. */
export const readKeyText: Read<string> = (value) =>
  isJsonObject(value) && isText(value["key"]) ? (value["key"] as string) : null;

/** `{data: [...]}`, with the cursor of the next page. */
export function readPage<T>(
  value: unknown,
  read: Read<T>,
): { readonly data: readonly T[]; readonly next: string | null } | null {
  if (!isJsonObject(value) || !Array.isArray(value["data"])) return null;
  const data: T[] = [];
  for (const each of value["data"]) {
    const one = read(each);
    if (one === null) return null;
    data.push(one);
  }
  const next = value["nextCursor"];
  return { data, next: typeof next === "string" ? next : null };
}

function readGrants(value: unknown): ToldGrant[] | null {
  if (!isJsonObject(value)) return null;
  const { grants, grantPaths } = value;
  if (!Array.isArray(grants) || !Array.isArray(grantPaths)) return null;
  const told: ToldGrant[] = [];
  for (const [at, grant] of grants.entries()) {
    if (!isJsonObject(grant)) return null;
    const { on, level } = grant;
    const waits = typeof on === "string" && on.startsWith("/");
    const one = pick<ToldGrant>({ level, path: grantPaths[at], waits }, GRANT);
    if (one === null) return null;
    told.push(one);
  }
  return told;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isTextOrNull: Check = (value) => value === null || isText(value);
const isNumberOrNull: Check = (value) => value === null || isNumber(value);
const isRate: Check = (value) =>
  value === null || (isJsonObject(value) && isNumber(value["requests"]) && isNumber(value["seconds"]));

const GRANT = { path: isText, level: isText, waits: () => true };

/** The named members, if each passes its check; else null. */
function pick<T extends object>(value: unknown, checks: Readonly<Record<keyof T & string, Check>>): T | null {
  if (!isJsonObject(value)) return null;
  const picked: Record<string, JsonObject[string]> = {};
  for (const [name, check] of Object.entries<Check>(checks)) {
    if (!check(value[name])) return null;
    picked[name] = value[name];
  }
  return picked as T;
}
