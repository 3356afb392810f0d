import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { decodeText } from "../../local/text.ts";
import { codeOf, errnoClause, ok, type Result, trouble } from "../mirror/trouble.ts";

/** A new file of this user's alone that waits for the text of a key. */
type KeyFile = {
  keep(text: string): void;
  /** The key was not made after all. */
  discard(): void;
};

/**
 * Made before the key is: a key whose text cannot be kept would be one that nobody knows.
 * @param path absolute; nothing may be there
 */
export function openKeyFile(path: string): Result<KeyFile> {
  try {
    const fd = openSync(path, "wx", 0o600);
    return ok({
      keep(text) {
        writeSync(fd, `${text}\n`);
        fsyncSync(fd);
        closeSync(fd);
      },
      discard() {
        closeSync(fd);
        rmSync(path, { force: true });
      },
    });
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    const why = code === "EEXIST" ? "something is there already" : errnoClause(error);
    return trouble("usage", `${path} cannot be written: ${why}`, "give another file with --out", { code });
  }
}

/**
 * The text of a file that is to become a document's.
 * @param path absolute; `-` is standard input
 */
export function readNewText(path: string): Result<string> {
  const next = "give a file of UTF-8 text with --content";
  try {
    const { text } = decodeText(readFileSync(path === "-" ? 0 : path));
    return text === null ? trouble("usage", `${path} is not UTF-8 text`, next) : ok(text);
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return trouble("usage", `${path} cannot be read: ${errnoClause(error)}`, next, { code: codeOf(error) });
  }
}
