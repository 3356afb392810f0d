/**
 * Both corpora, each way: cloned from a service that imported them, and pushed from a folder that
 * holds them.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { importFolder } from "../../src/server/import.ts";
import {
  CORPORA,
  differences,
  type Fixture,
  line,
  localTree,
  openFixture,
  readHolds,
  readLinks,
  remoteTree,
  runToEnd,
  savedTree,
} from "./sync-fixture.ts";

const ARCHIVES = [
  ["rust-book", "rust-book.tar.gz", 480],
  ["tldr", "tldr.tar.xz", 38_000],
] as const;

type Corpus = (typeof ARCHIVES)[number];

/**
 * @param name undefined: all of them
 * @throws for a name that is none, with those that are
 */
export function corporaNamed(name: string | undefined): readonly Corpus[] {
  const found = ARCHIVES.filter(([each]) => name === undefined || each === name);
  if (found.length > 0) return found;
  throw new Error(`there is no corpus ${name}: ${ARCHIVES.map(([each]) => each).join(", ")}`);
}

export async function proveCorpora(corpora: readonly Corpus[]): Promise<void> {
  for (const corpus of corpora) {
    const [name, archive] = corpus;
    if (!existsSync(join(CORPORA, archive))) {
      console.log(`skip  ${name}: ${archive} is not beside the checkout`);
      continue;
    }
    await proveClone(corpus);
    await provePush(corpus);
  }
}

function unpack(fixture: Fixture, archive: string): string {
  const to = join(fixture.folder, "corpus");
  mkdirSync(to, { recursive: true });
  execFileSync("tar", ["xf", join(CORPORA, archive), "-C", to]);
  return to;
}

async function proveClone([name, archive, documents]: Corpus): Promise<void> {
  const fixture = await openFixture({}, undefined, documents);
  const report = await importFolder(fixture.data, join(unpack(fixture, archive), name), () => undefined);
  const notes = join(fixture.folder, "notes");
  const clone = await runToEnd(fixture, ["init", notes, "--url", fixture.server.url, "--yes"]);
  const differing = differences(localTree(notes), await remoteTree(fixture));
  line(
    `clone of ${name}`,
    `${report.files} documents in ${(clone.ms / 1000).toFixed(1)} s${withKeys(clone)}, exit ${clone.code}, ${differing.length} differ`,
    clone.code === 0 && differing.length === 0,
  );
  await proveQuiet(fixture, notes, name);
  await fixture.end();
}

function withKeys({ keys }: { readonly keys: number }): string {
  return keys === 1 ? "" : ` with ${keys} keys`;
}

async function proveQuiet(fixture: Fixture, notes: string, name: string): Promise<void> {
  fixture.writes.length = 0;
  const before = localTree(notes);
  const second = await runToEnd(fixture, ["sync", notes, "--json"]);
  const after = localTree(notes);
  const rewritten =
    [...after].filter(([path, text]) => before.get(path) !== text).length + Math.abs(before.size - after.size);
  line(
    `  a second sync of ${name}`,
    `${fixture.writes.length} writes to the service, ${rewritten} to the disk, ${(second.ms / 1000).toFixed(1)} s`,
    fixture.writes.length === 0 && rewritten === 0 && second.code !== null && second.code !== 1,
  );
}

async function provePush([name, archive, documents]: Corpus): Promise<void> {
  const fixture = await openFixture({}, undefined, documents);
  const notes = join(unpack(fixture, archive), name);
  const local = savedTree(notes);
  const push = await runToEnd(fixture, ["init", notes, "--url", fixture.server.url, "--yes"]);
  const links = readLinks(notes);
  const remote = await remoteTree(fixture);
  const mapped = [...links].filter(([from, to]) => from !== to).length;
  const wrong = [...links].filter(([from, to]) => remote.get(to)?.digest !== local.get(from)).length;
  const held = readHolds(notes);
  const dropped = [...local.keys()].filter((path) => !links.has(path) && !held.has(path));
  const reasons = [...held.values()].reduce(
    (counts, reason) => counts.set(reason, (counts.get(reason) ?? 0) + 1),
    new Map<string, number>(),
  );
  line(
    `push of ${name}`,
    `${local.size} local documents: ${links.size} linked (${mapped} under another name), ${held.size} held (${[...reasons].map(([reason, n]) => `${n} ${reason}`).join(", ") || "none"}), ${dropped.length} dropped, ${wrong} with another text, ${(push.ms / 1000).toFixed(1)} s${withKeys(push)}, exit ${push.code}`,
    dropped.length === 0 && wrong === 0 && remote.size === links.size,
  );
  await proveQuiet(fixture, notes, name);
  await fixture.end();
}
