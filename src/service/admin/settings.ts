import type { JsonObject } from "../../contract/json.ts";
import { type Admin, answered } from "./admin.ts";
import { type Answer, isRefused, type Refused, refuseFields } from "../requests/answer.ts";
import { memberErrors, readBody, type SentBody } from "../requests/body.ts";
import type { RateLimit, Settings } from "../store/rows.ts";

const MEMBERS = {
  rateLimit: { type: "object-or-null", required: false },
  keepVersionsDays: { type: "integer-or-null", required: false },
  keepVersions: { type: "integer-or-null", required: false },
} as const;
/** What `serve` takes for its options, too. */
const RANGES = { keepVersionsDays: [0, 36_500], keepVersions: [1, 1_000_000] } as const;

/**
 * PATCH /admin/settings: changes the members that are sent, from the next request on.
 * ASSUMES: the settings and their route (contract test "shows settings, and changes those that are
 * sent").
 */
export async function patchSettings(admin: Admin, body: SentBody): Promise<Answer> {
  const members = readBody(body, MEMBERS);
  if (isRefused(members)) return members;
  const wrong = (["keepVersionsDays", "keepVersions"] as const).find((name) => !isInRange(members, name));
  if (wrong !== undefined) {
    const detail = `${wrong} must be ${RANGES[wrong].join(" to ")}, or null.`;
    return refuseFields([{ code: "out_of_range", pointer: `/${wrong}`, detail }]);
  }
  const sent = members["rateLimit"] as JsonObject | null | undefined;
  const rateLimit = readRate(sent ?? undefined);
  if (isRefused(rateLimit)) return rateLimit;
  const changed: Partial<Settings> = {
    ...(sent === undefined ? {} : { rateLimit }),
    ...pick(members, "keepVersionsDays"),
    ...pick(members, "keepVersions"),
  };
  return answered(admin.changeSettings(changed));
}

type Retention = keyof typeof RANGES;

function isInRange(members: JsonObject, name: Retention): boolean {
  const sent = members[name];
  return typeof sent !== "number" || (sent >= RANGES[name][0] && sent <= RANGES[name][1]);
}

/** What was not sent stays. */
function pick(members: JsonObject, name: Retention): Partial<Settings> {
  return Object.hasOwn(members, name) ? { [name]: members[name] as number | null } : {};
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
