import { appendFile } from "node:fs/promises";

/** Facts about a request, which are collected until the request is answered. */
export type RequestRecord = {
  /** Pattern of the request's path, such as `/v1/files/{id}`. */
  readonly route: string;
  /** Bytes of the answer's body; 0 for a stream. */
  bytes: number;
  /** Id of the request's key; null if the key was missing or not valid, or was the admin key. */
  key: string | null;
  requestId: string | null;
  readonly isGone: () => boolean;
  /** Network address of the client, which the access log does not contain. */
  readonly from: string;
};

/** One line of the access log, which never contains content, keys, queries or document paths. */
export type AccessEntry = Readonly<Omit<RequestRecord, "isGone" | "from">> & {
  /** Time of the request, ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** HTTP status; 499 if the client disconnected before the answer. */
  readonly status: number;
  /** Milliseconds from the request to the end of the answer. */
  readonly ms: number;
};

/** Milliseconds in which lines are collected, to be written together. */
const WRITE_PAUSE_MS = 200;
/**
 * LIMIT: number of lines that wait to be written, so that these lines do not fill the memory if the
 * disk is slow. Lines beyond this number are lost; the next written line reports the number of lost
 * lines.
 */
const MAX_WAITING_LINES = 20_000;

export type TextAppender = (text: string) => Promise<void>;

/**
 * Returns a function that appends text to a file. The function opens the file for each write, so
 * that a log rotation may rename the file at any time.
 */
export function makeFileAppender(file: string): TextAppender {
  return (text) => appendFile(file, text, { mode: 0o600 });
}

/** The access log: one line of JSON for each request. No answer waits for its line. */
export class AccessLog {
  readonly #append: TextAppender;
  readonly #onFault: (error: unknown) => void;
  #lines: string[] = [];
  #lost = 0;
  #writing: Promise<void> | null = null;

  /** @param onFault receives the error if lines could not be written; these lines are lost */
  constructor(append: TextAppender, onFault: (error: unknown) => void) {
    this.#append = append;
    this.#onFault = onFault;
  }

  readonly note = (entry: AccessEntry): void => {
    if (this.#lines.length < MAX_WAITING_LINES) this.#lines.push(JSON.stringify(entry));
    else this.#lost++;
    this.#writing ??= this.#writeLater();
  };

  async close(): Promise<void> {
    await this.#writing;
    if (this.#lines.length > 0) await this.#write();
  }

  async #writeLater(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, WRITE_PAUSE_MS));
    await this.#write();
    this.#writing = null;
  }

  async #write(): Promise<void> {
    const [lines, lost] = [this.#lines, this.#lost];
    this.#lines = [];
    this.#lost = 0;
    const linesToWrite = lost === 0 ? lines : [...lines, JSON.stringify({ lost })];
    try {
      await this.#append(`${linesToWrite.join("\n")}\n`);
    } catch (error) {
      this.#lost += lost + lines.length;
      this.#onFault(error);
    }
  }
}
