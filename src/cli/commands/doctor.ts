import { makeFolderCommand } from "../find-mirror.ts";
import { type Args, type Command, type Io, pickContext } from "../command.ts";
import { EXIT, type ExitCode, findExitOfTrouble, pickWorstExit, refuseUsage, writeNewFile } from "../exit.ts";
import { KEY_OPTION } from "../use-mirror.ts";
import { runChecks } from "../../mirror/operations/doctor/examine.ts";
import { resolve } from "node:path";
import { makeFailure, type DoctorCheck, makePass, makeWarning } from "../../mirror/operations/doctor/check.ts";
import { makeBundle } from "../../mirror/operations/doctor/bundle.ts";
import { withMirror } from "../../mirror/folder/open-mirror.ts";
import { shownName, shownWords } from "../../common/shown-words.ts";

export const command: Command = {
  about: [
    "Checks the URL, the key, the clock, the state file and the size of the history. Checks the disk, the limits of inotify, and other sync tools on the same folder. Names how the service differs from the documented API.",
    "--bundle writes a file for a bug report. It has what mdmirror observed on both sides, its records and its plan: sizes, times, inodes, ids. It has no content and no key. Names and digests are replaced; read it before you send it.",
    "Exit codes: 0 good, 3 for a warning, otherwise that of the first check that failed.",
  ],
  examples: ["mdmirror doctor notes", "mdmirror doctor notes --bundle report.json"],
  options: {
    bundle: { value: "FILE", help: "write a report without content to FILE, which must not exist" },
    "with-names": { help: "with --bundle: keep the names of files and folders" },
    json: { help: "print one JSON object" },
    ...KEY_OPTION,
  },
  ...makeFolderCommand(async (io, args, root) => {
    const file = args.text("bundle");
    if (file === null && args.flag("with-names")) refuseUsage("--with-names needs --bundle");
    const examinedChecks = await runChecks(root, { ...pickContext(io), keyFile: args.text("key-file") });
    const checks =
      file === null
        ? examinedChecks
        : [...examinedChecks, await writeBundle(io, args, { root, file, examined: examinedChecks })];
    return {
      json: { checks: checks.map(({ fault: _fault, ...shown }) => shown) },
      lines: checks.flatMap(({ about, state, detail, next }) => [
        `${STATE_MARKS[state]} ${about}: ${shownWords(detail)}`,
        ...(next === null ? [] : [`    next: ${shownWords(next)}`]),
      ]),
      exit: pickWorstExit(checks.map(chooseExit)),
    };
  }),
};

/**
 * Writes a bundle of diagnostic files for a bug report. Returns the outcome as one more check of
 * `doctor`.
 */
async function writeBundle(
  io: Io,
  args: Args,
  { root, file, examined }: { readonly root: string; readonly file: string; readonly examined: readonly DoctorCheck[] },
): Promise<DoctorCheck> {
  const openOptions = { ...pickContext(io), mode: "read", what: "doctor", keyFile: args.text("key-file") } as const;
  const includesNames = args.flag("with-names");
  const bundleResult = await withMirror(root, openOptions, (mirror) =>
    makeBundle(mirror, examined, { random: io.random, withNames: includesNames }),
  );
  if (bundleResult.kind === "trouble")
    return makeFailure("bundle", bundleResult.trouble.kind, bundleResult.trouble.what, bundleResult.trouble.next);
  const { bundle, differences } = bundleResult.value;
  writeNewFile(resolve(io.cwd, file), `${JSON.stringify(bundle)}\n`);
  const summary = `${shownName(file)} has no content and no key; its names are ${bundle.names}`;
  if (differences.length === 0) return makePass("bundle", summary);
  const detail = `${summary}, and it does not reproduce the plan of this folder`;
  return makeWarning(
    "bundle",
    detail,
    includesNames ? "send it all the same" : "use --with-names if you may show the names",
  );
}

const STATE_MARKS: Readonly<Record<DoctorCheck["state"], string>> = {
  good: "ok  ",
  note: "note",
  warn: "WARN",
  bad: "BAD ",
};

function chooseExit({ state, fault }: DoctorCheck): ExitCode {
  if (state === "bad") return findExitOfTrouble({ kind: fault ?? "fault" });
  return state === "warn" ? EXIT.attention : EXIT.inSync;
}
