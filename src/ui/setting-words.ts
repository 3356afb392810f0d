/** Names settings and their values in the words of the pages. */

import { readValue, valueIn } from "../mirror/operations/manual/config.ts";
import type { Config } from "../mirror/settings/config.ts";
import { listSettings, type Setting } from "../mirror/settings/settings.ts";

/** Labels of settings, by subject and in the order of the page. */
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

const LABELS: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(SETTING_GROUPS));

/** Meanings of settings whose values have other words on pages than in the configuration file. */
const MEANINGS: Readonly<Record<string, string>> = {
  direction: "Download only: local changes stay local. Upload only: no local file changes.",
  names: "What happens to a file with such a name.",
  allowHttp: "Others on the network can then read the key. Separate hosts by commas.",
  "links.wiki": "Whether wiki links are converted, too.",
  "handsOff.quiet": "A file that changed within this time is not overwritten. 0 turns that off.",
  "handsOff.open": "How long a file that an editor has open is not overwritten. 0 turns that off.",
  "interface.quietFor":
    "How long a problem lasts before it is reported: another process uses the folder, or the service cannot be reached.",
};

export function settingMeaning(name: string, { meaning }: Setting<unknown>): string {
  return MEANINGS[name] ?? meaning.replaceAll("`", "");
}

export const DIRECTIONS = { both: "Both ways", pull: "Download only", push: "Upload only" } as const;

/** Values that are chosen from a list, with their words. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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

/** Returns the values of a setting with their words; null if the user types the value. */
export function choicesOf(name: string, { defaultValue }: Setting<unknown>): Readonly<Record<string, string>> | null {
  return typeof defaultValue === "boolean" ? { true: "On", false: "Off" } : (CHOICES[name] ?? null);
}

/** Returns a value as the user types it. Hosts are a list of words; rules of conflicts are JSON. */
export function typedValue(value: unknown): string {
  if (typeof value === "string") return value;
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isList ? value.join(", ") : JSON.stringify(value);
}

const TIMES = { s: "seconds", m: "minutes", h: "hours", d: "days" };

/**
 * Units of the numbers of a setting, with their words. A unit contains what separates it from the
 * next number. A single unit is not chosen by the user.
 */
const UNITS: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  keepHistory: [{ "d, ": "days" }, { MB: "MB", GB: "GB" }],
  "events.pollEvery": [TIMES],
  "handsOff.quiet": [TIMES],
  "handsOff.open": [TIMES],
  "interface.quietFor": [TIMES],
};

/** A number of a setting, with its unit and the units from which the user chooses. */
export type Quantity = {
  readonly number: string;
  readonly unit: string;
  readonly units: Readonly<Record<string, string>>;
};

/** Returns the numbers of a value with their units; null if the value is typed as one text. */
export function quantitiesOf(name: string, typed: string): readonly Quantity[] | null {
  const all = UNITS[name] ?? [];
  const [numbers, [before, ...units]] = [typed.match(/\d+/g) ?? [], typed.split(/\d+/)];
  const isKnown =
    before === "" && units.length === all.length && units.every((unit, i) => Object.hasOwn(all[i]!, unit));
  if (all.length === 0 || !isKnown) return null;
  return all.map((choices, i) => ({ number: numbers[i]!, unit: units[i]!, units: choices }));
}

/**
 * Returns the value of a setting in a form: a text, or numbers that are each followed by a unit.
 * Without its numbers, a value is empty. Returns null if the form lacks the setting.
 */
export function typedIn(form: URLSearchParams, name: string): string | null {
  const parts = form.getAll(name);
  if (parts.length === 0) return null;
  return parts.every((part, i) => i % 2 === 1 || part.trim() === "") ? "" : parts.join("");
}

/** Returns what a user typed as text for `changeSettings`; null, the default, if it is empty. */
export function settingText({ defaultValue }: Setting<unknown>, typed: string): string | null {
  if (typed.trim() === "") return null;
  if (!Array.isArray(defaultValue)) return typed.trim();
  return JSON.stringify(typed.split(/[\s,]+/).filter((word) => word !== ""));
}

export function settingLabel(name: string): string {
  return LABELS[name] ?? name;
}

/** Returns why a setting does not allow what a user typed, with its label; null if it does. */
export function refusedWhy(name: string, setting: Setting<unknown>, typed: string): string | null {
  const text = settingText(setting, typed);
  const read = text === null ? null : readValue(name, setting, text);
  // The trouble begins with the name of the setting.
  return read?.kind === "trouble" ? `“${settingLabel(name)}”${read.trouble.what.slice(name.length)}.` : null;
}

/** Name of the hidden field with the value that the page showed. */
export const shownField = (name: string) => `shown.${name}`;

/** Returns the hidden fields of the form: whoever saves, saves over these values only. */
export function shownFields(config: Config): Readonly<Record<string, string>> {
  return Object.fromEntries(listSettings().map(({ name }) => [shownField(name), typedValue(valueIn(config, name))]));
}
