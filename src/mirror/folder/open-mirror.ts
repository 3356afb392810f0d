import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../common/clock.ts";
import type { Log, LogFields, Progress } from "../ports/world.ts";
import type { Random } from "../../common/random.ts";
import { checkRoot, rememberRoot } from "../engine/run/guard-facts.ts";
import type { World } from "../engine/run/world.ts";
import { LocalDisk } from "../local/disk.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { makeMirrorFolder } from "../local/marker.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { examineOwnFolder, tightenOwnFolder, withOwnFolderOpen } from "../state/own-files.ts";
import { withTranslation } from "../engine/links/translating.ts";
import { type Config, readConfig } from "../settings/config.ts";
import { findKey, isOtherKey, type KeySource } from "../settings/key.ts";
import { readPrefix } from "../settings/settings.ts";
import { openLog, SILENT_LOG } from "./log.ts";
import { openToRead, openToWrite, readDiskRules, readTraits } from "./open-local.ts";
import { lockFolder } from "./folder-lock.ts";
import { describeSystemError } from "./trouble.ts";
import type { ExchangeTally } from "../remote/tally.ts";
import { connect } from "../trust/connect.ts";
import { admit, type AdmittedFolder, claimName, keepMarker } from "../trust/gate.ts";
import { errnoClause, ok, refusal, type Result } from "../../common/trouble.ts";
import { spawnSync } from "node:child_process";

export type MirrorOptions = {
  /**
   * `read`: takes no lock, and writes no state, file or log (I23). `write`: takes the lock. If the
   * state file is damaged, mode `write` sets the file aside and builds a new state from both sides.
   */
  readonly mode: "read" | "write";
  /** Name of the command, which other processes show when they find the folder locked. */
  readonly what: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly progress?: Progress;
  readonly url?: string | null;
  readonly keyFile?: string | null;
  readonly tally?: ExchangeTally;
  /** Receives the fields of the log line about each request. No field has content. */
  readonly onExchange?: (exchange: LogFields) => void;
};

export type OpenedMirror = {
  readonly root: string;
  readonly config: Config;
  /** URL of the service, from `--url`, or else `MDMIRROR_URL`, or else the configuration. */
  readonly url: string;
  readonly world: World;
  /** Messages for the user about the opening of the folder, such as a damaged state file. */
  readonly notes: readonly string[];
  /** True if a daemon lent this folder. The daemon continues when this process closes it. */
  readonly isBorrowed: boolean;
  /** Returns true if mdmirror would now find a key other than the key in use. */
  hasNewKey?(): boolean;
  close(): Promise<void>;
};

export const NO_PROGRESS: Progress = { report: () => undefined };

/** @param dir absolute path of a folder that has `.mdmirror/` */
export async function openMirror(dir: string, options: MirrorOptions): Promise<Result<OpenedMirror>> {
  if (!existsSync(dir))
    return refusal(`${dir} does not exist`, "mount its disk, or give the present path of the folder");
  const root = realpathSync(dir);
  const folder = join(root, MIRROR_FOLDER);
  const closers = new Closers();
  try {
    // The owner and the permissions of `.mdmirror` are checked before any file in `.mdmirror` is
    // read.
    if (options.mode === "write") tightenOwnFolder(folder);
    else examineOwnFolder(folder);
    const folderFacts = withOwnFolderOpen(folder, () => readFolderFacts(root, folder, options));
    const openResult =
      folderFacts.kind === "trouble" ? folderFacts : await openParts(folderFacts.value, options, closers);
    if (openResult.kind === "trouble") await closers.close();
    return openResult;
  } catch (error) {
    await closers.close();
    return describeSystemError(root, error);
  }
}

type FolderFacts = {
  readonly root: string;
  /** Absolute path of `.mdmirror`. */
  readonly folder: string;
  readonly config: Config;
  readonly admitted: AdmittedFolder;
  readonly keySource: KeySource;
  readonly key: string;
};

function readFolderFacts(root: string, folder: string, options: MirrorOptions): Result<FolderFacts> {
  const config = readConfig(folder);
  if (config.kind === "trouble") return config;
  const admission = admit(root, config.value, options);
  if (admission.kind === "trouble") return admission;
  const { env, cwd, keyFile = null } = options;
  const keySource = { folder, keyFile, cwd, env, origin: admission.value.origin };
  const foundKey = findKey(keySource);
  if (foundKey.kind === "trouble") return foundKey;
  return ok({ root, folder, config: config.value, admitted: admission.value, keySource, key: foundKey.value.key });
}

async function openParts(entry: FolderFacts, options: MirrorOptions, closers: Closers): Promise<Result<OpenedMirror>> {
  const { root, folder, config, admitted, keySource, key } = entry;
  const { mode, clock, random } = options;
  // ORDER: the lock comes first. Before that, another process could change files that this process
  // has already read.
  const { progress = NO_PROGRESS } = options;
  const lockResult = mode === "write" ? await lockFolder(root, options) : null;
  if (lockResult?.kind === "trouble") return lockResult;
  if (lockResult !== null) closers.add(lockResult.value.free);
  const fs = createNodeFs();
  const stateResult = mode === "write" ? openToWrite(folder, clock) : openToRead(folder, clock);
  if (stateResult.kind === "trouble") return stateResult;
  const { state, isNew } = stateResult.value;
  const notes = [...admitted.notes, ...stateResult.value.notes];
  closers.add(() => state.close());
  const log = openFolderLog(mode, folder, key, options, notes);
  const connection = { key, clock, random, log: reportExchanges(log, options.onExchange), traits: readTraits(state) };
  const remote = connect(admitted.origin, { ...connection, tally: options.tally });
  closers.add(() => remote.close());
  if (mode === "write" && isNew) {
    makeMirrorFolder(fs, root, random.hex(32));
    keepMarker(root, admitted, options.env);
  }
  const plainWorld: World = {
    clock,
    random,
    log,
    progress,
    remote,
    address: admitted.origin.url,
    disk: new LocalDisk(fs, root, {
      random,
      probes: mode === "write",
      ...readDiskRules(config, () => state.localPaths()),
    }),
    state,
    bootId: readBootId(),
    prefix: readPrefix(config.remote),
  };
  const world =
    config.links.mode === "keep" ? plainWorld : withTranslation(plainWorld, mode === "write", config.links.wiki);
  // With a new state, any folder is accepted, because a first sync deletes and overwrites nothing
  // (I05).
  if (isNew) rememberRoot(world);
  if (mode === "write" && checkRoot(world).root === "same") claimName(root, admitted, options.env);
  const { url } = admitted.origin;
  return ok({
    root,
    config,
    url,
    world,
    notes,
    isBorrowed: lockResult?.value.isLent === true,
    hasNewKey: () => isOtherKey(keySource, key),
    close: () => closers.close(),
  });
}

function openFolderLog(
  mode: MirrorOptions["mode"],
  folder: string,
  key: string,
  options: MirrorOptions,
  notes: string[],
): Log {
  if (mode === "read") return SILENT_LOG;
  const isDebugLog = options.env["MDMIRROR_LOG"] === "debug";
  const onFault = (error: Error) => void notes.push(`the log cannot be written: ${errnoClause(error)}`);
  return openLog({ folder, clock: options.clock, secret: key, debug: isDebugLog, onFault });
}

function reportExchanges(log: Log, onExchange: MirrorOptions["onExchange"]): Log {
  if (onExchange === undefined) return log;
  const writeLine: Log["write"] = (level, event, fields) => {
    if (event === "remote.exchange") onExchange(fields ?? {});
    log.write(level, event, fields);
  };
  return { debug: true, write: writeLine };
}

/** Collects functions that close resources. Calls the functions in reverse order. */
class Closers {
  readonly #closers: (() => void | Promise<void>)[] = [];

  add(closer: () => void | Promise<void>): void {
    this.#closers.push(closer);
  }

  async close(): Promise<void> {
    for (const closer of this.#closers.splice(0).reverse()) await closer();
  }
}

/** Parts of a process that a front end passes on. */
export type ProcessContext = Pick<MirrorOptions, "env" | "cwd" | "clock" | "random">;

/** Options of the process that opens a folder. An operation adds the mode and a command's name. */
export type HostOptions = ProcessContext & Pick<MirrorOptions, "progress">;

/**
 * Closes the folder even if `work` throws.
 * @param root absolute path of a folder of this user that has `.mdmirror/`
 */
export async function withMirror<T>(
  root: string,
  options: MirrorOptions,
  work: (mirror: OpenedMirror) => Result<T> | Promise<Result<T>>,
): Promise<Result<T>> {
  const openResult = await openMirror(root, options);
  if (openResult.kind === "trouble") return openResult;
  try {
    return await work(openResult.value);
  } finally {
    await openResult.value.close();
  }
}

type BootIdSources = {
  readonly platform?: NodeJS.Platform;
  readonly file?: string;
  /**
   * Absolute path of the macOS program that prints the boot id. The PATH of cron lacks the
   * program's folder.
   */
  readonly sysctl?: string;
};

const DEADLINE_MS = 3_000;

/**
 * Reads the id of the machine's last start. After a restart of the machine, a change need not be an
 * edit, because a power loss may have damaged the file.
 * @returns null if the system has no such id; every changed file then counts as edited
 */
export function readBootId(sources: BootIdSources = {}): string | null {
  const { platform = process.platform, file = "/proc/sys/kernel/random/boot_id" } = sources;
  const id = platform === "darwin" ? askSysctl(sources.sysctl ?? "/usr/sbin/sysctl") : readOrNull(file);
  return id === null || id.trim() === "" ? null : id.trim();
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The system has no file with the id, or a sandbox hides the file.
    return null;
  }
}

function askSysctl(program: string): string | null {
  const { status, stdout } = spawnSync(program, ["-n", "kern.bootsessionuuid"], {
    encoding: "utf8",
    env: {},
    timeout: DEADLINE_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout : null;
}
