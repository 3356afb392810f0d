import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { errnoClause, ok, type Result, trouble } from "../trouble.ts";

/**
 * Where the API key comes from: `--key-file` > `MDMIRROR_API_KEY` > the system's keychain > `.mdmirror/key`. The one home of secrets; no message
 * here repeats what it read (I30).
 */
export type KeySource = {
  /** Absolute path of `.mdmirror`; it need not be there yet. */
  readonly folder: string;
  /** What `--key-file` said; relative to `cwd`. */
  readonly keyFile: string | null;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the keychain knows the key by. */
  readonly url: string;
};

export type FoundKey = {
  readonly key: string;
  readonly from: "--key-file" | "MDMIRROR_API_KEY" | "keychain" | "stored";
};

export const KEY_FILE = "key";
const FORM = /^[\x21-\x7e]{1,4096}$/;

export function findKey(source: KeySource): Result<FoundKey> {
  const { folder, keyFile, cwd, env, url } = source;
  if (keyFile !== null) {
    // The user names this file anew each time, and may keep it as they like (a mounted secret is often readable by a group).
    const read = readKeyFile(resolve(cwd, keyFile), keyFile, false);
    return read.kind === "ok" ? ok({ key: read.value, from: "--key-file" }) : read;
  }
  const given = env["MDMIRROR_API_KEY"];
  if (given !== undefined && given !== "") {
    if (FORM.test(given.trim())) return ok({ key: given.trim(), from: "MDMIRROR_API_KEY" });
    return trouble(
      "usage",
      "MDMIRROR_API_KEY is not the form of a key: printable ASCII without spaces",
      "set it to the key alone",
    );
  }
  const kept = askKeychain(url, env);
  if (kept !== null) return ok({ key: kept, from: "keychain" });
  const file = join(folder, KEY_FILE);
  if (existsSync(file)) {
    const read = readKeyFile(file, file, true);
    return read.kind === "ok" ? ok({ key: read.value, from: "stored" }) : read;
  }
  return trouble(
    "usage",
    "there is no API key",
    "give one with --key-file FILE, or in MDMIRROR_API_KEY; mdmirror init stores it",
  );
}

/** @param strict refuses a file that others than its owner may read */
function readKeyFile(path: string, shown: string, strict: boolean): Result<string> {
  try {
    const fd = openSync(path, "r");
    try {
      const { mode } = fstatSync(fd);
      if (strict && (mode & 0o077) !== 0) {
        const told = `others may read ${shown} (mode ${(mode & 0o777).toString(8)}), so the key in it is refused`;
        return trouble(
          "usage",
          told,
          `chmod 600 '${path}'; if others have used this computer, have the key renewed too`,
        );
      }
      const key = readFileSync(fd, "utf8").trim();
      if (FORM.test(key)) return ok(key);
      return trouble(
        "usage",
        `${shown} holds no key: one line of printable ASCII without spaces`,
        "put the key alone in it",
      );
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return trouble(
      "usage",
      `the key file ${shown} cannot be read: ${errnoClause(error)}`,
      "give another with --key-file FILE",
    );
  }
}

/** Never anybody else's to read, not even while it is written. @throws as node:fs does */
export function storeKey(folder: string, key: string): void {
  const file = join(folder, KEY_FILE);
  const fd = openSync(`${file}.new`, "w", 0o600);
  try {
    fchmodSync(fd, 0o600);
    writeFileSync(fd, `${key}\n`);
  } finally {
    closeSync(fd);
  }
  renameSync(`${file}.new`, file);
}

/**
 * The keychain where there is one and it can answer without asking anybody: never required. Put there by the user:
 * `secret-tool store --label mdmirror service mdmirror account URL`, or `security add-generic-password -s mdmirror -a URL -w`.
 */
function askKeychain(url: string, env: KeySource["env"]): string | null {
  // Without a session bus nobody can answer secret-tool (cron, a container).
  const tools: readonly (readonly [command: string, args: readonly string[], usable: boolean])[] = [
    ["secret-tool", ["lookup", "service", "mdmirror", "account", url], env["DBUS_SESSION_BUS_ADDRESS"] !== undefined],
    ["security", ["find-generic-password", "-s", "mdmirror", "-a", url, "-w"], process.platform === "darwin"],
  ];
  for (const [command, args, usable] of tools) {
    if (!usable || !isOnPath(command, env["PATH"] ?? "")) continue;
    const { status, stdout } = spawnSync(command, args, {
      encoding: "utf8",
      env: withoutKey(env),
      timeout: 3_000,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const key = status === 0 ? stdout.trim() : "";
    if (FORM.test(key)) return key;
  }
  return null;
}

/** The environment of another program that is run: the key is no business of its. */
export function withoutKey(env: KeySource["env"]): NodeJS.ProcessEnv {
  const { MDMIRROR_API_KEY: _key, ...rest } = env;
  return rest;
}

export function isOnPath(command: string, path: string): boolean {
  return path.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, command)));
}
