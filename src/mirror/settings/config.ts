import { join } from "node:path";
import { errnoClause, ok, refusal, type Result } from "../../common/trouble.ts";
import { nearestWord } from "../../common/nearest-word.ts";
import { UnsafePathError } from "../../common/ownership.ts";
import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import { CONFIG_FILE } from "../model/mirror-folder.ts";
import { readOwnFile, replaceOwnFile } from "../state/own-files.ts";
import { type SettingGroup, isSetting, SETTINGS, type ValueOf } from "./settings.ts";

/** Settings in `.mdmirror/config.json`, which `init`, `config` and the user write. */
export type Config = ValueOf<typeof SETTINGS>;

export type LinkMode = Config["links"]["mode"];

type ReportFault = (member: string, why: string) => void;

export const DEFAULT_CONFIG = readGroup(SETTINGS, "", {}, () => undefined) as Config;

/**
 * Names that users might try as settings of a folder, each with the reason why it is no setting. A
 * folder must not decide these things, because another person may have created the folder.
 */
const NOT_SETTINGS: ReadonlyMap<string, string> = new Map([
  ["hooks", "is not allowed in a folder: hooks are read only from ~/.config/mdmirror/hooks.json"],
  ["key", "is not a setting: mdmirror init --key-file FILE stores the key"],
]);

const NEXT_STEP = "correct this option in the file, or remove it to use the default";

/**
 * Returns the configuration, or trouble if the configuration is missing or wrong.
 * @param folder absolute path of `.mdmirror`
 */
export function readConfig(folder: string): Result<Config> {
  const file = join(folder, CONFIG_FILE);
  const fileText = readConfigText(folder);
  return fileText.kind === "trouble" ? fileText : parseConfig(fileText.value, file);
}

/** Returns the members of the configuration file, including members that are not valid settings. */
export function readMembers(folder: string): Result<JsonObject> {
  const fileText = readConfigText(folder);
  return fileText.kind === "trouble" ? fileText : parseMembers(fileText.value, join(folder, CONFIG_FILE));
}

function readConfigText(folder: string): Result<string> {
  const file = join(folder, CONFIG_FILE);
  try {
    const fileContent = readOwnFile(folder, CONFIG_FILE);
    if (fileContent === null) return reportUnreadable(file, "it does not exist; was the folder unlinked?");
    return ok(fileContent.bytes.toString("utf8"));
  } catch (error) {
    if (error instanceof UnsafePathError) throw error;
    return reportUnreadable(file, errnoClause(error));
  }
}

function reportUnreadable(file: string, why: string): Result<never> {
  return refusal(`${file} cannot be read: ${why}`, "link the folder again: mdmirror init --url URL");
}

function parseMembers(text: string, file: string): Result<JsonObject> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return refusal(
      `${file} is not JSON: ${(error as Error).message}`,
      "correct the file, or link the folder again: mdmirror init --url URL",
    );
  }
  return isJsonObject(json) ? ok(json) : refusal(`${file} contains no JSON object`, NEXT_STEP);
}

/** @param file path of the file, for messages */
export function parseConfig(text: string, file: string): Result<Config> {
  const members = parseMembers(text, file);
  if (members.kind === "trouble") return members;
  const json = members.value;
  const faults: string[] = [];
  const reportFault: ReportFault = (member, why) => void faults.push(`${file}: "${member}" ${why}`);
  // Earlier versions of mdmirror wrote only the mode of links, without a group.
  const links = typeof json["links"] === "string" ? { mode: json["links"] } : json["links"];
  const config = readGroup(SETTINGS, "", { url: "", ...json, links }, reportFault) as Config;
  if (config.links.wiki && config.links.mode === "keep") reportFault("links.wiki", 'needs "mode": "translate"');
  return faults.length === 0 ? ok(config) : refusal(faults.join("; "), NEXT_STEP);
}

/**
 * Reads a group of settings. A missing or wrong setting gets the default value.
 * @param prefix name of the group and a dot; "" for the whole configuration
 */
function readGroup(group: SettingGroup, prefix: string, json: unknown, report: ReportFault): object {
  if (json !== undefined && !isJsonObject(json)) report(prefix.slice(0, -1), "must be an object");
  const members = isJsonObject(json) ? json : {};
  for (const name of Object.keys(members))
    if (!Object.hasOwn(group, name)) report(`${prefix}${name}`, explainUnknown(name, Object.keys(group)));
  const namedValues = Object.entries(group).map(([name, one]) => {
    const member = `${prefix}${name}`;
    const memberValue = members[name];
    if (!isSetting(one)) return [name, readGroup(one, `${member}.`, memberValue, report)];
    const readValue =
      memberValue === undefined
        ? undefined
        : one.read(memberValue, (why, part = "") => void report(member + part, why));
    return [name, readValue ?? one.defaultValue];
  });
  return Object.fromEntries(namedValues) as object;
}

/** Returns why a name is not a setting. Suggests the setting with the most similar name. */
export function explainUnknown(name: string, known: readonly string[]): string {
  const otherMeaning = NOT_SETTINGS.get(name);
  if (otherMeaning !== undefined) return otherMeaning;
  const nearestName = nearestWord(name, known);
  return nearestName === null ? "is not a known setting" : `is not a known setting; did you mean "${nearestName}"?`;
}

/**
 * Writes the configuration. After a power loss, the file has either the old content or the new
 * content.
 * @throws as node:fs does
 */
export function writeConfig(folder: string, config: object): void {
  replaceOwnFile(folder, CONFIG_FILE, `${JSON.stringify(config, null, 2)}\n`, true);
}

/**
 * Returns true if the configuration exists and is not empty. A file full of zeros, which a power
 * loss may leave, counts as empty.
 * @param folder absolute path of `.mdmirror`
 * @throws UnsafePathError; other errors as node:fs does
 */
export function hasConfig(folder: string): boolean {
  const fileContent = readOwnFile(folder, CONFIG_FILE);
  return fileContent?.bytes.some((byte) => byte !== 0) === true;
}
