import { execFile, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { startLive } from "./live.ts";

const TEXT = "# Plan\n\nThe first line of the plan.\nThe second line of the plan.\n";
const ADDED = "A line that the editor added.";

type Save = (path: string) => void | Promise<void>;

/**
 * Programs that are not installed: the test replays the system calls with which they save a file.
 */
const REPLAYED: Readonly<Record<string, Save>> = {
  "VS Code: truncate and write in place": (path) => {
    const fd = openSync(path, "r+");
    ftruncateSync(fd, 0);
    writeSync(fd, edited());
    fsyncSync(fd);
    closeSync(fd);
  },
  "VS Code: atomic save": (path) => {
    writeFileSync(`${path}.vsctmp`, edited());
    renameSync(`${path}.vsctmp`, path);
  },
  "JetBrains: safe write": (path) => {
    writeFileSync(`${path}___jb_tmp___`, edited());
    renameSync(path, `${path}___jb_old___`);
    renameSync(`${path}___jb_tmp___`, path);
    unlinkSync(`${path}___jb_old___`);
  },
  "GNOME: a hidden stream, renamed over": (path) => {
    const stream = join(dirname(path), ".goutputstream-A1B2C3");
    writeFileSync(stream, edited());
    renameSync(stream, path);
  },
  "Kate: a temporary of the same name": (path) => {
    writeFileSync(`${path}.XyZ123`, edited());
    renameSync(`${path}.XyZ123`, path);
  },
  "the old file becomes a backup, then a new one": (path) => {
    renameSync(path, `${path}~`);
    writeFileSync(path, edited());
  },
  "delete, then create": (path) => {
    unlinkSync(path);
    writeFileSync(path, edited());
  },
  "delete, then create half a second later": async (path) => {
    unlinkSync(path);
    await elapsed(500);
    writeFileSync(path, edited());
  },
  "truncate, then write half a second later": async (path) => {
    writeFileSync(path, "");
    await elapsed(500);
    writeFileSync(path, edited());
  },
};

const run = promisify(execFile);
const call =
  (program: string, args: (path: string) => string[]): Save =>
  async (path) =>
    void (await run(program, args(path)));
const vim = (settings: string) =>
  call("vim", (path) => [
    ...["-u", "NONE", "-i", "NONE", "-N", "-es"],
    ...["-c", `set ${settings}`, "-c", `normal Go${ADDED}`, "-c", "wq", path],
  ]);
const emacs = (before: string) =>
  call("emacs", (path) => [
    ...["-Q", "--batch", "--eval", before, path, "--eval"],
    `(progn (goto-char (point-max)) (insert "${ADDED}\\n") (save-buffer) (kill-emacs))`,
  ]);

/**
 * Saves in quick succession. The settle time is longer here, so that a busy machine does not split
 * them.
 */
const TOGETHER: Readonly<Record<string, Save>> = {
  "write in three parts": async (path) => {
    const text = edited();
    writeFileSync(path, text.slice(0, 20));
    await elapsed(100);
    appendFileSync(path, text.slice(20, 40));
    await elapsed(100);
    appendFileSync(path, text.slice(40));
  },
  "five saves in a second": async (path) => {
    for (let n = 0; n < 5; n++) {
      writeFileSync(path, `${TEXT}part ${n}\n`);
      await elapsed(200);
    }
    writeFileSync(path, edited());
  },
};

/** Installed programs that the test starts. */
const REAL: Readonly<Record<string, { readonly program: string; readonly save: Save }>> = {
  "vim, backupcopy=no": { program: "vim", save: vim("backupcopy=no writebackup") },
  "vim, backupcopy=yes": { program: "vim", save: vim("backupcopy=yes writebackup") },
  "vim, nobackup, swap file beside": { program: "vim", save: vim("nobackup nowritebackup directory=.") },
  "vim, keeping its backup": { program: "vim", save: vim("backup backupcopy=auto backupdir=.") },
  "Emacs, backup and lock files": {
    program: "emacs",
    save: emacs("(setq make-backup-files t create-lockfiles t backup-by-copying nil)"),
  },
  "Emacs, backup by copying": { program: "emacs", save: emacs("(setq backup-by-copying t)") },
  "Emacs, precious file": { program: "emacs", save: emacs("(setq file-precious-flag t)") },
  nano: { program: "nano", save: (path) => typeInto("nano", path) },
  "nano, keeping a backup": { program: "nano", save: (path) => typeInto("nano -B", path) },
  "sed -i": { program: "sed", save: call("sed", (path) => ["-i", `$ a ${ADDED}`, path]) },
  "perl -i": { program: "perl", save: call("perl", (path) => ["-pi", "-e", `$_ .= "${ADDED}\\n" if eof`, path]) },
};

function edited(): string {
  return `${TEXT}${ADDED}\n`;
}

/**
 * Waits in real time, because the delay between two system calls is part of how a program saves.
 */
function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Runs nano on a terminal and types, once its screen is visible: last line, text, write out, exit.
 */
function typeInto(command: string, path: string): Promise<void> {
  const shown = spawn("script", ["-qec", `${command} ${basename(path)}`, "/dev/null"], {
    cwd: dirname(path),
    env: { ...process.env, TERM: "xterm" },
  });
  let screen = "";
  let typed = false;
  shown.stdout.on("data", (part: Buffer) => {
    screen += part.toString("latin1");
    if (typed || !screen.includes("Exit")) return;
    typed = true;
    shown.stdin.write(`\u001b/${ADDED}\r\u000f\r\u0018`);
  });
  return new Promise((resolve) => shown.on("close", () => resolve()));
}

function isThere(program: string): boolean {
  const needed = program === "nano" ? ["nano", "script"] : [program];
  return needed.every((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0);
}

async function savesAsOneEdit(save: Save, settleMs = 300): Promise<void> {
  const files = { "notes/plan.md": TEXT, "notes/other.md": "# Other\n" };
  const live = await startLive({ files, timing: { settleMs } });
  try {
    const id = live.remote("notes/plan.md")?.id;
    const sent = live.next((event) => event.kind === "change" && event.what === "put");
    await save(live.path("notes/plan.md"));
    const saved = readFileSync(live.path("notes/plan.md"), "utf8");
    expect(saved).toContain(ADDED);
    await sent;
    // A whole cycle, which would send anything else that the save left behind.
    await live.daemon.request("resume");
    expect(live.remote("notes/plan.md")).toMatchObject({ id, text: saved });
    expect(live.requests.map(({ what }) => what).filter((what) => !what.startsWith("GET"))).toEqual([
      `PUT /v1/files/${id}/content`,
    ]);
    expect(live.remotePaths()).toEqual(["notes/other.md", "notes/plan.md"]);
    expect(readFileSync(live.path("notes/plan.md"), "utf8")).toBe(saved);
    expect(live.daemon.status().pendingDeletions).toEqual([]);
  } finally {
    await live.stop();
  }
}

describe("I09 a save is one PUT to the same document, by call sequence", () => {
  test.each(Object.entries(REPLAYED))("%s", (_name, save) => savesAsOneEdit(save));
  test.each(Object.entries(TOGETHER))("%s", (_name, save) => savesAsOneEdit(save, 1_000));
});

describe("I09 a save is one PUT to the same document, by the program itself", () => {
  for (const [name, { program, save }] of Object.entries(REAL)) {
    const there = isThere(program);
    if (!there) console.log(`skipped: ${name}: ${program} is not installed`);
    test.skipIf(!there)(name, () => savesAsOneEdit(save));
  }
});
