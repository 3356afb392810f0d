import { join } from "node:path";
import { changeSetting, findSetting, readValue, valueIn } from "../mirror/operations/manual/config.ts";
import { faultTrouble } from "../mirror/folder/fault-trouble.ts";
import { SILENT_LOG } from "../mirror/folder/log.ts";
import type { Digest } from "../contract/digest.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { readConfig } from "../mirror/settings/config.ts";
import { addIgnoreLines, removeIgnoreLine } from "../mirror/settings/ignore-lines.ts";
import { isKey, storeKey } from "../mirror/settings/key.ts";
import { lineFault } from "../mirror/settings/settings.ts";
import { connect } from "../mirror/trust/connect.ts";
import { admit } from "../mirror/trust/gate.ts";
import type { ActionRequest, Done } from "./action.ts";
import { mirrorAddress } from "./addresses.ts";
import { good, nothingDone, noticeOfTrouble } from "./messages.ts";
import type { Ui } from "./page.ts";
import { numberIn } from "./parts.ts";
import { settingLabel, settingText } from "./setting-words.ts";

/** Carries out the forms of the settings. */

/** Changes one setting, but only if its value is still the one that the page showed. */
export async function changeOne(ui: Ui, { folder: { name, root }, form }: ActionRequest): Promise<Done> {
  const to = mirrorAddress(name, "settings");
  const found = findSetting(form.get("name") ?? "");
  if (found.kind === "trouble") return { to, notice: noticeOfTrouble(found.trouble) };
  const config = readConfig(join(root, MIRROR_FOLDER));
  if (config.kind === "trouble") return { to, notice: noticeOfTrouble(config.trouble) };
  if (JSON.stringify(valueIn(config.value, found.value.name)) !== form.get("seen"))
    return { to, notice: { ...nothingDone("The setting changed since this page was shown"), tone: "asks" } };
  const { name: key, setting } = found.value;
  const typed = form.get("value") ?? "";
  const text = form.get("reset") === null ? settingText(setting, typed) : null;
  if (text !== null && readValue(key, setting, text).kind === "trouble")
    return { to: mirrorAddress(name, "settings", { refused: key, value: typed }), notice: null };
  const changed = await changeSetting(root, found.value, text, ui.clock);
  if (changed.kind === "trouble") return { to, notice: noticeOfTrouble(changed.trouble) };
  return { to: `${to}#s-${key}`, notice: good(`“${settingLabel(key)}” is saved.`) };
}

/** Adds one line to the ignore rules of a folder. */
export function addRule(_ui: Ui, { folder: { name, root }, form }: ActionRequest): Done {
  const to = `${mirrorAddress(name, "settings")}#ignore`;
  const pattern = (form.get("pattern") ?? "").trim();
  const fault = lineFault(pattern);
  if (fault !== null) return { to, notice: nothingDone(`The rule ${fault}`) };
  const added = addIgnoreLines(root, [pattern]);
  if (added.kind === "trouble") return { to, notice: noticeOfTrouble(added.trouble) };
  return { to, notice: good(added.value.length === 0 ? "The rule exists already." : RULE_ADDED) };
}

const RULE_ADDED = "The rule is added. The next sync follows it.";
const RULE_REMOVED = "The rule is removed. The next sync includes its documents again.";

/** Removes one line of the ignore rules, but only if they are still those that the page showed. */
export function removeRule(_ui: Ui, { folder: { name, root }, form }: ActionRequest): Done {
  const to = `${mirrorAddress(name, "settings")}#ignore`;
  const removed = removeIgnoreLine(root, numberIn(form.get("line")) ?? 0, (form.get("seen") ?? "") as Digest);
  if (removed.kind === "trouble") return { to, notice: noticeOfTrouble(removed.trouble) };
  if (removed.value) return { to, notice: good(RULE_REMOVED) };
  return { to, notice: { ...nothingDone("The rules changed since this page was shown"), tone: "asks" } };
}

/** Any folder name will do: with a valid key, the service answers that no such folder exists. */
const ANY_FOLDER = "any" as const;

/** Stores a new key, after the service has accepted it. */
export async function replaceKey(ui: Ui, { folder: { name, root }, form }: ActionRequest): Promise<Done> {
  const to = `${mirrorAddress(name, "settings")}#key`;
  const key = (form.get("key") ?? "").trim();
  if (!isKey(key)) return { to, notice: nothingDone("This is not a key") };
  const folder = join(root, MIRROR_FOLDER);
  const config = readConfig(folder);
  if (config.kind === "trouble") return { to, notice: noticeOfTrouble(config.trouble) };
  const { clock, random, env, cwd } = ui;
  const admitted = admit(root, config.value, { mode: "write", env: { ...env, MDMIRROR_URL: "" }, cwd });
  if (admitted.kind === "trouble") return { to, notice: noticeOfTrouble(admitted.trouble) };
  const service = connect(admitted.value.origin, { key, clock, random, log: SILENT_LOG, traits: null });
  try {
    const answer = await service.findFolder(ANY_FOLDER);
    if (!answer.ok) return { to, notice: noticeOfTrouble(faultTrouble(answer.fault, config.value.url)) };
  } finally {
    await service.close();
  }
  storeKey(folder, key);
  return { to, notice: good("The key was replaced") };
}
