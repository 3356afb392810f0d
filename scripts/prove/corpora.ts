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
  type Ground,
  line,
  localTree,
  openGround,
  readHolds,
  readLinks,
  remoteTree,
  run,
} from "./ground.ts";

const ARCHIVES = [
  ["rust-book", "rust-book.tar.gz"],
  ["tldr", "tldr.tar.xz"],
] as const;

export async function proveCorpora(): Promise<void> {
  for (const [name, archive] of ARCHIVES) {
    if (!existsSync(join(CORPORA, archive))) {
      console.log(`skip  ${name}: ${archive} is not beside the checkout`);
      continue;
    }
    await proveClone(name, archive);
    await provePush(name, archive);
  }
}

function unpack(ground: Ground, archive: string): string {
  const to = join(ground.folder, "corpus");
  mkdirSync(to, { recursive: true });
  execFileSync("tar", ["xf", join(CORPORA, archive), "-C", to]);
  return to;
}

async function proveClone(name: string, archive: string): Promise<void> {
  const ground = await openGround();
  const report = await importFolder(ground.data, join(unpack(ground, archive), name), () => undefined);
  const notes = join(ground.folder, "notes");
  const clone = await run(ground, ["init", notes, "--url", ground.server.url, "--yes"]);
  const differing = differences(localTree(notes), remoteTree(ground));
  line(
    `clone of ${name}`,
    `${report.files} documents in ${(clone.ms / 1000).toFixed(1)} s, exit ${clone.code}, ${differing.length} differ`,
    clone.code === 0 && differing.length === 0,
  );
  await proveQuiet(ground, notes, name);
  await ground.end();
}

async function proveQuiet(ground: Ground, notes: string, name: string): Promise<void> {
  ground.writes.length = 0;
  const before = localTree(notes);
  const second = await run(ground, ["sync", notes, "--json"]);
  const after = localTree(notes);
  const rewritten =
    [...after].filter(([path, text]) => before.get(path) !== text).length + Math.abs(before.size - after.size);
  line(
    `  a second sync of ${name}`,
    `${ground.writes.length} writes to the service, ${rewritten} to the disk, ${(second.ms / 1000).toFixed(1)} s`,
    ground.writes.length === 0 && rewritten === 0 && second.code !== null && second.code !== 1,
  );
}

async function provePush(name: string, archive: string): Promise<void> {
  const ground = await openGround();
  const notes = join(unpack(ground, archive), name);
  const local = localTree(notes);
  const push = await run(ground, ["init", notes, "--url", ground.server.url, "--yes"]);
  const links = readLinks(notes);
  const remote = remoteTree(ground);
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
    `${local.size} local documents: ${links.size} linked (${mapped} under another name), ${held.size} held (${[...reasons].map(([reason, n]) => `${n} ${reason}`).join(", ") || "none"}), ${dropped.length} dropped, ${wrong} with another text, ${(push.ms / 1000).toFixed(1)} s, exit ${push.code}`,
    dropped.length === 0 && wrong === 0 && remote.size === links.size,
  );
  await proveQuiet(ground, notes, name);
  await ground.end();
}
