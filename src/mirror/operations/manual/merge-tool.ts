import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { LocalPath } from "../../../contract/path.ts";
import { omitKey } from "../../settings/key.ts";
import { markConflicts, type ThreeVersions } from "../../../markdown/merge/marked.ts";
import { errnoClause, ok, refusal, type Result } from "../../../common/trouble.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs `$MDMIRROR_MERGETOOL` on the three versions. Without that variable, runs git's merge tool
 * (`merge.tool`). A shell runs the command, as git runs `mergetool.<name>.cmd`: the environment has
 * the paths BASE, LOCAL (mine), REMOTE (theirs) and MERGED. A command that uses none of these
 * variables gets the four paths as arguments, in the order LOCAL BASE REMOTE MERGED. Only this user
 * can read the files, and mdmirror removes the files afterwards.
 * @returns the merged content
 */
export function runMergeTool(path: LocalPath, three: ThreeVersions, env: Environment): Result<string> {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-merge-"));
  try {
    const stem = basename(path).replace(/\.md$/, "");
    const start = markConflicts(three);
    const files = {
      BASE: writeTextFile(folder, `${stem}.base.md`, three.base),
      LOCAL: writeTextFile(folder, `${stem}.mine.md`, three.mine),
      REMOTE: writeTextFile(folder, `${stem}.theirs.md`, three.theirs),
      MERGED: writeTextFile(folder, `${stem}.md`, start),
    };
    const command = chooseCommand(env, files, folder);
    if (command.kind === "trouble") return command;
    const { status, error } = spawnSync("sh", ["-c", command.value], {
      cwd: folder,
      // The exit code of some tools does not show whether the tool merged. For these tools, git's
      // library of tools creates BACKUP before the tool runs, and then checks whether MERGED is
      // newer than BACKUP.
      env: { ...makeGitEnv(env, folder), ...files, BACKUP: join(folder, `${stem}.backup.md`) },
      stdio: "inherit",
    });
    if (error !== undefined) return refusal(`the merge tool cannot be run: ${errnoClause(error)}`, CONFIGURE_TOOL);
    if (status !== 0)
      return refusal(`the merge tool ended with ${status ?? "a signal"}; nothing was changed`, "try again");
    const mergedText = readFileSync(files.MERGED, "utf8");
    if (mergedText === start && start.includes("<<<<<<< "))
      return refusal("the merge tool changed nothing", "try again");
    return ok(mergedText);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prevents git from using another user's repository in the system's temporary folder. */
function makeGitEnv(env: Environment, folder: string): NodeJS.ProcessEnv {
  return { ...omitKey(env), GIT_CEILING_DIRECTORIES: dirname(folder) };
}

const CONFIGURE_TOOL =
  "set MDMIRROR_MERGETOOL, or: git config --global merge.tool NAME; or edit the file and use --merged FILE";

function writeTextFile(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600, flag: "wx" });
  return path;
}

/**
 * @param folder working folder for git, because another user may have configured git in the working
 * folder of this process
 */
function chooseCommand(env: Environment, files: Readonly<Record<string, string>>, folder: string): Result<string> {
  const ownCommand = env["MDMIRROR_MERGETOOL"] ?? "";
  if (ownCommand !== "") {
    const names = Object.keys(files).some(
      (name) => ownCommand.includes(`$${name}`) || ownCommand.includes(`\${${name}}`),
    );
    return ok(names ? ownCommand : `${ownCommand} "$LOCAL" "$BASE" "$REMOTE" "$MERGED"`);
  }
  const configuredTool = spawnSync("git", ["config", "--get", "merge.tool"], {
    cwd: folder,
    env: makeGitEnv(env, folder),
    encoding: "utf8",
  });
  const tool = configuredTool.status === 0 ? configuredTool.stdout.trim() : "";
  if (!/^[\w.-]+$/.test(tool)) return refusal("no merge tool is configured", CONFIGURE_TOOL);
  // git's library of tools is a shell script that has the command of each tool, and that uses
  // `mergetool.<name>`.
  const initialization = `if type initialize_merge_tool >/dev/null 2>&1; then initialize_merge_tool ${tool} || exit 1; fi`;
  return ok(
    `TOOL_MODE=merge; . "$(git --exec-path)/git-mergetool--lib"; ${initialization}; run_merge_tool ${tool} true`,
  );
}
