/**
 * `watch` killed with kill -9 again and again, while editors save and the app edits; then one last
 * daemon, and rest.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { isOnPath } from "../../src/app/mirror/key.ts";
import { startDaemon } from "./at-once.ts";
import { docPath, editThere, type Field, fillThere, findThere, freshMark, linked, openField } from "./fixture.ts";
import { judge, openLedger, rememberBefore } from "./judge.ts";
import { withLine } from "./marked.ts";
import { MANNERS } from "./person.ts";
import { openPerson } from "./races.ts";
import type { Fault, Row, Soak } from "./row.ts";

const DOCUMENTS = 40;
const execute = promisify(execFile);

/** Adds `A line for MARK.` after a paragraph and saves, as that program does. */
type Editor = { readonly program: string; args(path: string, paragraph: number, mark: string): readonly string[] };

const EDITORS: Readonly<Record<string, Editor>> = {
  vim: vim("backupcopy=no writebackup"),
  "vim in place": vim("backupcopy=yes writebackup"),
  "vim with a swap file": vim("nobackup nowritebackup directory=."),
  "sed -i": {
    program: "sed",
    args: (path, paragraph, mark) => ["-i", `/^Paragraph ${paragraph} /a A line for ${mark}.`, path],
  },
  "perl -i": {
    program: "perl",
    args: (path, paragraph, mark) => [
      ...["-pi", "-e", `$_ .= "A line for ${mark}.\\n" if /^Paragraph ${paragraph} /`, path],
    ],
  },
  emacs: {
    program: "emacs",
    args: (path, paragraph, mark) => [
      ...["-Q", "--batch", path, "--eval"],
      `(progn (goto-char (point-min)) (re-search-forward "^Paragraph ${paragraph} ") (end-of-line) (insert "\\nA line for ${mark}.") (save-buffer) (kill-emacs))`,
    ],
  },
};

function vim(settings: string): Editor {
  return {
    program: "vim",
    args: (path, paragraph, mark) => [
      ...["-u", "NONE", "-i", "NONE", "-N", "-es", "-c", `set ${settings}`, "-c", `/^Paragraph ${paragraph} `],
      ...["-c", `normal oA line for ${mark}.`, "-c", "wq!", path],
    ],
  };
}

type Writer = (field: Field, document: string) => Promise<string>;

/**
 * Kills the daemon at random moments, `rounds` times, while `save` is called and the app edits and
 * renames.
 */
async function killDaemons(fault: string, { rounds, seed }: Soak, save: Writer): Promise<Row> {
  const ledger = openLedger();
  const field = await openField(seed);
  const { dice } = field;
  await fillThere(field, DOCUMENTS);
  await linked(field);
  const before = await rememberBefore(field);
  const saves = new Map<string, number>();
  let [remote, moves] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const daemon = await startDaemon(field);
    const until = performance.now() + 200 + dice.below(2_500);
    while (performance.now() < until && daemon.child.exitCode === null) {
      const n = dice.below(DOCUMENTS);
      const path = await here(field, n);
      const by = await save(field, path);
      saves.set(by, (saves.get(by) ?? 0) + 1);
      if (dice.below(2) === 0) {
        await editThere(field, await there(field, dice.below(DOCUMENTS)), 5 + dice.below(4), withLine);
        remote++;
      }
      if (dice.below(8) === 0) {
        await move(field, dice.below(DOCUMENTS));
        moves++;
      }
      await wait(dice.below(150));
    }
    daemon.child.kill("SIGKILL");
    const end = await daemon.ended;
    ledger.ended(end.code);
    if (end.code !== null)
      ledger.broken.push(`round ${round} (seed ${seed}): the daemon ended: ${end.out.slice(-900)}`);
  }
  ledger.add(`the end (seed ${seed})`, await judge(field, before), [0, 3]);
  await field.end();
  const counted = { ...ledger.figures, saves: shown(saves), "edits there": remote, moves, exits: ledger.exits() };
  return { fault, rounds, counted, broken: ledger.broken };
}

const shown = (saves: ReadonlyMap<string, number>) => [...saves].map(([by, n]) => `${by} ${n}`).join(" + ");

/** A document is at the first place, or was renamed to the second. */
const placesOf = (n: number) => [docPath(n), `moved/doc-${n}.md`] as const;

/**
 * While a file is replaced its path is free for some microseconds: the places are looked at until
 * one is there.
 */
async function here(field: Field, n: number): Promise<string> {
  for (let tries = 0; tries < 2_000; tries++) {
    const found = placesOf(n).find((path) => existsSync(join(field.notes, path)));
    if (found !== undefined) return found;
    await wait(1);
  }
  throw new Error(`doc ${n} is at neither of its places`);
}

async function there(field: Field, n: number): Promise<string> {
  for (const path of placesOf(n)) if ((await findThere(field, path)) !== null) return path;
  throw new Error(`doc ${n} is at neither of its places on the service`);
}

async function move(field: Field, n: number): Promise<void> {
  const [from, to] = [await here(field, n), placesOf(n)];
  mkdirSync(join(field.notes, "moved"), { recursive: true });
  try {
    renameSync(join(field.notes, from), join(field.notes, from === to[0] ? to[1] : to[0]));
  } catch (error) {
    // Replaced at this very moment: a person would try again; here the next move does.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

async function killWatch(soak: Soak): Promise<Row> {
  const person = await openPerson();
  const row = await killDaemons("kill-watch", soak, async (field, document) => {
    const { dice } = field;
    const manner = dice.pick(MANNERS);
    const mark = freshMark(field);
    const path = join(field.notes, document);
    await person.save({ path, paragraph: dice.below(4), mark, manner, before: 0, between: dice.below(20) });
    return manner;
  });
  person.leave();
  return { ...row, broken: [...row.broken, ...person.failures] };
}

async function editors(soak: Soak): Promise<Row> {
  const usable = Object.entries(EDITORS).filter(([, { program }]) => isOnPath(program, process.env["PATH"] ?? ""));
  if (usable.length === 0)
    return { fault: "editors", rounds: 0, counted: {}, broken: [], note: "no editor is installed" };
  const row = await killDaemons("editors", soak, async (field, document) => {
    const [name, { program, args }] = field.dice.pick(usable);
    const path = join(field.notes, document);
    const mark = freshMark(field);
    await execute(program, [...args(path, field.dice.below(4), mark)], { timeout: 20_000 }).catch(() => undefined);
    // What a program did not save, since its file was replaced at this moment, is not there to be
    // lost.
    if (!readFileSync(path, "utf8").includes(mark)) field.marks.delete(mark);
    return name;
  });
  const missing = Object.values(EDITORS).filter(({ program }) => !usable.some(([, one]) => one.program === program));
  const names = [...new Set(missing.map(({ program }) => program))].join(", ");
  return names === "" ? row : { ...row, note: `not installed: ${names}` };
}

export const DAEMONS: readonly Fault[] = [
  { name: "kill-watch", rounds: 30, quick: 2, run: killWatch },
  { name: "editors", rounds: 20, quick: 2, run: editors },
];
