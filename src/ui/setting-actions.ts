import { join } from "node:path";
import { changeSettings, readValueIn } from "../mirror/operations/manual/config.ts";
import { makeFaultTrouble } from "../mirror/folder/fault-trouble.ts";
import { tryKey } from "../mirror/folder/link-folder.ts";
import { TroubleError, unwrap } from "../common/trouble.ts";
import type { Digest } from "../contract/digest.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { readConfig } from "../mirror/settings/config.ts";
import { addIgnoreLines, removeIgnoreLine } from "../mirror/settings/ignore-lines.ts";
import { isKey, storeKey } from "../mirror/settings/key.ts";
import { findLineFault, listSettings } from "../mirror/settings/settings.ts";
import { admit } from "../mirror/trust/gate.ts";
import { type ActionRequest, type ActionResult, startSync } from "./action.ts";
import { mirrorAddress } from "./addresses.ts";
import type { Folder } from "./folders.ts";
import { makeGoodNotice, makeNothingDoneNotice, makeTroubleNotice } from "./messages.ts";
import type { Ui } from "./page.ts";
import { readNumber } from "./parts.ts";
import { explainRefusal, labelSetting, toSettingText, toShownField, readTyped, formatValue } from "./setting-words.ts";

/** Number of hexadecimal digits in the key of a draft: enough that nobody can guess the key. */
const DRAFT_DIGITS = 32;

/**
 * Saves the changed settings. Saves none if a value is refused, or if a setting differs from what
 * the page showed. The next page then shows the typed values again.
 */
export async function saveSettings(ui: Ui, { folder: { name, root }, form }: ActionRequest): Promise<ActionResult> {
  const config = unwrap(readConfig(join(root, MIRROR_FOLDER)));
  const changes = readChanges(form);
  const showAgain = (notice: ActionResult["notice"]): ActionResult => {
    const draft = ui.random.hex(DRAFT_DIGITS);
    ui.drafts.set(draft, String(new URLSearchParams(changes.map((one): [string, string] => [one.name, one.typed]))));
    return { to: mirrorAddress(name, "settings", { draft }), notice };
  };
  if (changes.some((change) => change.shown !== formatValue(readValueIn(config, change.name))))
    return showAgain({ ...makeNothingDoneNotice("The settings changed since this page was shown"), tone: "asks" });
  if (changes.length === 0) return { notice: makeNothingDoneNotice("No setting was changed") };
  if (changes.some((change) => explainRefusal(change.name, change.setting, change.typed) !== null))
    return showAgain(null);
  const changeResult = await changeSettings(root, changes, ui.clock);
  if (changeResult.kind === "trouble") return showAgain(makeTroubleNotice(changeResult.trouble));
  return { notice: makeGoodNotice(`Saved: ${changes.map((change) => labelSetting(change.name)).join(", ")}.`) };
}

function readChanges(form: URLSearchParams) {
  return listSettings().flatMap(({ name, setting }) => {
    const [typed, shown] = [readTyped(form, name), form.get(toShownField(name))];
    if (typed === null || typed === shown) return [];
    return [{ name, setting, typed, shown, text: toSettingText(setting, typed) }];
  });
}

export function addRule(ui: Ui, { folder, form }: ActionRequest): ActionResult {
  const pattern = (form.get("pattern") ?? "").trim();
  const fault = findLineFault(pattern);
  if (fault !== null) return { notice: makeNothingDoneNotice(`The rule ${fault}`) };
  const addedLines = unwrap(addIgnoreLines(folder.root, [pattern]));
  if (addedLines.length === 0) return { notice: makeGoodNotice("The rule exists already.") };
  return { notice: makeGoodNotice(`The rule is added. ${applyRules(ui, folder)}`) };
}

/**
 * Starts a sync, unless the folder is paused. Returns in words when the changed rules take effect.
 */
function applyRules(ui: Ui, folder: Folder): string {
  if (folder.daemon?.paused === true)
    return "It takes effect when you resume; until then, the numbers of documents stay.";
  return startSync(ui, folder).notice === null ? "A sync follows it now." : "The next sync follows it.";
}

/** Removes an ignore rule. Refuses if the rules differ from what the page showed. */
export function removeRule(ui: Ui, { folder, form }: ActionRequest): ActionResult {
  const line = readNumber(form.get("line")) ?? 0;
  if (unwrap(removeIgnoreLine(folder.root, line, (form.get("seen") ?? "") as Digest)))
    return { notice: makeGoodNotice(`The rule is removed. ${applyRules(ui, folder)}`) };
  return { notice: { ...makeNothingDoneNotice("The rules changed since this page was shown"), tone: "asks" } };
}

/** Stores a new API key, if the service accepts it. */
export async function replaceKey(ui: Ui, { folder: { root }, form }: ActionRequest): Promise<ActionResult> {
  const key = (form.get("key") ?? "").trim();
  if (!isKey(key)) return { notice: makeNothingDoneNotice("This is not a key") };
  const folder = join(root, MIRROR_FOLDER);
  const config = unwrap(readConfig(folder));
  const env = { ...ui.env, MDMIRROR_URL: "" };
  const { origin } = unwrap(admit(root, config, { mode: "write", env, cwd: ui.cwd }));
  const fault = await tryKey({ ...ui, config, origin, key });
  if (fault !== null) throw new TroubleError(makeFaultTrouble(fault, config.url));
  storeKey(folder, key);
  return { notice: makeGoodNotice("The key was replaced") };
}
