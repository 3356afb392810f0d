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
  mkdirSync(join(dir, ".bin"));
  writeFileSync(join(dir, ".bin/mdmirror"), STUB, { mode: 0o755 });
  rig.write("b.md", "text\n");
  await rig.init();
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, out } = await rig.run(["completion", shell]);
    expect(code).toBe(0);
    scripts[shell] = join(dir, `.completion.${shell}`);
    writeFileSync(scripts[shell], `${out.join("\n")}\n`);
  }
});
afterAll(() => rmSync(dir, { recursive: true }));

const has = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

/**
 * Returns the completions after some words: words and options by name, files and folders by kind.
 */
async function offersAfter(...words: readonly string[]): Promise<readonly string[]> {
  const { out } = await rig.run(["completion", "offer", "--", ...words]);
  return out.map((line) => line.split("\t")).map(([kind, word]) => word || `<${kind}>`);
}

describe("completion", () => {
  test("every command and option is offered", async () => {
    const names = await offersAfter();
    for (const { name, load } of COMMANDS) {
      expect(names).toContain(name);
      const { command } = await load();
      const offers = await offersAfter(name);
      for (const option of Object.keys(command.options)) expect(offers).toContain(`--${option}`);
    }
  });

  test.each([
    [
      ["sync", "--quiet"],
      ["w", "<folder>"],
    ],
    [["mv"], ["w", "<folder>"]],
    [["mv", "work"], ["<folder>"]],
    [["search"], []],
    [
      ["search", "flour"],
      ["w", "<folder>"],
    ],
    [["conflicts", "show"], ["<file>"]],
    [["service"], ["install", "uninstall", "status", "print"]],
    [
      ["service", "--for"],
      ["systemd", "launchd", "cron"],
    ],
    [
      ["serve", "admin"],
      ["keys", "reviews", "workspaces"],
    ],
    [["sync", "--key-file"], ["<file>"]],
    [["sync", "--max-deletes"], []],
    [["why"], ["<file>"]],
    [["no-such-command"], []],
  ])("after %j it offers %j", async (words, want) => {
    const offers = await offersAfter(...words);
    expect(offers.filter((one) => !one.startsWith("-"))).toEqual(want);
  });
});

/** A script that replaces mdmirror in a shell. Its completions depend on the last word only. */
const STUB = String.raw`#!/bin/sh
case "$*" in
  *--for) printf 'word\tsystemd\t\nword\tlaunchd\t\n' ;;
  *why) printf 'file\t\t\n' ;;
  *) printf 'word\twork\tone: two\nword\tmy mirror\t\nword\t$(touch pwned)\t\noption\t--dry-run\thelp\nfolder\t\t\n' ;;
esac
`;

/** Runs a program in a shell whose PATH has the stub as mdmirror. */
function runIn(shell: string, argv: readonly string[]): string {
  const env = { ...process.env, HOME: dir, ZDOTDIR: dir, PATH: `${join(dir, ".bin")}:${process.env["PATH"]}` };
  const run = spawnSync(shell, argv, { encoding: "utf8", cwd: dir, env, timeout: 60_000 });
  expect(run.stderr).toBe("");
  return run.stdout;
}

/** Returns the completions of bash after these words, and the options that it sets for readline. */
function offered(...words: readonly string[]): string {
  const program = `
    set -u
    . "$1"; shift
    compopt() { echo "readline: $2"; }
    COMP_WORDS=(mdmirror "$@"); COMP_CWORD=$#
    _mdmirror
    (( \${#COMPREPLY[@]} == 0 )) || printf '%s\\n' "\${COMPREPLY[@]}"`;
  return runIn("bash", ["--norc", "-c", program, "bash", scripts["bash"]!, ...words]).trim();
}

describe.skipIf(!has("bash"))("the completion of bash (skipped where bash is missing)", () => {
  test.each([
    [[""], "readline: plusdirs\nwork\nmy\\ mirror\n\\$\\(touch\\ pwned\\)"],
    [["sync", "--d"], "--dry-run"],
    [["service", "--for", "s"], "systemd"],
    [["service", "--for", "=", "l"], "launchd"],
    [["why", "a"], "readline: default"],
    [["why", '$(touch "pwned")', "--dr"], "--dry-run"],
  ])("after %j it offers %j", (words, want) => {
    expect(offered(...words)).toBe(want);
  });
});

describe.skipIf(!has("zsh"))("the completion of zsh (skipped where zsh is missing)", () => {
  const ROWS = [
    ["sync My", "sync My\\ Notes/"],
    ["sync my", "sync my\\ mirror"],
    ["sync --dr", "sync --dry-run"],
    ["service --for=l", "service --for=launchd"],
    ["why a", "why a.md"],
  ] as const;

  test("a line in .zshrc is enough, also where nothing else has started the completion system", () => {
    const program = 'eval "$(<"$1")"; print -r -- "$_comps[mdmirror]"';
    expect(runIn("zsh", ["-f", "-c", program, "zsh", scripts["zsh"]!])).toBe("_mdmirror\n");
  });

  test("completes commands, options, values, files, folders and the names of linked folders", () => {
    // Runs zsh on a pseudo-terminal. A bound key prints the content of the line editor and clears
    // it.
    const program = `
      zmodload zsh/zpty
      zpty -b inner zsh -f -i
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
    const out = runIn("zsh", ["-f", "-c", program, "zsh", scripts["zsh"]!, ...typed]);
    const words = [...out.matchAll(/HELD<mdmirror (.*?) ?>/g)].map((match) => match[1]);
    expect(words).toEqual(ROWS.map(([, completed]) => completed));
  });
});

describe.skipIf(!has("fish"))("the completion of fish (skipped where fish is missing)", () => {
  test.each([
    ["mdmirror sync M", ["My Notes/"]],
    ["mdmirror sync my\\ m", ["my mirror"]],
    ["mdmirror sync --dr", ["--dry-run"]],
    ["mdmirror service --for=l", ["--for=launchd"]],
    ["mdmirror why a", ["a.md"]],
  ])("%j is offered %j", (typed, want) => {
    const out = runIn("fish", ["-N", "-c", 'source $argv[1]; complete -C "$argv[2]"', scripts["fish"]!, typed]);
    const offers = out.split("\n").filter((line) => line !== "");
    expect(offers.map((line) => line.split("\t")[0])).toEqual(want);
  });
});
