import { posix } from "node:path";
import { expect, test } from "vitest";
import { destinationsOf } from "../../links/markdown.ts";
import { fc, runs } from "../../property.ts";
import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

const numRuns = runs(25);

const name = fc.constantFrom("a", "b c", "é", "字", "p%20q", "h#i", "x)(y", "w");
const path = fc
  .tuple(fc.array(name, { maxLength: 2 }), name)
  .map(([folders, last]) => [...folders, `${last}.md`].join("/"));

/** Ways in which people write a link to a path. `n` makes each link unique in its document. */
const spelling = fc.constantFrom<(to: string, n: number) => string>(
  (to) => `[t](${encoded(to)})`,
  (to) => `[t](<${to.replaceAll(/[%#]/g, encodeURIComponent)}> "title")`,
  (to, n) => `[t][r${n}]\n\n[r${n}]: ./${encoded(to)}#part 'title'`,
  (to) => `| a |\n| - |\n| [t](${encoded(to)}?q#f) |`,
  (to) => `![t](${encoded(to)}) and \`[code](no.md)\``,
);

function encoded(to: string): string {
  return encodeURI(to).replaceAll(/[#()]/g, (one) => (one === "#" ? "%23" : one === "(" ? "%28" : "%29"));
}

type Links = readonly {
  readonly from: number;
  readonly to: number;
  readonly spell: (to: string, n: number) => string;
}[];

const move = fc.record({
  side: fc.constantFrom("here", "there"),
  kind: fc.constantFrom("file", "file", "folder", "exchange"),
  which: fc.nat(20),
  other: fc.nat(20),
  name,
});

const life = fc
  .uniqueArray(path, { minLength: 2, maxLength: 7, selector: (one) => one.toLowerCase() })
  .chain((paths) => {
    const n = fc.nat(paths.length - 1);
    const links = fc.array(fc.record({ from: n, to: n, spell: spelling }), { minLength: 1, maxLength: 12 });
    return fc.record({ paths: fc.constant(paths), links, moves: fc.array(move, { minLength: 1, maxLength: 6 }) });
  });

test("after any moves, local and on the service, each link leads to its target, and no content is sent", async () => {
  await fc.assert(
    fc.asyncProperty(life, async ({ paths, links, moves }) => {
      const rig = createRig(1, { checksLinks: true });
      const mirror = rig.mirror({ links: true });
      const written = write(mirror, paths, links);
      await mirror.syncTimes(2);
      expect(mirror.texts()).toEqual(written);
      const led = localTargets(mirror);
      expect(remoteTargets(rig)).toEqual(led);
      mirror.requests.length = 0;
      for (const one of moves) one.side === "here" ? moveLocally(mirror, one) : moveOnService(rig, one);
      await mirror.syncTimes(4);
      expect(localTargets(mirror)).toEqual(led);
      expect(remoteTargets(rig)).toEqual(led);
      expect(mirror.requests.filter((request) => /^(?:PUT|DELETE|POST)/.test(request))).toEqual([]);
    }),
    { numRuns },
  );
});

test("a linked folder whose state was lost takes every text for what it is, and writes nothing (I05, I25)", async () => {
  await fc.assert(
    fc.asyncProperty(life, async ({ paths, links }) => {
      const rig = createRig(1, { checksLinks: true });
      const mirror = rig.mirror({ links: true });
      const written = write(mirror, paths, links);
      await mirror.sync();
      const again = rig.mirror({
        links: true,
        fill: ({ user }) => {
          for (const [at, text] of written) {
            user.makeFolder(posix.dirname(mirror.path(at)));
            user.write(mirror.path(at), text);
          }
        },
      });
      const report = await again.sync();
      expect(report).toMatchObject({ counts: { uploaded: 0, downloaded: 0, createdRemote: 0, conflicts: 0 } });
      expect(again.texts()).toEqual(written);
    }),
    { numRuns: Math.ceil(numRuns / 3) },
  );
});

/** Writes documents that begin with a number, by which the test recognizes them at any path. */
function write(mirror: Mirror, paths: readonly string[], links: Links): Map<string, string> {
  const written = new Map<string, string>();
  for (const [n, at] of paths.entries()) {
    const own = links.filter(({ from }) => from === n);
    const lines = own.map(({ to, spell }, index) => spell(posix.relative(posix.dirname(at), paths[to]!), index));
    written.set(at, [`# ${n}`, ...lines, `the words of ${n}\n`].join("\n\n"));
  }
  for (const [at, text] of written) mirror.write(at, text);
  return written;
}

/**
 * Returns the numbers of the documents to which each local document links, by its own number. null:
 * a link without a target.
 */
function localTargets(mirror: Mirror): Map<string, (string | null)[]> {
  const texts = mirror.texts();
  return targets(texts, (from, said) => texts.get(posix.join(posix.dirname(from), decodeURIComponent(said))) ?? null);
}

function remoteTargets({ app }: Rig): Map<string, (string | null)[]> {
  const files = [...app.files().values()];
  const byId = new Map(files.map(({ id, text }) => [id as string, text]));
  return targets(new Map(files.map((file) => [file.path, file.text])), (_from, said) => byId.get(said) ?? null);
}

function targets(texts: ReadonlyMap<string, string>, find: (from: string, said: string) => string | null) {
  const led = Array.from(texts, ([from, text]): [string, (string | null)[]] => {
    const said = destinationsOf(text).map(([start, end]) => text.slice(start, end).replace(/[?#].*/, ""));
    return [numberOf(text)!, said.map((to) => numberOf(find(from, to) ?? ""))];
  });
  return new Map(led.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function numberOf(text: string): string | null {
  return /^# (\d+)\n/.exec(text)?.[1] ?? null;
}

type Move = { readonly kind: string; readonly which: number; readonly other: number; readonly name: string };

function moveLocally(mirror: Mirror, { kind, which, other, name: to }: Move): void {
  const { user } = mirror.disk;
  const paths = [...mirror.texts().keys()];
  const folders = user.folders(mirror.path("").slice(0, -1)).filter((one) => !one.startsWith("."));
  mirror.disk.advance(10);
  const [one, two] = [paths[which % paths.length]!, paths[other % paths.length]!];
  if (kind === "exchange") {
    if (one === two) return;
    mirror.rename(one, "aside.tmp");
    mirror.rename(two, one);
    mirror.rename("aside.tmp", two);
    return;
  }
  const from = kind === "folder" ? folders[which % folders.length] : one;
  if (from === undefined) return;
  const into = [...folders, ""][other % (folders.length + 1)]!;
  const target = posix.join(into, kind === "folder" ? to : `${to}.md`);
  if (`${target}/`.startsWith(`${from}/`) || user.exists(mirror.path(target))) return;
  mirror.rename(from, target);
}

/** Moves documents on the service. Moves that the service refuses are skipped. */
function moveOnService({ app }: Rig, { kind, which, other, name: to }: Move): void {
  const paths = [...app.files().keys()];
  const folders = app.folders();
  const at = <T>(all: readonly T[], n: number) => all[n % all.length]!;
  const legal = to.replaceAll(/[ #]/g, "-");
  try {
    if (kind === "folder" && folders.length > 0) app.renameFolder(at(folders, which), legal);
    else if (kind === "file") app.move(at(paths, which), at([null, ...folders], other));
    else app.rename(at(paths, which), `${legal}.md`);
  } catch (error) {
    if (!(error instanceof Error && /\b4\d\d\b/.test(error.message))) throw error;
  }
}
