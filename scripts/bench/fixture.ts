/**
 * What one benchmark works with: a temporary folder, the service, and documents, workspaces and
 * linked folders that several lines share. Each is created when it is first needed.
 */
import { unwrap } from "../../src/common/trouble.ts";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { DEFAULT_CONFIG } from "../../src/mirror/settings/config.ts";
import { linkFolder } from "../../src/mirror/folder/link-folder.ts";
import { systemRandom } from "../../src/common/random.ts";
import { readUserOrigin } from "../../src/mirror/trust/gate.ts";
import { type Finished, PROJECT, runChild } from "./child.ts";
import { type CorpusName, writeCorpus } from "./corpus.ts";
import { type BenchService, startBenchService } from "./service.ts";
import { builtProgram } from "../build/dist.ts";

type Corpus = { readonly name: CorpusName; readonly folder: string; readonly documents: number };
export type Mirror = {
  readonly root: string;
  readonly key: string;
  /** The `sync` that downloaded the documents. */
  readonly clone: Finished;
};

export type Fixture = {
  readonly folder: string;
  readonly service: BenchService;
  /**
   * Returns an unused path. Nothing is removed until the end, because on these disks creating files
   * right after a large `rm -rf` is 2.5 times slower.
   */
  fresh(label: string): string;
  /** Returns the documents on disk, which nobody changes. */
  corpus(name: CorpusName): Promise<Corpus>;
  /** Returns the key of a workspace with these documents, which nobody changes. */
  filled(name: CorpusName): Promise<string>;
  /**
   * Returns a linked folder of its own workspace, in sync, with nothing left to flush. Lines that
   * change it must leave it in sync.
   */
  mirror(name: CorpusName): Promise<Mirror>;
  /** Runs the built `mdmirror …` like a user. */
  mdmirror(args: readonly string[], key: string): Promise<Finished>;
  bare(args: readonly string[]): Promise<Finished>;
  end(): Promise<void>;
};

export async function openFixture(say: (what: string) => void): Promise<Fixture> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mdmirror-bench-")));
  // Keeps the user's own list of linked folders unchanged.
  process.env["XDG_STATE_HOME"] = join(folder, "state");
  const service = await startBenchService(join(folder, "service"));
  let count = 0;
  const fresh = (label: string) => join(folder, `${String(++count).padStart(3, "0")}-${label}`);

  const corpus = once(async (name): Promise<Corpus> => {
    say(`writing the corpus ${name}`);
    const at = fresh(`corpus-${name}`);
    writeCorpus(name, at);
    const key = await service.newWorkspace(`filled-${name}`);
    const documents = await service.importInto(key, at);
    keys.set(name, key);
    return { name, folder: at, documents };
  });
  const keys = new Map<CorpusName, string>();
  const counting = async (args: readonly string[], env: Record<string, string> = {}): Promise<Finished> => {
    await service.count();
    const finished = await runChild(process.execPath, args, { env });
    return { ...finished, asked: await service.count() };
  };
  const shipped = builtProgram(PROJECT);
  const mdmirror = (args: readonly string[], key: string) => counting([shipped, ...args], { MDMIRROR_API_KEY: key });

  const mirror = once(async (name): Promise<Mirror> => {
    const source = await corpus(name);
    say(`making a mirror of ${name}`);
    const key = await service.newWorkspace(`mirror-${name}`);
    await service.importInto(key, source.folder);
    const root = fresh(`mirror-${name}`);
    link(root, service.url);
    const clone = await mdmirror(["sync", "--quiet", root], key);
    // The second sync flushes what the first one left; the third has nothing to do.
    await mdmirror(["sync", "--quiet", root], key);
    return { root, key, clone };
  });

  return {
    folder,
    service,
    fresh,
    corpus,
    mirror,
    mdmirror,
    async filled(name) {
      await corpus(name);
      return keys.get(name)!;
    },
    bare: (args) => counting([join(PROJECT, "scripts/bench/bare-process.ts"), ...args]),
    async end() {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns a function that creates one value for each name, also if it is called twice at the same
 * time. All callers get the same failure.
 */
function once<T>(make: (name: CorpusName) => Promise<T>): (name: CorpusName) => Promise<T> {
  const made = new Map<CorpusName, Promise<T>>();
  return (name) => {
    const old = made.get(name);
    if (old !== undefined) return old;
    const fresh = make(name);
    made.set(name, fresh);
    return fresh;
  };
}

/**
 * Links a folder like `init`, so that the time of a `sync` alone can be measured.
 * @param links mode for links between documents
 */
export function link(root: string, url: string, links = DEFAULT_CONFIG.links.mode): void {
  const { env } = process;
  const origin = unwrap(readUserOrigin({ url, env, allowHttp: [] })!);
  const request = {
    dir: root,
    config: { ...DEFAULT_CONFIG, url, links: { mode: links, wiki: false } },
    origin,
    random: systemRandom(),
  };
  unwrap(linkFolder({ ...request, env, name: null }, null));
}

/** Moves `.mdmirror` out of the folder by a rename, so that the folder is as it was. */
export function unlink(root: string, fixture: Fixture): void {
  renameSync(join(root, ".mdmirror"), fixture.fresh("spent"));
}

/**
 * Writes the minimum that a sync must know of each document as rows of a file, for the bare loop
 * with nothing to do.
 */
export function writeRows(mirror: Mirror, path: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  const db = new Sqlite(path);
  db.exec(`ATTACH '${join(mirror.root, ".mdmirror/state.db")}' AS mirror;
    CREATE TABLE rows AS SELECT id, local_path, remote_path, change_id, digest, dev, ino, size, mtime_ms, ctime_ms FROM mirror.records;
    DETACH mirror;`);
  db.close();
}
