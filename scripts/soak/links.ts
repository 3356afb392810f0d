/**
 * `npm run soak -- links [book|generated …] [--only-folders N] [--json FILE]`: no move breaks a
 * link. A real book, and a generated folder that links in every way, are pushed to `mdmirror serve
 * --links resolve`; each folder is renamed, on disk and on the service, then every third document;
 * after each, `mdmirror links check` and the checker of scripts/compare-links.ts resolve every link
 * on both sides. One line a claim; exit 1 when one does not hold. Real processes throughout.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { compareLinks, type Parsed } from "../compare-links.ts";
import { saveResult } from "../results.ts";
import { writeLinkedCorpus } from "./linked-corpus.ts";
import { type LinkedFixture, mdmirror, openLinkedFixture } from "./linked-fixture.ts";
import { CORPORA, failed, line, localTree, ROOT } from "./sync-fixture.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "only-folders": { type: "string" }, json: { type: "string" } },
});
const mostFolders = Number(values["only-folders"] ?? Number.POSITIVE_INFINITY);

/** What a corpus came to, in numbers. */
type Figures = {
  readonly corpus: string;
  readonly documents: number;
  readonly byId: number;
  readonly folders: number;
  readonly moved: number;
  readonly respelled: number;
  readonly broken: number;
  /** Pictures that what shows them was moved away from: they are no documents. */
  readonly pictures: number;
  readonly seconds: number;
};

type Corpus = { readonly name: string; write(folder: string): void };

const BOOK: Corpus = {
  name: "book",
  write(folder) {
    const archive = join(CORPORA, "rust-book.tar.gz");
    mkdirSync(folder, { recursive: true });
    if (existsSync(archive)) execFileSync("tar", ["xf", archive, "-C", folder, "--strip-components=1"]);
    else execFileSync("cp", ["-r", `${ROOT}/test/fixtures/rust-book/.`, folder]);
  },
};
const GENERATED: Corpus = { name: "generated", write: (folder) => void writeLinkedCorpus(folder) };

/** One mirror, and what is known of it so far. */
class Proof {
  readonly #fixture: LinkedFixture;
  readonly #name: string;
  readonly notes: string;
  /** Links that led nowhere as the folder came, by the checker of ours and by the other. */
  #lost = 0;
  /** Of a sync: 3 where a text of the corpus is longer than the service takes. */
  #exit: number | null = 0;
  #byId = 0;
  readonly #parsed: Parsed = new Map();
  respelled = 0;
  broken = 0;
  pictures = 0;

  constructor(fixture: LinkedFixture, name: string) {
    this.#fixture = fixture;
    this.#name = name;
    this.notes = join(fixture.folder, "notes");
  }

  say(what: string, figure: string, good: boolean): void {
    line(`${this.#name}: ${what}`, figure, good);
  }

  async push(): Promise<{ documents: number; byId: number }> {
    const { run, url } = this.#fixture;
    const pushed = await run(mdmirror("init", this.notes, "--url", url, "--yes"));
    const second = await run(mdmirror("sync", this.notes, "--json"));
    const { counts, broken } = await this.#compare();
    this.#lost = await this.#checked();
    this.#byId = counts.byId;
    this.#exit = /too-large/.test(second.out) ? 3 : 0;
    const said = /links.*by id/.test(pushed.out) || pushed.out.includes("translate");
    this.say(
      "pushed by path, held by id",
      `${counts.documents} documents, ${counts.byId} links by id, ${counts.inert} inert, ${this.#lost} lead nowhere as written, ${broken.length} broken, exit ${pushed.code} and ${second.code}, ${(pushed.ms / 1000).toFixed(1)} s`,
      broken.length === 0 && pushed.code === this.#exit && second.code === this.#exit && said && counts.byId > 100,
    );
    return counts;
  }

  #compare() {
    return compareLinks({ root: this.notes, url: this.#fixture.url, key: this.#fixture.key }, this.#parsed);
  }

  /**
   * How many links lead nowhere, as `mdmirror links check` says. Pictures, which are no documents
   * and stay where they were when what shows them is moved, are counted apart.
   */
  async #checked(): Promise<number> {
    const ran = await this.#fixture.run(mdmirror("links", "check", this.notes, "--json"));
    const { broken } = JSON.parse(ran.out) as { broken: readonly { readonly destination: string }[] };
    const lost = broken.filter(({ destination }) => !/\.(?:png|svg|jpe?g)$/.test(destination)).length;
    this.pictures = broken.length - lost;
    return lost;
  }

  /** After some moves: a sync that sends no text, and no link that leads elsewhere. */
  async settle(what: string, before: ReadonlyMap<string, string>): Promise<void> {
    const ran = await this.#fixture.run(mdmirror("sync", this.notes, "--json"));
    const report = JSON.parse(ran.out.trim().split("\n").at(-1)!) as { counts: Record<string, number> };
    const { counts, broken } = await this.#compare();
    const lost = (await this.#checked()) - this.#lost;
    const after = await this.versions();
    const edited = [...before].filter(([id, version]) => after.get(id) !== version).length;
    this.respelled += report.counts["respelled"] ?? 0;
    this.broken += broken.length + Math.max(0, lost);
    const same = counts.byId === this.#byId && counts.elsewhere === 0;
    const good = ran.code === this.#exit && broken.length === 0 && lost <= 0 && edited === 0 && same;
    if (good) return;
    const first = broken[0] ?? ran.out.trim().slice(0, 300);
    const told = `${counts.byId} of ${this.#byId} links by id, ${broken.length} and ${lost} broken, ${edited} texts sent, exit ${ran.code}: ${first}`;
    this.say(what, told, false);
  }

  /** Id → version of every document: a text that was sent has another. */
  async versions(): Promise<Map<string, string>> {
    return new Map((await this.#fixture.list("files")).map(({ id, lastChangeId }) => [id, lastChangeId!]));
  }
}

function foldersBelow(root: string, below = ""): string[] {
  return readdirSync(join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (!entry.isDirectory() || entry.name.startsWith(".")) return [];
    return [...foldersBelow(root, path), path];
  });
}

/** Deepest first, so that each is where it was when its turn comes. */
async function renameHere(proof: Proof): Promise<number> {
  const folders = foldersBelow(proof.notes).filter((path) => holdsDocuments(join(proof.notes, path)));
  for (const path of folders.slice(0, mostFolders)) {
    const before = await proof.versions();
    renameSync(join(proof.notes, path), join(proof.notes, dirname(path), `${basename(path)} here`));
    await proof.settle(`${path} is renamed here`, before);
  }
  return Math.min(folders.length, mostFolders);
}

function holdsDocuments(folder: string): boolean {
  return localTree(folder).size > 0;
}

async function renameThere(fixture: LinkedFixture, proof: Proof): Promise<number> {
  const folders = (await fixture.list("folders")).toSorted(
    (a, b) => b.path.split("/").length - a.path.split("/").length,
  );
  for (const { id, path } of folders.slice(0, mostFolders)) {
    const before = await proof.versions();
    await fixture.ask("PATCH", `/v1/folders/${id}`, { name: `${basename(path)}-there` });
    await proof.settle(`${path} is renamed there`, before);
  }
  return Math.min(folders.length, mostFolders);
}

/** Every third document goes into a folder of its own, here; every third of the others, there. */
async function moveDocuments(fixture: LinkedFixture, proof: Proof): Promise<number> {
  const here = [...localTree(proof.notes).keys()].filter((_, n) => n % 3 === 0);
  const before = await proof.versions();
  mkdirSync(join(proof.notes, "one shelf/of many"), { recursive: true });
  for (const [n, path] of here.entries())
    renameSync(join(proof.notes, path), join(proof.notes, `one shelf/of many/${n} ${basename(path)}`));
  await proof.settle(`${here.length} documents are moved here`, before);
  const between = await proof.versions();
  const files = (await fixture.list("files")).filter(({ path }, n) => n % 3 === 1 && !path.startsWith("/one-shelf/"));
  const made = (await fixture.ask("POST", "/v1/folders", { path: "far/away" })) as { id: string };
  for (const [n, { id, path }] of files.entries()) {
    await fixture.ask("PATCH", `/v1/files/${id}`, { name: `${n}-${basename(path)}` });
    await fixture.ask("PATCH", `/v1/files/${id}`, { parentId: made.id });
  }
  await proof.settle(`${files.length} documents are moved there`, between);
  return here.length + files.length;
}

async function prove({ name, write }: Corpus): Promise<Figures> {
  const began = performance.now();
  const fixture = await openLinkedFixture();
  try {
    const proof = new Proof(fixture, name);
    write(proof.notes);
    const { documents, byId } = await proof.push();
    const folders = (await renameHere(proof)) + (await renameThere(fixture, proof));
    const moved = await moveDocuments(fixture, proof);
    const { respelled, broken, pictures } = proof;
    proof.say(
      "folders renamed one by one and documents moved, on both sides",
      `${folders} renames, ${moved} moves, ${respelled} files respelled, no text sent, ${broken} links broken, ${pictures} pictures left behind`,
      broken === 0 && respelled > 0,
    );
    await proveClone(fixture, proof, name);
    const seconds = Math.round((performance.now() - began) / 1000);
    return { corpus: name, documents, byId, folders, moved, respelled, broken, pictures, seconds };
  } finally {
    await fixture.end();
  }
}

/** A second mirror of the workspace: its links lead home too, and a sync of it has nothing to do. */
async function proveClone(fixture: LinkedFixture, proof: Proof, name: string): Promise<void> {
  const { folder, url, key, run } = fixture;
  const clone = join(folder, "clone");
  const before = await proof.versions();
  const made = await run(mdmirror("init", clone, "--url", url, "--yes"));
  const again = await run(mdmirror("sync", clone, "--json"));
  const { counts, broken } = await compareLinks({ root: clone, url, key });
  const after = await proof.versions();
  const sent = [...before].filter(([id, version]) => after.get(id) !== version).length;
  const config = readFileSync(join(clone, ".mdmirror/config.json"), "utf8");
  line(
    `${name}: a clone of it`,
    `${counts.byPath} links by path, ${broken.length} broken, ${sent} texts sent, exit ${made.code} and ${again.code}`,
    broken.length === 0 && sent === 0 && made.code === 0 && again.code === 0 && config.includes("translate"),
  );
}

const wanted = [BOOK, GENERATED].filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const figures: Figures[] = [];
for (const corpus of wanted) figures.push(await prove(corpus));
saveResult(values.json, { corpora: figures });
console.log(failed() === 0 ? "all hold" : `${failed()} do not hold`);
process.exit(failed() === 0 ? 0 : 1);
