import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/table.ts";
import { useRigOfFile } from "./rig.ts";

const rig = useRigOfFile();
let dir: string;
const scripts: Record<string, string> = {};

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "mdmirror-completion-"));
  mkdirSync(join(dir, "My Notes"));
  writeFileSync(join(dir, "a.md"), "text\n");
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, out } = await rig.run(["completion", shell]);
    expect(code).toBe(0);
    scripts[shell] = join(dir, `.completion.${shell}`);
    writeFileSync(scripts[shell], `${out.join("\n")}\n`);
  }
});
afterAll(() => rmSync(dir, { recursive: true }));

const has = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

describe("completion", () => {
  test.each(["bash", "zsh", "fish"])("%s: every declared command and option is in the script", async (shell) => {
    const text = (await rig.run(["completion", shell])).out.join("\n");
    for (const { name, load } of COMMANDS) {
      expect(text).toMatch(new RegExp(`\\b${name}\\b`));
      const { command } = await load();
      for (const option of Object.keys(command.options))
        expect(text).toContain(shell === "fish" ? `-l ${option}` : `--${option}`);
    }
  });
});

/** What bash would offer after these words, and what it leaves to readline. */
function offered(...words: readonly string[]): string {
  const program = `
    set -u
    . "$1"; shift
    compopt() { echo "readline: $2"; }
    mdmirror() { printf '%s\\n' work 'my mirror' '$(touch pwned)'; }
    COMP_WORDS=(mdmirror "$@"); COMP_CWORD=$#
    _mdmirror
    (( \${#COMPREPLY[@]} == 0 )) || printf '%s\\n' "\${COMPREPLY[@]}"`;
  const run = spawnSync("bash", ["--norc", "-c", program, "bash", scripts["bash"]!, ...words], { encoding: "utf8" });
  expect(run.stderr).toBe("");
  return run.stdout.trim();
}

describe.skipIf(!has("bash"))("the completion of bash (skipped where bash is missing)", () => {
  const NAMES = "work\nmy\\ mirror\n\\$\\(touch\\ pwned\\)";

  test.each([
    [["sy"], "sync"],
    [["s"], "sync\nservice\nstatus\nshow\nsearch\nserve\nserve-admin\nserve-backup\nserve-restore"],
    [["sync", "--d"], "--dry-run"],
    [["sync", "--quiet", ""], `readline: plusdirs\n${NAMES}`],
    [["sync", "m"], "readline: plusdirs\nmy\\ mirror"],
    [["init", ""], "readline: dirnames"],
    [["mv", "m"], "readline: plusdirs\nmy\\ mirror"],
    [["mv", "work", ""], "readline: dirnames"],
    [["name", "m"], "readline: plusdirs\nmy\\ mirror"],
    [["name", "work", ""], ""],
    [["search", ""], ""],
    [["search", "flour", "m"], "readline: plusdirs\nmy\\ mirror"],
    [["undo", "w"], "readline: plusdirs\nwork"],
    [["conflicts", "show", ""], "readline: default"],
    [["sync", "notes", ""], ""],
    [["service", "pr"], "print"],
    [["service", "print", ""], `readline: plusdirs\n${NAMES}`],
    [["service", "--for", "s"], "systemd"],
    [["service", "--for", "=", "l"], "launchd"],
    [["sync", "--key-file", ""], "readline: default"],
    [["sync", "--max-deletes", ""], ""],
    [["why", "a"], "readline: default"],
    [["list", ""], ""],
    [["no-such-command", ""], ""],
    [["why", '$(touch "pwned")', "--js"], "--json"],
  ])("after %j it offers %j", (words, want) => {
    expect(offered(...words)).toBe(want);
  });
});

describe.skipIf(!has("zsh"))("the completion of zsh (skipped where zsh is missing)", () => {
  const ROWS = [
    ["sy", "sync"],
    ["sync My", "sync My\\ Notes/"],
    ["sync wo", "sync work"],
    ["sync my", "sync my\\ mirror"],
    ["init My", "init My\\ Notes/"],
    ["mv wo", "mv work"],
    ["mv work My", "mv work My\\ Notes/"],
    ["search flour wo", "search flour work"],
    ["sync --dr", "sync --dry-run"],
    ["service pr", "service print"],
    ["service --for=l", "service --for=launchd"],
    ["why a", "why a.md"],
  ] as const;

  test("a line in .zshrc is enough, also where nothing else has started the completion system", () => {
    const program = 'eval "$(<"$1")"; print -r -- "$_comps[mdmirror]"';
    const options = { encoding: "utf8", cwd: dir, env: { ...process.env, ZDOTDIR: dir } } as const;
    const run = spawnSync("zsh", ["-f", "-c", program, "zsh", scripts["zsh"]!], options);
    expect([run.stdout, run.stderr]).toEqual(["_mdmirror\n", ""]);
  });

  test("completes commands, options, values, files, folders and the names of mirrors", () => {
    // A zsh of its own on a pseudo-terminal; a key of ours prints what its editor holds and
    // empties it.
    const program = `
      zmodload zsh/zpty
      zpty -b inner zsh -f -i
      zpty -w inner "mdmirror() { print -rl -- work 'my mirror' }"
      zpty -w inner "autoload -Uz compinit; compinit -u -D; source $1"
      zpty -w inner 'held() { print -r -- "HELD<$BUFFER>"; BUFFER= }; zle -N held; bindkey "^T" held; PS1='
      # The editor itself tells that it reads keys.
      zpty -w inner "ready() { print REA''DY }; zle -N zle-line-init ready"
      zpty -r -m inner out '*READY*' || exit 1
      shift
      for typed; do
        zpty -w -n inner "mdmirror $typed"$'\\t\\x14'
        zpty -r -m inner out '*HELD<*>*' || exit 1
        print -r -- "$out"
      done
      zpty -d inner`;
    const typed = ROWS.map(([words]) => words);
    const options = { encoding: "utf8", cwd: dir, timeout: 60_000 } as const;
    const run = spawnSync("zsh", ["-f", "-c", program, "zsh", scripts["zsh"]!, ...typed], options);
    expect(run.stderr).toBe("");
    const held = [...run.stdout.matchAll(/HELD<mdmirror (.*?) ?>/g)].map((match) => match[1]);
    expect(held).toEqual(ROWS.map(([, completed]) => completed));
  });
});

describe.skipIf(!has("fish"))("the completion of fish (skipped where fish is missing)", () => {
  test.each([
    ["mdmirror sy", ["sync"]],
    ["mdmirror sync M", ["My Notes/"]],
    ["mdmirror sync my\\ m", ["my mirror"]],
    ["mdmirror sync w", ["work"]],
    ["mdmirror mv w", ["work"]],
    ["mdmirror mv work ", ["My Notes/"]],
    ["mdmirror search ", []],
    ["mdmirror search --regex flour w", ["work"]],
    ["mdmirror sync --dr", ["--dry-run"]],
    ["mdmirror service ", ["install", "print", "status", "uninstall"]],
    ["mdmirror service print --for ", ["cron", "launchd", "systemd"]],
    ["mdmirror why a", ["a.md"]],
    ["mdmirror list ", []],
    ["mdmirror init --prefer ", ["each", "local", "remote"]],
  ])("%j is offered %j", (typed, want) => {
    const options = { encoding: "utf8", cwd: dir, env: { ...process.env, HOME: dir } } as const;
    const run = spawnSync(
      "fish",
      [
        "-N",
        "-c",
        'function mdmirror; printf "%s\\n" work "my mirror"; end; source $argv[1]; complete -C "$argv[2]"',
        scripts["fish"]!,
        typed,
      ],
      options,
    );
    expect(run.stderr).toBe("");
    const offers = run.stdout.split("\n").filter((line) => line !== "");
    expect(offers.map((line) => line.split("\t")[0])).toEqual(want);
  });
});
