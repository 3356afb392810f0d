/**
 * One run's ground: a temporary folder, the service, and what several lines share (trees,
 * workspaces, mirrors), each made when it is first asked for.
 */
import { unwrap } from "../../src/common/trouble.ts";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { DEFAULT_CONFIG } from "../../src/mirror/settings/config.ts";
import { linkFolder } from "../../src/mirror/folder/link-folder.ts";
import { systemRandom } from "../../src/common/system-random.ts";
import { originOfUser } from "../../src/mirror/trust/gate.ts";
import { type Finished, PROJECT, runChild } from "./child.ts";
import { type CorpusName, writeCorpus } from "./corpus.ts";
import { type BenchService, startBenchService } from "./service.ts";
import { builtProgram } from "../build/dist.ts";

type Corpus = { readonly name: CorpusName; readonly folder: string; readonly documents: number };
export type Mirror = {
  readonly root: string;
  readonly key: string;
  /** The `sync` that filled it. */
  readonly clone: Finished;
};

export type Fixture = {
  readonly folder: string;
  readonly service: BenchService;
  /**
   * A path that was never used: on these disks creating files right after a large `rm -rf` is 2.5
   * times slower, so nothing is removed till the end.
   */
  fresh(label: string): string;
  /** The documents on disk; nobody writes there. */
  corpus(name: CorpusName): Promise<Corpus>;
  /** The key of a workspace that holds the corpus, and that nobody writes to. */
  filled(name: CorpusName): Promise<string>;
  /**
   * A mirror of a workspace of its own, in sync, with nothing left to fsync. Lines that change it
   * leave it in sync.
   */
  mirror(name: CorpusName): Promise<Mirror>;
  /** Runs `mdmirror …` as a user does: the package. */
  mdmirror(args: readonly string[], key: string): Promise<Finished>;
  bare(args: readonly string[]): Promise<Finished>;
  end(): Promise<void>;
};

export async function openFixture(say: (what: string) => void): Promise<Fixture> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mdmirror-bench-")));
  // The list of mirrors of whoever runs this is left alone.
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
    // The second one fsyncs what the first left; the third has nothing to do.
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

/** Made once for a name, also when it is asked for twice at a time; a failure is everybody's. */
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
 * Links a folder as `init` does, so that a `sync` alone can be timed.
 * @param links what it does with links between documents
 */
export function link(root: string, url: string, links = DEFAULT_CONFIG.links.mode): void {
  const { env } = process;
  const origin = unwrap(originOfUser({ url, env, allowHttp: [] })!);
  const request = {
    dir: root,
    config: { ...DEFAULT_CONFIG, url, links: { mode: links, wiki: false } },
    origin,
    random: systemRandom(),
  };
  unwrap(linkFolder({ ...request, env, name: null }, null));
}

/**
 * Takes the mirror's own folder out of a tree, so that the tree is as it was: a rename, nothing is
 * created nor removed.
 */
export function unlink(root: string, fixture: Fixture): void {
  renameSync(join(root, ".mdmirror"), fixture.fresh("spent"));
}

/** What a sync must know at least, as rows of a file: for the bare loop with nothing to do. */
export function writeRows(mirror: Mirror, path: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  const db = new Sqlite(path);
  db.exec(`ATTACH '${join(mirror.root, ".mdmirror/state.db")}' AS mirror;
    CREATE TABLE rows AS SELECT id, local_path, remote_path, change_id, digest, dev, ino, size, mtime_ms, ctime_ms FROM mirror.records;
    DETACH mirror;`);
  db.close();
}
