import { refuse, TroubleError, unwrap } from "../../common/trouble.ts";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { MIRROR_FOLDER } from "../../mirror/model/mirror-folder.ts";
import { quoteForShell } from "../../mirror/model/shell-word.ts";
import { shownName, shownWords } from "../../common/shown-words.ts";
import { forgetRoot, purgeOwnFolder, type UnlinkResult, unlinkFolder, planUpload } from "../../mirror/folder/unlink.ts";
import { checkRegistryWritable } from "../../mirror/trust/gate.ts";
import { type ListedMirror, listOwnMirrors, isSameName } from "../../mirror/trust/list.ts";
import { type Args, type Command, type CommandResult, type Io, pickContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findMirror, FOLDER_OPERANDS } from "../find-mirror.ts";
import { withFolderReleased } from "./service.ts";
import { formatPlan } from "./plan.ts";
import { askAgreement } from "../use-mirror.ts";

export const command: Command = {
  about: [
    "Makes DIR an ordinary folder again. Deletes no document on either side. The history and the trash stay in .mdmirror/, and mdmirror init links the folder again.",
    "Removes the stored key, and stops the background service and the daemon of the folder. The online service is not changed.",
    "With --purge it asks, and then removes .mdmirror/ too. The history and the trash may have the only copy of a version.",
    "Refuses while changes are not uploaded, in conflict or stopped by a safety check. For a missing folder: mdmirror unlink NAME --force.",
  ],
  examples: ["mdmirror unlink notes", "mdmirror unlink notes --purge"],
  options: {
    purge: { help: "also remove .mdmirror/ with the history and the trash; asks first" },
    force: { help: "unlink also with changes that are not uploaded; lists them" },
    yes: { short: "y", help: "do not ask before --purge" },
  },
  operands: FOLDER_OPERANDS,
  async run(io, args) {
    const absentMirror = findAbsentMirror(io, args.operands[0]);
    if (absentMirror !== null) return forgetAbsent(io, absentMirror, args.flag("force"));
    const root = findMirror(io, args.operands[0]);
    unwrap(checkRegistryWritable(io.env, "nothing was done"));
    const refusedExit = await checkUnsent(io, root, args);
    if (refusedExit !== null) return refusedExit;
    const isPurgeRequested = args.flag("purge");
    if (isPurgeRequested && !(await agreesToPurge(io, root, args))) return EXIT.usage;
    const releasedFolder = await withFolderReleased(io, root, "unlink");
    try {
      const unlinkResult = unwrap(unlinkFolder(root, io.env, io.clock.now()));
      printUnlinked(io, root, unlinkResult);
    } finally {
      releasedFolder.giveBack();
    }
    // ORDER: `.mdmirror/` is removed last, because the steps before need the lock in `.mdmirror/`.
    if (isPurgeRequested) {
      unwrap(purgeOwnFolder(root));
      return { lines: ["removed .mdmirror/ with its history and trash"] };
    }
    const linkCommand = `mdmirror init ${quoteForShell(root)} --url URL`;
    return { lines: [`its history and trash stay in .mdmirror/; to link it again: ${linkCommand}`] };
  },
};

/**
 * Finds a linked folder that is in the user's list but no longer exists.
 * @param operand path or name of the linked folder
 * @returns null if no such folder is in the list, or if the operand is the path of an existing
 * linked folder
 */
function findAbsentMirror(io: Io, operand: string | undefined): ListedMirror | null {
  if (operand === undefined) return null;
  const path = resolve(io.cwd, operand);
  if (existsSync(join(path, MIRROR_FOLDER))) return null;
  const mirrors = listOwnMirrors(io.env).mirrors.filter(({ place }) => place !== "present");
  return mirrors.find(({ root }) => root === path) ?? mirrors.find(({ name }) => isSameName(name, operand)) ?? null;
}

function forgetAbsent(io: Io, { root, name, marker, place }: ListedMirror, force: boolean): CommandResult {
  if (!force) {
    const reason = place === "other" ? "is another folder now" : "does not exist";
    const message = `${root}, your linked folder "${name}", ${reason}, so mdmirror cannot see which changes were not uploaded; nothing was done`;
    const nextStep = `to remove it from the list anyway: mdmirror unlink ${quoteForShell(name)} --force`;
    return refuse(message, nextStep);
  }
  unwrap(forgetRoot(root, marker, io.env));
  const trustHint = "If the folder appears again: mdmirror trust DIR";
  return { lines: [`removed ${shownName(root)} from the list; no file was deleted. ${trustHint}`] };
}

/**
 * Prints changes that are not uploaded, and conflicts that are not resolved. Returns the exit code
 * of the error; null if the folder may be unlinked.
 */
async function checkUnsent(io: Io, root: string, args: Args): Promise<ExitCode | null> {
  const isForced = args.flag("force");
  const unsentChanges = await planUpload(root, pickContext(io));
  const rootWord = quoteForShell(root);
  const forceCommand = `mdmirror unlink ${rootWord} --force`;
  if (unsentChanges.kind === "trouble") {
    if (isForced) return null;
    const { what, next } = unsentChanges.trouble;
    throw new TroubleError({
      ...unsentChanges.trouble,
      what: `mdmirror cannot check whether everything in ${root} was uploaded: ${what}`,
      next: `${next}; or unlink it anyway: ${forceCommand}`,
    });
  }
  if (unsentChanges.value === null) return null;
  io.err(`mdmirror: these changes of ${shownName(root)} are not uploaded or not decided:`);
  for (const line of formatPlan(unsentChanges.value, 20)) io.err(line);
  if (isForced) return null;
  io.err(`  next: mdmirror sync ${rootWord}, then follow its output; or leave these changes unsynced: ${forceCommand}`);
  return unsentChanges.value.plan.verdict.kind === "safety-stop" ? EXIT.stopped : EXIT.attention;
}

const KEYCHAIN_SENTENCES: Readonly<Partial<Record<UnlinkResult["keychain"], string>>> = {
  removed: "the key was removed from the keychain",
  kept: "the key could not be removed from the keychain: remove it yourself",
};

function printUnlinked(io: Io, root: string, { keyFile, keychain, url }: UnlinkResult): void {
  const service = url === null ? "the service" : shownWords(url);
  io.out(`unlinked ${shownName(root)}: the folder and its files stay; nothing was deleted locally or on ${service}`);
  if (keyFile) io.out("its key was removed");
  const keychainSentence = KEYCHAIN_SENTENCES[keychain];
  if (keychainSentence !== undefined) io.out(keychainSentence);
}

async function agreesToPurge(io: Io, root: string, args: Args): Promise<boolean> {
  io.err(`mdmirror: --purge removes the history, the trash and the log of ${shownName(root)}; nobody can restore them`);
  const command = `mdmirror unlink ${quoteForShell(root)} --purge --yes; or leave out --purge to keep .mdmirror/`;
  return askAgreement(io, args, "unlink the folder and remove .mdmirror/?", command);
}
