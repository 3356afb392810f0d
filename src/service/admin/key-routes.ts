import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import { readRate } from "./settings.ts";
import { type Admin, answered } from "./admin.ts";
import { type Answer, isRefused, type Refused, refuseFields } from "../requests/answer.ts";
import { memberErrors, notOneOf, readBody, readName, type SentBody, STRING } from "../requests/body.ts";
import type { KeyGrant } from "../keys/keys.ts";

/** `POST /admin/keys` and `PATCH /admin/keys/{id}`. */

const LEVELS = ["none", "read", "edit", "full"] as const;

const KEY_MEMBERS = {
  workspaceId: STRING,
  grants: { type: "array", required: true },
  label: { type: "string", required: false },
  rateLimit: { type: "object", required: false },
  expiresAt: { type: "integer", required: false },
} as const;

export async function createKey(admin: Admin, body: SentBody): Promise<Answer> {
  const members = readBody(body, KEY_MEMBERS);
  if (isRefused(members)) return members;
  const grants = readGrants(members["grants"] as readonly unknown[]);
  if (isRefused(grants)) return grants;
  const rateLimit = readRate(members["rateLimit"] as JsonObject | undefined);
  if (isRefused(rateLimit)) return rateLimit;
  const label = readName((members["label"] as string | undefined) ?? "", "/label");
  if (isRefused(label)) return label;
  const workspaceId = members["workspaceId"] as string;
  const expiresAt = (members["expiresAt"] as number | undefined) ?? null;
  return answered(admin.createKey({ workspaceId, grants, label, rateLimit, expiresAt }), 201);
}

const KEY_CHANGES = {
  grants: { type: "array", required: false },
  rateLimit: { type: "object-or-null", required: false },
  label: { type: "string", required: false },
  expiresAt: { type: "integer-or-null", required: false },
} as const;

export async function patchKey(admin: Admin, id: string, body: SentBody): Promise<Answer> {
  const members = readBody(body, KEY_CHANGES);
  if (isRefused(members)) return members;
  if (Object.keys(members).length === 0) {
    const detail = "grants, rateLimit, label or expiresAt must be sent.";
    return refuseFields([{ code: "required", pointer: "/grants", detail }]);
  }
  const grants = members["grants"] === undefined ? undefined : readGrants(members["grants"] as readonly unknown[]);
  if (isRefused(grants)) return grants;
  const sent = members["rateLimit"] as JsonObject | null | undefined;
  const rateLimit = sent === undefined ? undefined : readRate(sent ?? undefined);
  if (isRefused(rateLimit)) return rateLimit;
  const name = members["label"] as string | undefined;
  const label = name === undefined ? undefined : readName(name, "/label");
  if (isRefused(label)) return label;
  const expiresAt = members["expiresAt"] as number | null | undefined;
  return answered(admin.changeKey(id, { grants, rateLimit, label, expiresAt }));
}

const GRANT_MEMBERS = { on: { type: "string-or-null", required: true }, level: STRING } as const;

function readGrants(sent: readonly unknown[]): KeyGrant[] | Refused {
  const grants: KeyGrant[] = [];
  for (const [i, each] of sent.entries()) {
    if (!isJsonObject(each))
      return refuseFields([{ code: "wrong_type", pointer: `/grants/${i}`, detail: "A grant is an object." }]);
    const errors = memberErrors(each, GRANT_MEMBERS, `/grants/${i}`);
    if (errors.length > 0) return refuseFields(errors);
    const level = LEVELS.find((known) => known === each["level"]);
    if (level === undefined) return notOneOf(`/grants/${i}/level`, LEVELS);
    grants.push({ on: each["on"] as string | null, level });
  }
  return grants;
}
