import { unwrap } from "../../common/trouble.ts";
import { join } from "node:path";
import { shownName } from "../../common/shown-words.ts";
import { MIRROR_FOLDER } from "../../mirror/model/mirror-folder.ts";
import { changeSettings, findSetting, readValueIn } from "../../mirror/operations/manual/config.ts";
import { readConfig } from "../../mirror/settings/config.ts";
import { listSettings, type Setting } from "../../mirror/settings/settings.ts";
import type { Command, CommandResult } from "../command.ts";
import { refuseUsage } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";

const OPERAND_COUNTS = { list: 0, get: 1, set: 2, unset: 1 } as const;
type ConfigVerb = keyof typeof OPERAND_COUNTS;
const VERBS = Object.keys(OPERAND_COUNTS) as ConfigVerb[];

const NAME_WIDTH = Math.max(...listSettings().map(({ name }) => name.length));

export const command: Command = {
  about: [
    "list shows every setting of DIR with its value; get prints one value; set changes it; unset restores the default. A running daemon uses the new value from then on.",
    "VALUE is a word, a number, a time such as 90s, 15m or 2d, or JSON. The API key is not a setting: mdmirror init stores it.",
    "  Settings and their values:",
    ...listSettings().map(formatSetting),
  ],
  examples: [
    "mdmirror config list",
    "mdmirror config set events.pollEvery 5m notes",
    "mdmirror config unset events.pollEvery",
  ],
  options: { json: { help: "print one JSON object" } },
  operands: { usage: "list|get|set|unset [NAME] [VALUE] [DIR]", least: 1, most: 4, words: VERBS, offers: ["mirror"] },
  async run(io, args) {
    const verb = args.operands[0] as ConfigVerb;
    const operandCount = OPERAND_COUNTS[verb];
    const operands = args.operands.slice(1, 1 + operandCount);
    if (operands.length < operandCount)
      return refuseUsage(`${verb} takes ${operandCount === 1 ? "NAME" : "NAME and VALUE"}`);
    if (args.operands.length > operandCount + 2)
      return refuseUsage(`${verb} takes no more than DIR after its operands`);
    const root = findMirror(io, args.operands[operandCount + 1]);
    if (verb === "list") return showSettings(root);
    const [wanted, text = null] = operands;
    const { name, setting } = unwrap(findSetting(wanted!));
    const isQuestion = verb === "get";
    const config = unwrap(
      isQuestion
        ? readConfig(join(root, MIRROR_FOLDER))
        : await changeSettings(root, [{ name, setting, text }], io.clock),
    );
    const value = readValueIn(config, name);
    const changedLine = `${name} is now ${formatValue(value)}${verb === "unset" ? ", the default" : ""}`;
    return { json: { name, value }, lines: [isQuestion ? formatValue(value) : changedLine] };
  },
};

function formatSetting({ name, setting }: { readonly name: string; readonly setting: Setting<unknown> }): string {
  return `    ${name.padEnd(NAME_WIDTH)}  ${removeMarkup(setting.values)}`;
}

function removeMarkup(text: string): string {
  return text.replaceAll("`", "");
}

function showSettings(root: string): CommandResult {
  const config = unwrap(readConfig(join(root, MIRROR_FOLDER)));
  const settings = listSettings().map(({ name, setting }) => {
    const value = readValueIn(config, name);
    return { name, value, isDefault: JSON.stringify(value) === JSON.stringify(setting.defaultValue), setting };
  });
  return {
    json: { settings: settings.map(({ setting: { meaning }, ...shown }) => ({ ...shown, meaning })) },
    lines: settings.flatMap(({ name, value, isDefault, setting }) => [
      `${name}: ${formatValue(value)}${isDefault ? " (default)" : ""}`,
      `  ${removeMarkup(setting.meaning)} Values: ${removeMarkup(setting.values)}.`,
    ]),
  };
}

function formatValue(value: unknown): string {
  if (value === "") return '""';
  return typeof value === "string" ? shownName(value) : JSON.stringify(value);
}
