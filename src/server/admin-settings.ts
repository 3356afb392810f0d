import type { JsonObject } from "../contract/json.ts";
import { type Admin, answered } from "./admin.ts";
import { type Answer, isRefused, type Refused, refuseFields } from "./answer.ts";
import { memberErrors, readBody, type SentBody } from "./body.ts";
import type { RateLimit, Settings } from "./rows.ts";

const MEMBERS = {
  rateLimit: { type: "object-or-null", required: false },
  keepVersionsDays: { type: "integer-or-null", required: false },
} as const;
const MOST_DAYS = 36_500;

/**
 * PATCH /admin/settings: changes the members that are sent, from the next request on.
 * ASSUMES: the settings and their route (contract test "shows settings, and changes those that are
 * sent").
 */
export async function patchSettings(admin: Admin, body: SentBody): Promise<Answer> {
  const members = readBody(body, MEMBERS);
  if (isRefused(members)) return members;
  const days = members["keepVersionsDays"] as number | null | undefined;
  if (typeof days === "number" && (days < 0 || days > MOST_DAYS)) {
    const detail = `keepVersionsDays must be 0 to ${MOST_DAYS}, or null.`;
    return refuseFields([{ code: "out_of_range", pointer: "/keepVersionsDays", detail }]);
  }
  const sent = members["rateLimit"] as JsonObject | null | undefined;
  const rateLimit = readRate(sent ?? undefined);
  if (isRefused(rateLimit)) return rateLimit;
  const changed: Partial<Settings> = {
    ...(sent === undefined ? {} : { rateLimit }),
    ...(days === undefined ? {} : { keepVersionsDays: days }),
  };
  return answered(admin.changeSettings(changed));
}

/** Reads a member `rateLimit`; null without one. */
export function readRate(sent: JsonObject | undefined): RateLimit | null | Refused {
  if (sent === undefined) return null;
  const member = { type: "integer", required: true } as const;
  const errors = memberErrors(sent, { requests: member, seconds: member }, "/rateLimit");
  if (errors.length > 0) return refuseFields(errors);
  const { requests, seconds } = sent as RateLimit;
  if (requests >= 1 && seconds >= 1) return { requests, seconds };
  return refuseFields([
    { code: "out_of_range", pointer: "/rateLimit", detail: "requests and seconds must be 1 or more." },
  ]);
}
