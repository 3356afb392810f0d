import { join } from "node:path";
import type { Clock } from "../../../common/clock.ts";
import { ok, refusal, type Result } from "../../../common/trouble.ts";
import { isJsonObject } from "../../../contract/json.ts";
import { lockFolder } from "../../folder/folder-lock.ts";
import { CONFIG_FILE, MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { type Config, parseConfig, readMembers, explainUnknown, writeConfig } from "../../settings/config.ts";
import { listSettings, type Setting, findValueFault } from "../../settings/settings.ts";

type NamedSetting = { readonly name: string; readonly setting: Setting<unknown> };

export function findSetting(name: string): Result<NamedSetting> {
  const allSettings = listSettings();
  const namedSetting = allSettings.find((one) => one.name === name);
  if (namedSetting !== undefined) return ok(namedSetting);
  const knownNames = allSettings.map((one) => one.name);
  return refusal(`${JSON.stringify(name)} ${explainUnknown(name, knownNames)}`, "mdmirror config list");
}

/** Returns the value of a setting. A name such as `events.listen` means a setting in a group. */
export function readValueIn(config: Config, name: string): unknown {
  return name.split(".").reduce((group: unknown, member) => (group as Record<string, unknown>)[member], config);
}

/** `text` is the new value as the user typed it: a word or JSON. Null restores the default. */
export type SettingChange = NamedSetting & { readonly text: string | null };

/**
 * Writes settings into the configuration. If one value is not allowed, writes no setting. A running
 * daemon lends the folder meanwhile, and uses the new configuration afterwards.
 * @param root real path of a linked folder
 */
export async function changeSettings(
  root: string,
  changes: readonly SettingChange[],
  clock: Clock,
): Promise<Result<Config>> {
  const newValues = new Map<string, unknown>();
  for (const { name, setting, text } of changes) {
    if (setting.setBy !== undefined && setting.canChange === undefined) return refuseDirectChange(name, setting);
    const readResult = text === null ? ok(undefined) : readValue(name, setting, text);
    if (readResult.kind === "trouble") return readResult;
    newValues.set(name, readResult.value);
  }
  const folder = join(root, MIRROR_FOLDER);
  const lockResult = await lockFolder(root, { what: "config", clock });
  if (lockResult.kind === "trouble") return lockResult;
  try {
    const membersResult = readMembers(folder);
    if (membersResult.kind === "trouble") return membersResult;
    let changedMembers: object = membersResult.value;
    for (const { name, setting } of changes) {
      const newValue = newValues.get(name);
      changedMembers = replaceMember(changedMembers, name.split("."), newValue);
      if (
        setting.canChange?.(checkAllowed(setting, membersResult.value[name]), checkAllowed(setting, newValue)) === false
      )
        return refuseDirectChange(name, setting);
    }
    const config = parseConfig(JSON.stringify(changedMembers), join(folder, CONFIG_FILE));
    if (config.kind === "ok") writeConfig(folder, changedMembers);
    return config;
  } finally {
    lockResult.value.free();
  }
}

function refuseDirectChange(name: string, { setBy = "" }: Setting<unknown>): Result<never> {
  return refusal(`${name} is not changed in the configuration alone`, setBy);
}

function checkAllowed(setting: Setting<unknown>, member: unknown): unknown {
  return setting.read(member, () => undefined) ?? setting.defaultValue;
}

/**
 * Reads a value that the user typed: as a word if the setting allows the word, otherwise as JSON.
 * If the setting allows neither, returns trouble that begins with the setting's name.
 */
export function readValue(name: string, setting: Setting<unknown>, text: string): Result<unknown> {
  let fault: string | null = null;
  for (const value of [text, ...parseJson(text)]) {
    fault = findValueFault(name, setting, value);
    if (fault === null) return ok(value);
  }
  return refusal(fault!, "mdmirror config list shows the possible values");
}

/** Returns a list with the parsed value as the only element; an empty list for wrong JSON. */
function parseJson(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

/** @param value new value; undefined to remove the setting */
function replaceMember(json: unknown, [name, ...rest]: readonly string[], value: unknown): object {
  const group = isJsonObject(json) ? json : {};
  return { ...group, [name!]: rest.length === 0 ? value : replaceMember(group[name!], rest, value) };
}
