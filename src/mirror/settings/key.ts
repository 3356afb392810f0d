import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { quoteForShell } from "../model/shell-word.ts";
import { readOwnFile, replaceOwnFile } from "../state/own-files.ts";
import { UnsafePathError } from "../../common/ownership.ts";
import type { TrustedOrigin } from "../trust/address.ts";
import { errnoClause, ok, refusal, type Result } from "../../common/trouble.ts";

/**
 * Facts by which mdmirror finds the API key. `--key-file` takes precedence, then
 * `MDMIRROR_API_KEY`, then the system's keychain, then `.mdmirror/key`. Only this module reads
 * keys, and no message contains a key (I30).
 */
export type KeySource = {
  /**
   * Absolute path of `.mdmirror`, which may not exist yet. Null: mdmirror ignores a key that is
   * stored in `.mdmirror`.
   */
  readonly folder: string | null;
  /** Value of `--key-file`, relative to `cwd`; null if the user did not set this option. */
  readonly keyFile: string | null;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Address that may receive the key. The keychain stores the key under the URL of the address. */
  readonly origin: TrustedOrigin;
};

type UntrustedSource = Omit<KeySource, "origin">;

export type FoundKey = {
  readonly key: string;
  readonly from: "--key-file" | "MDMIRROR_API_KEY" | "keychain" | "stored";
};

export const KEY_FILE = "key";

/** Returns true for printable ASCII without spaces, which every key consists of. */
export function isKey(text: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(text);
}

export function findKey({ origin, ...source }: KeySource): Result<FoundKey> {
  return findInSources(source, origin.url);
}

/** Returns true if mdmirror would now find a key other than `key`; false if it finds none. */
export function isOtherKey(source: KeySource, key: string): boolean {
  try {
    const foundKey = findKey(source);
    return foundKey.kind === "ok" && foundKey.value.key !== key;
  } catch (error) {
    if (error instanceof UnsafePathError) return false;
    throw error;
  }
}

/** Returns the source of the key, never the key itself, because the address may be untrusted. */
export function findKeySource(source: UntrustedSource, url: string): FoundKey["from"] | null {
  const foundKey = findInSources(source, url);
  return foundKey.kind === "ok" ? foundKey.value.from : null;
}

function findInSources({ folder, keyFile, cwd, env }: UntrustedSource, url: string): Result<FoundKey> {
  if (keyFile !== null) {
    // The mode of this file is not checked, because groups can often read the secrets of a
    // container.
    const readResult = readKeyFile(() => readFileSync(resolve(cwd, keyFile), "utf8"), keyFile);
    return readResult.kind === "ok" ? ok({ key: readResult.value, from: "--key-file" }) : readResult;
  }
  const keyText = env["MDMIRROR_API_KEY"];
  if (keyText !== undefined && keyText !== "") {
    if (isKey(keyText.trim())) return ok({ key: keyText.trim(), from: "MDMIRROR_API_KEY" });
    return refusal(
      "MDMIRROR_API_KEY does not look like a key: printable ASCII without spaces",
      "set it to the key only",
    );
  }
  const keychainKey = askKeychain(url, env);
  if (keychainKey !== null) return ok({ key: keychainKey, from: "keychain" });
  if (folder === null) return reportMissingKey();
  return readStoredKey(folder);
}

function reportMissingKey(): Result<never> {
  const nextStep = "give one with --key-file FILE, or in MDMIRROR_API_KEY; mdmirror init stores it";
  return refusal("there is no API key", nextStep);
}

function readStoredKey(folder: string): Result<FoundKey> {
  const file = join(folder, KEY_FILE);
  try {
    const storedFile = readOwnFile(folder, KEY_FILE);
    if (storedFile === null) return reportMissingKey();
    const mode = storedFile.stat.mode & 0o777;
    if ((mode & 0o077) !== 0) {
      const warning = `other users may read ${file} (mode ${mode.toString(8)}), so mdmirror does not use the key in it`;
      const nextStep = `chmod 600 ${quoteForShell(file)}; if others have used this computer, also ask for a new key`;
      return refusal(warning, nextStep);
    }
    const readResult = readKeyFile(() => storedFile.bytes.toString("utf8"), file);
    return readResult.kind === "ok" ? ok({ key: readResult.value, from: "stored" }) : readResult;
  } catch (error) {
    if (error instanceof UnsafePathError) throw error;
    return reportUnreadable(file, error);
  }
}

/**
 * Returns the key in a file, or trouble if the file cannot be read or has no valid key.
 * @param shownPath path of the file in messages
 */
function readKeyFile(read: () => string, shownPath: string): Result<string> {
  try {
    const key = read().trim();
    if (isKey(key)) return ok(key);
    const problem = `${shownPath} contains no key: one line of printable ASCII without spaces`;
    return refusal(problem, "write only the key into it");
  } catch (error) {
    return reportUnreadable(shownPath, error);
  }
}

function reportUnreadable(shownPath: string, error: unknown): Result<never> {
  const problem = `the key file ${shownPath} cannot be read: ${errnoClause(error)}`;
  return refusal(problem, "give another with --key-file FILE");
}

/**
 * Stores the key in `.mdmirror`. The file is never readable for other users, not even while the
 * file is being written.
 * @throws UnsafePathError; other errors as node:fs does
 */
export function storeKey(folder: string, key: string): void {
  replaceOwnFile(folder, KEY_FILE, `${key}\n`, true);
}

/** Commands of a keychain program: `find` prints the key, `clear` removes the key. */
type Keychain = { readonly find: readonly string[]; readonly clear: readonly string[] };

/**
 * Returns the installed keychain programs that can answer without a question to the user. Users
 * store a key with `secret-tool store --label mdmirror service mdmirror account URL`, or `security
 * add-generic-password -s mdmirror -a URL -w`.
 */
function listKeychains(url: string, env: KeySource["env"]): Keychain[] {
  // `secret-tool` needs a session bus, which cron and containers do not have.
  const tools: readonly (Keychain & { readonly isUsable: boolean })[] = [
    {
      find: ["secret-tool", "lookup", "service", "mdmirror", "account", url],
      clear: ["secret-tool", "clear", "service", "mdmirror", "account", url],
      isUsable: env["DBUS_SESSION_BUS_ADDRESS"] !== undefined,
    },
    {
      find: ["security", "find-generic-password", "-s", "mdmirror", "-a", url, "-w"],
      clear: ["security", "delete-generic-password", "-s", "mdmirror", "-a", url],
      isUsable: process.platform === "darwin",
    },
  ];
  return tools.filter(({ find, isUsable }) => isUsable && isOnPath(find[0]!, env["PATH"] ?? ""));
}

function askKeychain(url: string, env: KeySource["env"]): string | null {
  for (const { find } of listKeychains(url, env)) {
    const { status, stdout } = runTool(find, env);
    const key = status === 0 ? stdout.trim() : "";
    if (isKey(key)) return key;
  }
  return null;
}

/** Removes the key from the keychain. Returns `kept` if the key could not be removed. */
export function forgetInKeychain(url: string, env: KeySource["env"]): "none" | "removed" | "kept" {
  if (askKeychain(url, env) === null) return "none";
  for (const { clear } of listKeychains(url, env)) runTool(clear, env);
  return askKeychain(url, env) === null ? "removed" : "kept";
}

function runTool([command, ...args]: readonly string[], env: KeySource["env"]) {
  return spawnSync(command!, args, {
    encoding: "utf8",
    env: omitKey(env),
    timeout: 3_000,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** Returns the environment without the key, for starting another program. */
export function omitKey(env: KeySource["env"]): NodeJS.ProcessEnv {
  const { MDMIRROR_API_KEY: _key, ...otherVariables } = env;
  return otherVariables;
}

export function isOnPath(command: string, path: string): boolean {
  return path.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, command)));
}
