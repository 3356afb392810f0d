import { shownName } from "../../common/shown-words.ts";
import { type Html, html } from "../../page/html.ts";
import {
  renderActionForm,
  renderName,
  renderOptions,
  renderRefusal,
  renderRefusedAttributes,
} from "../../page/parts.ts";
import { type KeyChanges, type KeyGrant, MAX_LABEL_CHARACTERS } from "../admin/operations.ts";
import type { KeyInfo } from "../keys/keys.ts";
import type { Level } from "../store/rows.ts";
import { LEVEL_LABELS } from "./parts.ts";

/** Number of empty rows in the form, for paths that the form does not list. */
const EMPTY_ROWS = 2;

const LEVEL_NAMES = Object.keys(LEVEL_LABELS) as Level[];

/** Choices for the access of a key: one level for all documents, or a level for each folder. */
const PRESETS = {
  edit: "Edit all documents",
  read: "Read all documents",
  full: "Full access: edit, move, delete and protect all documents",
  chosen: "Only chosen folders",
} as const;
type Preset = keyof typeof PRESETS;

export type FormFault = { readonly field: "label" | "access" | "expires" | "rate"; readonly text: string };

/** Fields of a form as the browser sent them. `fault`: the first fault in a field, or null. */
export type FilledForm = { readonly fields: URLSearchParams; readonly fault: FormFault | null };

/** @param key the key to change; null if the form is for a new key */
export function fillForm(key: KeyInfo | null): FilledForm {
  if (key === null) return { fields: new URLSearchParams({ access: "edit" }), fault: null };
  const { label, grants, grantPaths, expiresAt, rateLimit } = key;
  const fields = new URLSearchParams({ label, access: findPreset(key) });
  for (const [i, { level }] of grants.entries()) {
    fields.append("path", grantPaths[i]!);
    fields.append("level", level);
  }
  if (expiresAt !== null) fields.set("expires", toDay(expiresAt));
  for (const [name, value] of Object.entries(rateLimit ?? {})) fields.set(name, String(value));
  return { fields, fault: null };
}

function findPreset({ grants, grantPaths }: KeyInfo): Preset {
  const workspaceLevel = grantPaths.length === 1 && grantPaths[0] === "/" ? grants[0]!.level : "none";
  return workspaceLevel === "none" ? "chosen" : workspaceLevel;
}

function readPreset(fields: URLSearchParams): Preset {
  return (Object.keys(PRESETS) as Preset[]).find((preset) => preset === fields.get("access")) ?? "chosen";
}

/** Returns the level of access for each path in the form; "" for a path without a chosen level. */
function readLevels(fields: URLSearchParams): ReadonlyMap<string, string> {
  const levels = fields.getAll("level");
  const paths = fields.getAll("path").map((text) => text.trim());
  return new Map(
    paths.flatMap((path, i) => (path === "" ? [] : [[`/${path.replace(/^\/+|\/+$/g, "")}`, levels[i] ?? ""]])),
  );
}

type FormOptions = Parameters<typeof renderActionForm>[0];

/** @param folders paths of the folders that the form lists, each with a choice of levels */
export function renderKeyForm(form: FormOptions, folders: readonly string[], filled: FilledForm, button: string): Html {
  const { fields, fault } = filled;
  const readField = (name: string) => fields.get(name) ?? "";
  return renderActionForm(
    form,
    html`<div class="stack">
<span class="field"><label for="label">Name</label><input id="label" name="label" required maxlength="${MAX_LABEL_CHARACTERS}" value="${readField("label")}"${markFault(fault, "label")}>${renderFault(fault, "label")}</span>
${renderAccessFields(folders, filled)}
<span class="field"><label for="expires">Expires on</label><input id="expires" name="expires" type="date" value="${readField("expires")}" aria-describedby="expires-hint"${markFault(fault, "expires")}>${renderFault(fault, "expires")}
<span class="hint" id="expires-hint">Empty: the key does not expire. With a new date, it works until the end of that day in UTC.</span></span>
<fieldset><legend>Rate limit</legend>
<span class="row"><input id="requests" name="requests" inputmode="numeric" pattern="[0-9]*" size="4" value="${readField("requests")}"${markFault(fault, "rate")}><label for="requests">requests in</label>
<input id="seconds" name="seconds" inputmode="numeric" pattern="[0-9]*" size="4" value="${readField("seconds")}"><label for="seconds">seconds</label></span>${renderFault(fault, "rate")}
<span class="hint">Empty: the default of the service.</span></fieldset>
<button class="main-action">${button}</button></div>`,
  );
}

/** Returns the attributes for a control whose field has the fault; false for other controls. */
function markFault(fault: FormFault | null, field: FormFault["field"]): Html | false {
  return fault?.field === field && renderRefusedAttributes();
}

function renderFault(fault: FormFault | null, field: FormFault["field"]): Html | false {
  return fault?.field === field && renderRefusal(fault.text);
}

function renderAccessFields(folders: readonly string[], { fields, fault }: FilledForm): Html {
  const [access, levels] = [readPreset(fields), readLevels(fields)];
  const otherPaths = [...levels.keys()].filter((path) => path !== "/" && !folders.includes(path));
  const pathRows = [...otherPaths, ...Array.from({ length: EMPTY_ROWS }, () => "")];
  return html`<fieldset class="access"><legend>Access</legend>${Object.entries(PRESETS).map(
    ([value, label]) =>
      html`<label class="check"><input type="radio" name="access" value="${value}"${value === access && html` checked${markFault(fault, "access")}`}>${label}</label>`,
  )}${renderFault(fault, "access")}
<div class="chosen"><p class="hint">The nearest choice above a document decides. Only full access moves, deletes and protects documents.</p>
<ul class="rows picker">${["/", ...folders].map((path) => renderFolderRow(path, levels.get(path)))}</ul>
<p class="hint">Other folders or documents, such as team/plan.md</p>${pathRows.map((path, i) => renderPathRow(i + 1, path, levels.get(path)))}</div></fieldset>`;
}

function renderFolderRow(path: string, level: string | undefined): Html {
  const names = path.split("/");
  const label = path === "/" ? html`Whole workspace` : renderName(names.at(-1)!);
  const depth = path === "/" ? 0 : Math.min(names.length - 1, 4);
  return html`<li class="deep-${depth}"><span class="main">${label}</span><input type="hidden" name="path" value="${path}">
<select name="level" aria-label="${`Access to ${path === "/" ? "the whole workspace" : shownName(path.slice(1))}`}"><option value="">${path === "/" ? "no access" : "as above"}</option>${renderOptions(LEVEL_LABELS, level)}</select></li>`;
}

function renderPathRow(number: number, path: string, level: string | undefined): Html {
  return html`<span class="row"><input name="path" aria-label="${`Path ${number}`}" value="${path.slice(1)}" maxlength="1024" dir="auto">
<select name="level" aria-label="${`Access to path ${number}`}">${renderOptions(LEVEL_LABELS, level ?? "read")}</select></span>`;
}

type KeyRequest = Required<KeyChanges>;

export function readNewKeyRequest(fields: URLSearchParams, now: number): KeyRequest | FormFault {
  const keyRequest = readKeyRequest(fields, null, now);
  const hasAccess = "field" in keyRequest || keyRequest.grants.length > 0;
  return hasAccess ? keyRequest : { field: "access", text: "Choose what the key may read." };
}

/** @param expiresAt former time at which the key expires; null for never, or for a new key */
export function readKeyRequest(fields: URLSearchParams, expiresAt: number | null, now: number): KeyRequest | FormFault {
  const label = fields.get("label") ?? "";
  if (label === "" || label.length > MAX_LABEL_CHARACTERS)
    return { field: "label", text: `A name has 1 to ${MAX_LABEL_CHARACTERS} characters.` };
  const grants = readGrants(fields);
  if (typeof grants === "string") return { field: "access", text: grants };
  const newExpiry = readExpiry(fields.get("expires") ?? "", expiresAt, now);
  if (typeof newExpiry === "string") return { field: "expires", text: newExpiry };
  const rateLimit = readRate(fields.get("requests") ?? "", fields.get("seconds") ?? "");
  if (typeof rateLimit === "string") return { field: "rate", text: rateLimit };
  return { label, grants, expiresAt: newExpiry, rateLimit };
}

function readGrants(fields: URLSearchParams): KeyGrant[] | string {
  const preset = readPreset(fields);
  if (preset !== "chosen") return [{ on: null, level: preset }];
  const grants: KeyGrant[] = [];
  for (const [path, text] of readLevels(fields)) {
    if (text === "") continue;
    const level = LEVEL_NAMES.find((name) => name === text);
    if (level === undefined) return "A path needs a level.";
    grants.push({ on: path === "/" ? null : path, level });
  }
  return grants;
}

/** Returns the day of a time in UTC, in the form of a date field, which gives no year a sign. */
function toDay(time: number): string {
  return new Date(time).toISOString().replaceAll(/^\+0*|T.*$/g, "");
}

/**
 * Returns the end of the entered day, in milliseconds since the epoch. The day ends in UTC, because
 * the user's time zone is not known. If the day is unchanged, returns `before`: the form shows no
 * time of day, so it must not change the time either.
 * @param before former time at which the key expires; null for never
 * @returns null if the field is empty; a sentence for the user if the field is not valid
 */
function readExpiry(text: string, before: number | null, now: number): number | null | string {
  if (text === "") return null;
  if (before !== null && text === toDay(before)) return before;
  // `Date` reads a year after 9999 only with a sign and six digits.
  const dayEnd = Date.parse(`+${text.padStart("YYYYYY-MM-DD".length, "0")}T23:59:59.999Z`);
  // `Date` reads 31 April as 1 May, so the day in the result is compared with the entered day.
  if (Number.isNaN(dayEnd) || toDay(dayEnd) !== text) return "This is not a date.";
  return dayEnd > now ? dayEnd : "A key cannot expire in the past. Revoke it instead.";
}

const MAX_RATE = 9_999_999;

function readRate(requests: string, seconds: string): KeyRequest["rateLimit"] | string {
  if (requests === "" && seconds === "") return null;
  const rate = { requests: Number(requests), seconds: Number(seconds) };
  const isValid = Object.values(rate).every((n) => Number.isInteger(n) && n >= 1 && n <= MAX_RATE);
  return isValid ? rate : "A rate is a number of requests in a number of seconds, 1 or more each.";
}
