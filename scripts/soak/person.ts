/**
 * A person with an editor, as a process: saves the documents that it is told to on stdin, line by
 * line, and says when each is saved.
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
  /** Absolute. */
  readonly path: string;
  /** The paragraph after which the mark goes. */
  readonly paragraph: number;
  readonly mark: string;
  readonly manner: Manner;
  /** Before it is read, and between reading and saving, in milliseconds. */
  readonly before: number;
  readonly between: number;
};

type Manner = (typeof MANNERS)[number];

export const MANNERS = ["in-place", "held-open", "rename", "delete-create"] as const;

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
 * While it is replaced the path is free for some microseconds: an editor would say so, and a person
 * try again.
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
