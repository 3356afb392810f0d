import type { Setting } from "../mirror/settings/settings.ts";

/** Names settings and their values in the words of the pages. */

/** Settings by subject, in the order of the page; each with its label and its meaning. */
export const SETTING_GROUPS: readonly (readonly [title: string, settings: Readonly<Record<string, Words>>])[] = [
  [
    "Sync",
    {
      direction: ["Direction", "Download only: local changes stay local. Upload only: no local file changes."],
      conflicts: ["Conflicts", "What happens if both sides changed the same words."],
      names: ["Names that the service refuses", "What happens to a file with such a name."],
      gitignore: ["Use .gitignore files", "Their rules exclude documents that are not synced yet."],
      keepHistory: [
        "Keep earlier versions",
        "How long, and how much space they may take. Days on which mdmirror ran count.",
      ],
    },
  ],
  [
    "Changes on the service",
    {
      "polling.requestsPerMinute": ["Requests a minute", "How many requests may be sent to find changes."],
      "events.listen": ["Receive events", "The service reports changes, if it can."],
      "events.pollEvery": ["Ask for changes every", "How often mdmirror also asks while it receives events."],
    },
  ],
  [
    "Open files",
    {
      "handsOff.quiet": [
        "Wait after the last change",
        "A file that changed within this time is not overwritten. 0s: off.",
      ],
      "handsOff.open": [
        "Wait for open editors",
        "How long a file that an editor has open is not overwritten. 0s: off.",
      ],
    },
  ],
  [
    "Connection",
    {
      url: ["Address of the service", "Link the folder again to change it."],
      remote: ["Subfolder of the workspace", "The part that is synced."],
      "links.mode": ["Links", "The form of links between documents in local files."],
      "links.wiki": ["Wiki links", "Whether wiki links are translated too."],
      allowHttp: ["Hosts without encryption", "Others on the network can then read the key. Separate hosts by commas."],
    },
  ],
  [
    "Commands in a terminal",
    {
      "interface.progress": ["Show progress", "Whether long work shows how far it is."],
      "interface.quietFor": [
        "Report lasting problems after",
        "A scheduled sync reports an unreachable service only then.",
      ],
    },
  ],
];

type Words = readonly [label: string, meaning: string];

const WORDS: Readonly<Record<string, Words>> = Object.assign({}, ...SETTING_GROUPS.map(([, settings]) => settings));

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
export function choicesOf(name: string, { usual }: Setting<unknown>): Readonly<Record<string, string>> | null {
  return typeof usual === "boolean" ? { true: "On", false: "Off" } : (CHOICES[name] ?? null);
}

/** Returns a value as the user types it. Hosts are a list of words; rules of conflicts are JSON. */
export function typedValue(value: unknown): string {
  if (typeof value === "string") return value;
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
  return isList ? value.join(", ") : JSON.stringify(value);
}

/** Returns what a user typed as text for `changeSetting`. */
export function settingText({ usual }: Setting<unknown>, typed: string): string {
  if (!Array.isArray(usual)) return typed.trim();
  return JSON.stringify(typed.split(/[\s,]+/).filter((one) => one !== ""));
}

/** Returns the label of a setting. */
export function settingLabel(name: string): string {
  return WORDS[name]?.[0] ?? name;
}

/**
 * Returns why a setting does not allow a value, as a sentence with its label.
 * @param fault clause that begins with the name of the setting
 */
export function refusedValue(name: string, fault: string): string {
  return `“${settingLabel(name)}”${fault.slice(name.length)}.`;
}
