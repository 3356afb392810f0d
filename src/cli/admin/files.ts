import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { decodeText } from "../../common/text.ts";
import { ok, refusal, type Result, toSystemTrouble } from "../../common/trouble.ts";

/** A new file for the secret of a key, readable by this user only. */
type KeyFile = {
  write(text: string): void;
  discard(): void;
};

/**
 * Creates the file for a key's secret. Called before the key is created, because a secret that
 * cannot be saved would be lost.
 * @param path absolute path of the new file; must not exist
 */
export function openKeyFile(path: string): Result<KeyFile> {
  try {
    const fd = openSync(path, "wx", 0o600);
    return ok({
      write(text) {
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
    return toSystemTrouble(error, `${path} cannot be written`, "give another file with --out");
  }
}

/**
 * Returns the new content of a document.
 * @param path absolute; `-` is standard input
 */
export function readNewContent(path: string): Result<string> {
  const nextStep = "give a file of UTF-8 text with --content";
  try {
    const { text } = decodeText(readFileSync(path === "-" ? 0 : path));
    return text === null ? refusal(`${path} is not UTF-8 text`, nextStep) : ok(text);
  } catch (error) {
    return toSystemTrouble(error, `${path} cannot be read`, nextStep);
  }
}
