import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { shellWord } from "../model/shell-word.ts";
import { readOwn, replaceOwn } from "../state/own-files.ts";
import { UnsafePathError } from "../../common/unsafe-path.ts";
import type { TrustedOrigin } from "../trust/origin.ts";
import { errnoClause, ok, type Result, trouble } from "../../common/trouble.ts";

/**
 * Sources of the API key: `--key-file` > `MDMIRROR_API_KEY` > the system's keychain >
 * `.mdmirror/key`. Only this module reads secrets; no message repeats them (I30).
 */
type KeySource = {
  /**
   * Absolute path of `.mdmirror`, which need not exist yet. Null: a key in the folder is not used.
   */
  readonly folder: string | null;
  /** The value of `--key-file`; relative to `cwd`. */
  readonly keyFile: string | null;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Address that may receive the key, and its name in the keychain. */
  readonly origin: TrustedOrigin;
};

type KeyLookup = Omit<KeySource, "origin"> & { readonly url: string };

export type FoundKey = {
  readonly key: string;
  readonly from: "--key-file" | "MDMIRROR_API_KEY" | "keychain" | "stored";
};

export const KEY_FILE = "key";
const KEY_FORM = /^[\x21-\x7e]{1,4096}$/;

/** Returns true for text that can be a key: printable ASCII without spaces. */
export function isKey(text: string): boolean {
  return KEY_FORM.test(text);
}

export function findKey({ origin, ...source }: KeySource): Result<FoundKey> {
  return findInSources({ ...source, url: origin.url });
}

/**
 * Returns true if mdmirror would find a different key now. Problems with that key are reported when
 * the folder is opened.
 */
export function isOtherKey(source: KeySource, key: string): boolean {
  try {
    const found = findKey(source);
    return found.kind === "ok" && found.value.key !== key;
  } catch (error) {
    if (error instanceof UnsafePathError) return false;
    throw error;
  }
}

/**
 * Returns the source of the key; null if there is no usable key. Does not return the key, because
 * callers may ask about an address that is not trusted.
 */
export function findKeySource(source: KeyLookup): FoundKey["from"] | null {
  const found = findInSources(source);
  return found.kind === "ok" ? found.value.from : null;
}

function findInSources({ folder, keyFile, cwd, env, url }: KeyLookup): Result<FoundKey> {
  if (keyFile !== null) {
    // The user passes this file in each call, so its mode is not checked: a mounted secret is often
    // readable by a group.
    const read = readKeyFile(() => readFileSync(resolve(cwd, keyFile), "utf8"), keyFile);
    return read.kind === "ok" ? ok({ key: read.value, from: "--key-file" }) : read;
  }
  const keyText = env["MDMIRROR_API_KEY"];
  if (keyText !== undefined && keyText !== "") {
    if (isKey(keyText.trim())) return ok({ key: keyText.trim(), from: "MDMIRROR_API_KEY" });
    return trouble(
      "usage",
      "MDMIRROR_API_KEY does not look like a key: printable ASCII without spaces",
      "set it to the key only",
    );
  }
  const kept = askKeychain(url, env);
  if (kept !== null) return ok({ key: kept, from: "keychain" });
  if (folder === null) return noKey();
  return readStoredKey(folder);
}

function noKey(): Result<never> {
  const next = "give one with --key-file FILE, or in MDMIRROR_API_KEY; mdmirror init stores it";
  return trouble("usage", "there is no API key", next);
}

function readStoredKey(folder: string): Result<FoundKey> {
  const file = join(folder, KEY_FILE);
  try {
    const found = readOwn(folder, KEY_FILE);
    if (found === null) return noKey();
    const mode = found.stat.mode & 0o777;
    if ((mode & 0o077) !== 0) {
      const warning = `other users may read ${file} (mode ${mode.toString(8)}), so mdmirror does not use the key in it`;
      const next = `chmod 600 ${shellWord(file)}; if others have used this computer, also ask for a new key`;
      return trouble("usage", warning, next);
    }
    const read = readKeyFile(() => found.bytes.toString("utf8"), file);
    return read.kind === "ok" ? ok({ key: read.value, from: "stored" }) : read;
  } catch (error) {
    if (error instanceof UnsafePathError) throw error;
    return unreadable(file, error);
  }
}

/** @param shownPath path of the file in the form that messages show */
function readKeyFile(read: () => string, shownPath: string): Result<string> {
  try {
    const key = read().trim();
    if (isKey(key)) return ok(key);
    const what = `${shownPath} contains no key: one line of printable ASCII without spaces`;
    return trouble("usage", what, "write only the key into it");
  } catch (error) {
    return unreadable(shownPath, error);
  }
}

function unreadable(shownPath: string, error: unknown): Result<never> {
  const what = `the key file ${shownPath} cannot be read: ${errnoClause(error)}`;
  return trouble("usage", what, "give another with --key-file FILE");
}

/**
 * Stores the key so that no other user can read it, even while it is written.
 * @throws UnsafePathError; otherwise as node:fs does
 */
export function storeKey(folder: string, key: string): void {
  replaceOwn(folder, KEY_FILE, `${key}\n`, true);
}

/** The two commands of a keychain: one prints the key, one removes it. */
type Keychain = { readonly find: readonly string[]; readonly clear: readonly string[] };

/**
 * Returns the keychains of this system that may answer without asking the user. None is required.
 * The user stores a key with `secret-tool store --label mdmirror service mdmirror account URL`, or
 * `security add-generic-password -s mdmirror -a URL -w`.
 */
function keychainsOf(url: string, env: KeySource["env"]): Keychain[] {
  // Without a session bus (cron, a container), secret-tool has no answer.
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
  for (const { find } of keychainsOf(url, env)) {
    const { status, stdout } = runTool(find, env);
    const key = status === 0 ? stdout.trim() : "";
    if (KEY_FORM.test(key)) return key;
  }
  return null;
}

/** Removes the key of a service from the keychain. `kept`: the key could not be removed. */
export function forgetInKeychain(url: string, env: KeySource["env"]): "none" | "removed" | "kept" {
  if (askKeychain(url, env) === null) return "none";
  for (const { clear } of keychainsOf(url, env)) runTool(clear, env);
  return askKeychain(url, env) === null ? "removed" : "kept";
}

function runTool([command, ...args]: readonly string[], env: KeySource["env"]) {
  return spawnSync(command!, args, {
    encoding: "utf8",
    env: withoutKey(env),
    timeout: 3_000,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/**
 * Returns the environment for another program, without the key, which that program does not need.
 */
export function withoutKey(env: KeySource["env"]): NodeJS.ProcessEnv {
  const { MDMIRROR_API_KEY: _key, ...otherVariables } = env;
  return otherVariables;
}

export function isOnPath(command: string, path: string): boolean {
  return path.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, command)));
}
