import { appendFile } from "node:fs/promises";
import type { AccessEntry } from "./access-entry.ts";

/** Milliseconds in which lines are collected for one write. */
const PAUSE_MS = 200;
/** LIMIT: lines that wait for the disk; lines beyond it are lost, and counted in the next line. */
const MOST_WAITING = 20_000;

export type AppendText = (text: string) => Promise<void>;

/**
 * Returns a writer to a file. The file is opened for each portion, so that log rotation may move it
 * at any time.
 */
export function appendTo(file: string): AppendText {
  return (text) => appendFile(file, text, { mode: 0o600 });
}

/** The access log: a line of JSON for each request. No request waits for it. */
export class AccessLog {
  readonly #append: AppendText;
  readonly #onFault: (error: unknown) => void;
  #lines: string[] = [];
  #lost = 0;
  #written: Promise<void> | null = null;

  /** @param onFault called when lines cannot be written; these lines are lost */
  constructor(append: AppendText, onFault: (error: unknown) => void) {
    this.#append = append;
    this.#onFault = onFault;
  }

  readonly note = (entry: AccessEntry): void => {
    if (this.#lines.length < MOST_WAITING) this.#lines.push(JSON.stringify(entry));
    else this.#lost++;
    this.#written ??= this.#writeLater();
  };

  /** Resolves when all lines are written. */
  async close(): Promise<void> {
    await this.#written;
    if (this.#lines.length > 0) await this.#write();
  }

  async #writeLater(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    await this.#write();
    this.#written = null;
  }

  async #write(): Promise<void> {
    const [lines, lost] = [this.#lines, this.#lost];
    this.#lines = [];
    this.#lost = 0;
    const all = lost === 0 ? lines : [...lines, JSON.stringify({ lost })];
    try {
      await this.#append(`${all.join("\n")}\n`);
    } catch (error) {
      this.#lost += lost + lines.length;
      this.#onFault(error);
    }
  }
}
