/**
 * A process that saves documents like a user with an editor. Reads one save a line from stdin, and
 * prints a line when it is done.
 */
import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { withLine } from "./marked.ts";

export type Save = {
  /** Absolute path. */
  readonly path: string;
  /** Number of the paragraph after which the mark is inserted. */
  readonly paragraph: number;
  readonly mark: string;
  readonly manner: Manner;
  /** Milliseconds before the file is read, and between reading and saving. */
  readonly before: number;
  readonly between: number;
};

type Manner = (typeof SAVE_METHODS)[number];

export const SAVE_METHODS = ["in-place", "held-open", "rename", "delete-create"] as const;

async function save({ path, paragraph, mark, manner, before, between }: Save): Promise<void> {
  if (before > 0) await wait(before);
  switch (manner) {
    case "in-place": {
      const text = await read(path, paragraph, mark);
      await wait(between);
      return writeFileSync(path, text);
    }
    case "held-open": {
      const { fd, text } = await openParagraph(path, paragraph, mark);
      await wait(between);
      ftruncateSync(fd, 0);
      writeSync(fd, text, 0);
      return closeSync(fd);
    }
    case "rename": {
      const text = await read(path, paragraph, mark);
      writeFileSync(`${path}.person~`, text);
      await wait(between);
      return renameSync(`${path}.person~`, path);
    }
    case "delete-create": {
      const text = await read(path, paragraph, mark);
      rmSync(path, { force: true });
      await wait(between);
      return writeFileSync(path, text);
    }
  }
}

/**
 * Opens a file. Tries again like a user, because a path is free for some microseconds while
 * mdmirror replaces the file.
 */
async function found<T>(open: () => T): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return open();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || tries > 2_000) throw error;
      await wait(1);
    }
  }
}

const read = async (path: string, paragraph: number, mark: string) =>
  withLine(await found(() => readFileSync(path, "utf8")), paragraph, mark);

async function openParagraph(path: string, paragraph: number, mark: string): Promise<{ fd: number; text: string }> {
  const fd = await found(() => openSync(path, "r+"));
  return { fd, text: withLine(readFileSync(fd, "utf8"), paragraph, mark) };
}

if (process.argv[1] === import.meta.filename) {
  for await (const line of createInterface({ input: process.stdin })) {
    const wanted = JSON.parse(line) as Save;
    save(wanted).then(
      () => void process.stdout.write(`${wanted.mark}\n`),
      (error: unknown) => void process.stdout.write(`failed ${wanted.mark} ${String(error)}\n`),
    );
  }
}
