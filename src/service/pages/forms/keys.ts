import { isRefused } from "../../requests/answer.ts";
import type { KeyGrant } from "../../keys/keys.ts";
import { KEYS, keyAddress, withQuery } from "../addresses.ts";
import { go, type PageResult, refusedForm } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { LEVELS } from "../key-fields.ts";

/** A key as the fields of the form describe it. */
type Wishes = {
  readonly label: string;
  readonly grants: readonly KeyGrant[];
  readonly rateLimit: { readonly requests: number; readonly seconds: number } | null;
  readonly expiresAt: number | null;
};

const MOST_LABEL = 200;

export async function createKey(call: PageCall): Promise<PageResult> {
  const { core, form, csrf, once } = call;
  const workspaceId = form.get("workspace") ?? "";
  const back = withQuery(`${KEYS}/new`, { workspace: workspaceId });
  const wishes = readWishes(call);
  if (typeof wishes === "string") return go(back, wishes, "bad");
  if (wishes.grants.length === 0) return go(back, "give the key access to a path; / is everything", "bad");
  const made = await core.admin.createKey({ workspaceId, ...wishes });
  if (isRefused(made)) return refusedForm(back, made);
  const shown = once.keep(csrf, { label: made.label, text: made.key });
  return go(withQuery(`${KEYS}/made`, { shown }), waitingWords(made.grants), "asks");
}

export async function changeKey(call: PageCall): Promise<PageResult> {
  const [id = ""] = call.params;
  const wishes = readWishes(call);
  if (typeof wishes === "string") return go(keyAddress(id), wishes, "bad");
  const changed = await call.core.admin.changeKey(id, wishes);
  if (isRefused(changed)) return refusedForm(KEYS, changed);
  const waiting = waitingWords(changed.grants);
  return waiting === null ? go(keyAddress(id), "The key is changed.") : go(keyAddress(id), waiting, "asks");
}

export async function revokeKey({ core, params }: PageCall): Promise<PageResult> {
  const refused = await core.admin.removeKey(params[0]!);
  return refused === null ? go(KEYS, "The key is revoked: it is refused from now on.") : refusedForm(KEYS, refused);
}

/** Warns of grants on paths where nothing exists: each may be a typing error. */
function waitingWords(grants: readonly KeyGrant[]): string | null {
  const waiting = grants.filter(({ on, level }) => on?.startsWith("/") === true && level !== "none");
  if (waiting.length === 0) return null;
  return "A path in a grant does not exist: that grant has no effect yet. Make the folder, then change the key.";
}

/** @returns the fault of a field, if there is one */
function readWishes({ form, now }: PageCall): Wishes | string {
  const label = form.get("label") ?? "";
  if (label === "" || label.length > MOST_LABEL) return `a label has 1 to ${MOST_LABEL} characters`;
  const grants = readGrants(form);
  if (typeof grants === "string") return grants;
  const expiresAt = readExpiry(form.get("expires") ?? "", now);
  if (typeof expiresAt === "string") return expiresAt;
  const rateLimit = readRate(form.get("requests") ?? "", form.get("seconds") ?? "");
  return typeof rateLimit === "string" ? rateLimit : { label, grants, expiresAt, rateLimit };
}

function readGrants(form: URLSearchParams): KeyGrant[] | string {
  const levels = form.getAll("level");
  const grants: KeyGrant[] = [];
  for (const [at, text] of form.getAll("path").entries()) {
    if (text.trim() === "") continue;
    const level = LEVELS.find((one) => one === levels[at]);
    if (level === undefined) return "a path needs a level";
    const path = text.trim().replace(/^\/+|\/+$/g, "");
    grants.push({ on: path === "" ? null : `/${path}`, level });
  }
  return grants;
}

const DAY_MS = 86_400_000;

/** Returns the end of that day in UTC, because all users read the same page. */
function readExpiry(text: string, now: number): number | null | string {
  if (text === "") return null;
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(day)) return "this is not a date";
  const at = day + DAY_MS - 1;
  return at > now ? at : "a key cannot expire in the past; revoke it instead";
}

const MOST_RATE = 9_999_999;

function readRate(requests: string, seconds: string): Wishes["rateLimit"] | string {
  if (requests === "" && seconds === "") return null;
  const rate = { requests: Number(requests), seconds: Number(seconds) };
  const isGood = Object.values(rate).every((n) => Number.isInteger(n) && n >= 1 && n <= MOST_RATE);
  return isGood ? rate : "a rate is a number of requests in a number of seconds, 1 or more each";
}
