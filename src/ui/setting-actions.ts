/** Carries out the forms of the settings. */

import { join } from "node:path";
import { changeSettings, valueIn } from "../mirror/operations/manual/config.ts";
import { faultTrouble } from "../mirror/folder/fault-trouble.ts";
import { SILENT_LOG } from "../mirror/folder/log.ts";
import type { Digest } from "../contract/digest.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { readConfig } from "../mirror/settings/config.ts";
import { addIgnoreLines, removeIgnoreLine } from "../mirror/settings/ignore-lines.ts";
import { isKey, storeKey } from "../mirror/settings/key.ts";
import { lineFault, listSettings } from "../mirror/settings/settings.ts";
import { connect } from "../mirror/trust/connect.ts";
import { admit } from "../mirror/trust/gate.ts";
import { type ActionRequest, type Done, startSync } from "./action.ts";
import { mirrorAddress } from "./addresses.ts";
import type { Folder } from "./folders.ts";
import { good, nothingDone, noticeOfTrouble } from "./messages.ts";
import type { Ui } from "./page.ts";
import { numberIn } from "./parts.ts";
import { refusedWhy, settingLabel, settingText, shownField, typedIn, typedValue } from "./setting-words.ts";

/** Digits of the name of values that were typed and not saved. */
const DRAFT_DIGITS = 32;

/**
 * Saves the settings that the user changed: all of them, or none if a value is refused, or if one
 * of them is no longer as the page showed it. The page then shows what was typed.
 */
export async function saveSettings(ui: Ui, { folder: { name, root }, form }: ActionRequest): Promise<Done> {
  const to = mirrorAddress(name, "settings");
  const config = readConfig(join(root, MIRROR_FOLDER));
  if (config.kind === "trouble") return { to, notice: noticeOfTrouble(config.trouble) };
  const changes = changedIn(form);
  const again = (notice: Done["notice"]): Done => {
    const draft = ui.random.hex(DRAFT_DIGITS);
    ui.drafts.set(draft, String(new URLSearchParams(changes.map((one): [string, string] => [one.name, one.typed]))));
    return { to: mirrorAddress(name, "settings", { draft }), notice };
  };
  if (changes.some((change) => change.shown !== typedValue(valueIn(config.value, change.name))))
    return again({ ...nothingDone("The settings changed since this page was shown"), tone: "asks" });
  if (changes.length === 0) return { to, notice: nothingDone("No setting was changed") };
  if (changes.some((change) => refusedWhy(change.name, change.setting, change.typed) !== null)) return again(null);
  const changed = await changeSettings(root, changes, ui.clock);
  if (changed.kind === "trouble") return again(noticeOfTrouble(changed.trouble));
  return { to, notice: good(`Saved: ${changes.map((change) => settingLabel(change.name)).join(", ")}.`) };
}

/** Returns the settings of a form that its user changed, with the values that the page showed. */
function changedIn(form: URLSearchParams) {
  return listSettings().flatMap(({ name, setting }) => {
    const [typed, shown] = [typedIn(form, name), form.get(shownField(name))];
    if (typed === null || typed === shown) return [];
    return [{ name, setting, typed, shown, text: settingText(setting, typed) }];
  });
}

/** Adds one line to the ignore rules of a folder. */
export function addRule(ui: Ui, { folder, form }: ActionRequest): Done {
  const { name, root } = folder;
  const to = `${mirrorAddress(name, "settings")}#ignore`;
  const pattern = (form.get("pattern") ?? "").trim();
  const fault = lineFault(pattern);
  if (fault !== null) return { to, notice: nothingDone(`The rule ${fault}`) };
  const added = addIgnoreLines(root, [pattern]);
  if (added.kind === "trouble") return { to, notice: noticeOfTrouble(added.trouble) };
  if (added.value.length === 0) return { to, notice: good("The rule exists already.") };
  return { to, notice: good(`The rule is added. ${followRules(ui, folder)}`) };
}

/** Starts a sync by the new rules, unless the user paused the folder. Returns what happens next. */
function followRules(ui: Ui, folder: Folder): string {
  if (folder.daemon?.paused === true)
    return "It takes effect when you resume; until then, the numbers of documents stay.";
  return startSync(ui, folder, "").notice === null ? "A sync follows it now." : "The next sync follows it.";
}

/** Removes one line of the ignore rules, but only if they are still those that the page showed. */
export function removeRule(ui: Ui, { folder, form }: ActionRequest): Done {
  const { name, root } = folder;
  const to = `${mirrorAddress(name, "settings")}#ignore`;
  const removed = removeIgnoreLine(root, numberIn(form.get("line")) ?? 0, (form.get("seen") ?? "") as Digest);
  if (removed.kind === "trouble") return { to, notice: noticeOfTrouble(removed.trouble) };
  if (removed.value) return { to, notice: good(`The rule is removed. ${followRules(ui, folder)}`) };
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
