/** Labels, values and units of settings, as the page of settings shows them. */

import { readValue, readValueIn } from "../mirror/operations/manual/config.ts";
import type { Config } from "../mirror/settings/config.ts";
import { listSettings, type Setting } from "../mirror/settings/settings.ts";

/** Labels of settings, grouped by subject, in the order of the page. */
export const SETTING_GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Sync: {
    direction: "Direction",
    conflicts: "Conflicts",
    names: "Names that the service refuses",
    gitignore: "Use .gitignore files",
    keepHistory: "Keep earlier versions",
  },
  "Changes on the service": {
    "polling.requestsPerMinute": "Requests a minute",
    "events.listen": "Receive events",
    "events.pollEvery": "Ask for changes every",
  },
  "Open files": {
    "handsOff.quiet": "Wait after the last change",
    "handsOff.open": "Wait for open editors",
  },
  Connection: {
    url: "Address of the service",
    remote: "Subfolder of the workspace",
    "links.mode": "Links",
    "links.wiki": "Wiki links",
    allowHttp: "Hosts without encryption",
  },
  "Commands in a terminal": {
    "interface.progress": "Show progress",
    "interface.quietFor": "Report lasting problems after",
  },
};

const SETTING_LABELS: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(SETTING_GROUPS));

/** Explanations of settings for which the page does not use the words of the configuration file. */
const SETTING_MEANINGS: Readonly<Record<string, string>> = {
  direction: "Download only: local changes stay local. Upload only: no local file changes.",
  names: "What happens to a file with such a name.",
  allowHttp: "Others on the network can then read the key. Separate hosts by commas.",
  "links.wiki": "Whether wiki links are converted, too.",
  "handsOff.quiet": "A file that changed within this time is not overwritten. 0 turns that off.",
  "handsOff.open": "How long a file that an editor has open is not overwritten. 0 turns that off.",
  "interface.quietFor":
    "How long a problem lasts before it is reported: another process uses the folder, or the service cannot be reached.",
};

export function explainSetting(name: string, { meaning }: Setting<unknown>): string {
  return SETTING_MEANINGS[name] ?? meaning.replaceAll("`", "");
}

export const DIRECTIONS = { both: "Both ways", pull: "Download only", push: "Upload only" } as const;

/** Labels of all values, for settings that the user chooses from a list. */
const SETTING_CHOICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  direction: DIRECTIONS,
  conflicts: {
    "conflict-copy": "Ask me, with a conflict copy",
    copy: "Keep both as documents",
    local: "The local version wins",
    remote: "The version on the service wins",
  },
  names: { map: "Upload it under an accepted name", block: "Report it" },
  "links.mode": { keep: "As written", translate: "Paths locally, ids on the service" },
};

export function findChoices(name: string, { defaultValue }: Setting<unknown>): Readonly<Record<string, string>> | null {
  return typeof defaultValue === "boolean" ? { true: "On", false: "Off" } : (SETTING_CHOICES[name] ?? null);
}

/** Returns a value as a user types it: hosts with commas, rules for conflicts as JSON. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return value;
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isList ? value.join(", ") : JSON.stringify(value);
}

const TIME_UNITS = { s: "seconds", m: "minutes", h: "hours", d: "days" };

/**
 * Labels of units. A setting has one table for each number in the setting's value. A value such as
 * `90d, 500MB` has two numbers; the unit of the first number includes the comma.
 */
const SETTING_UNITS: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  keepHistory: [{ "d, ": "days" }, { MB: "MB", GB: "GB" }],
  "events.pollEvery": [TIME_UNITS],
  "handsOff.quiet": [TIME_UNITS],
  "handsOff.open": [TIME_UNITS],
  "interface.quietFor": [TIME_UNITS],
};

/** A number in the value of a setting, its unit, and the units to choose from. */
export type Quantity = {
  readonly number: string;
  readonly unit: string;
  readonly units: Readonly<Record<string, string>>;
};

/** Splits a value into numbers with units. Returns null if the value needs a single text field. */
export function splitQuantities(name: string, typed: string): readonly Quantity[] | null {
  const settingUnits = SETTING_UNITS[name] ?? [];
  const [numbers, [before, ...units]] = [typed.match(/\d+/g) ?? [], typed.split(/\d+/)];
  const isKnown =
    before === "" &&
    units.length === settingUnits.length &&
    units.every((unit, i) => Object.hasOwn(settingUnits[i]!, unit));
  if (settingUnits.length === 0 || !isKnown) return null;
  return settingUnits.map((choices, i) => ({ number: numbers[i]!, unit: units[i]!, units: choices }));
}

/**
 * Returns the value of a setting from the form's fields for numbers and units. Returns "" if all
 * numbers are empty; null if the form lacks the setting.
 */
export function readTypedValue(form: URLSearchParams, name: string): string | null {
  const sentParts = form.getAll(name);
  if (sentParts.length === 0) return null;
  return sentParts.every((part, i) => i % 2 === 1 || part.trim() === "") ? "" : sentParts.join("");
}

/**
 * Converts a typed value to the text that `changeSettings` expects. Returns null for an empty
 * field, which means the default.
 */
export function toSettingText({ defaultValue }: Setting<unknown>, typed: string): string | null {
  if (typed.trim() === "") return null;
  if (!Array.isArray(defaultValue)) return typed.trim();
  return JSON.stringify(typed.split(/[\s,]+/).filter((word) => word !== ""));
}

export function labelSetting(name: string): string {
  return SETTING_LABELS[name] ?? name;
}

/** Returns a sentence that says why a typed value is not allowed; null if the value is allowed. */
export function explainRefusal(name: string, setting: Setting<unknown>, typed: string): string | null {
  const settingText = toSettingText(setting, typed);
  const readResult = settingText === null ? null : readValue(name, setting, settingText);
  // The page already shows the label of the setting, so the message does not repeat the setting's
  // name.
  return readResult?.kind === "trouble"
    ? `“${labelSetting(name)}”${readResult.trouble.what.slice(name.length)}.`
    : null;
}

export const toShownField = (name: string) => `shown.${name}`;

/** Returns hidden fields with the shown values, so that a change by others is noticed. */
export function makeShownFields(config: Config): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listSettings().map(({ name }) => [toShownField(name), formatValue(readValueIn(config, name))]),
  );
}
