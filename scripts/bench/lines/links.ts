/**
 * What links between documents cost: clone, push and a sync with nothing to do of mirrors that
 * translate links against such that keep them. Where no text links, it must cost next to nothing.
 */
import { BOOK, corpusFault, isGenerated, LINKS_EACH, writeCorpus, writeLinked } from "../corpus.ts";
import { openEarlier } from "../earlier.ts";
import { CLI, type Fixture, link, unlink } from "../fixture.ts";
import type { Asked, Line } from "../line.ts";
import { atMost, floorRow, interleave, type Pairs, ratioRow, type Run } from "../pairs.ts";
import type { Row } from "../rows.ts";
import { tableOf } from "../table.ts";

/** One way to sync: this code in either mode, or another checkout of it. */
type Side = { readonly name: string; readonly cli: string; link(root: string, url: string): void };
type Texts = { readonly name: string; readonly size: string; readonly judged: boolean; write(folder: string): void };

/** LIMIT: a push of more of them takes minutes, and is no other ratio. */
const MOST_LINKED = 2_000;

/** The book holds texts that are longer than the service takes: those are held. */
const ENDS = { accept: [0, 3] };

export const LINKS: Line = {
  name: "links",
  about: "clone, push and no-op where links are translated against where they are kept, of texts with and without",
  sizes: (asked) => asked.filter((size) => size === "10000" || (asked.length === 1 && isGenerated(size))),
  seconds: (size, repeats) => (Number(size) / 1_000 + 10) * repeats * 3,
  async run(asked) {
    const rows: Row[] = [];
    for (const texts of textsOf(asked.size)) rows.push(...(await compareSides(asked, texts)));
    return rows;
  },
};

function textsOf(size: string): readonly Texts[] {
  const some = Math.min(Number(size), MOST_LINKED);
  const plain = { name: "texts without links", size, judged: true };
  const linked = { name: `${LINKS_EACH} links in each text`, size: String(some), judged: false };
  const book = { name: "a book", size: BOOK, judged: false };
  return [
    { ...plain, write: (folder) => writeCorpus(size, folder) },
    { ...linked, write: (folder) => writeLinked(some, folder) },
    ...(corpusFault(BOOK) === null ? [{ ...book, write: (folder: string) => writeCorpus(BOOK, folder) }] : []),
  ];
}

async function compareSides({ fixture, repeats, earlier, profile }: Asked, texts: Texts): Promise<Row[]> {
  const { name, size, judged, write } = texts;
  const [translate, keep] = [ours("translate"), ours("keep")];
  const before = earlier === null ? null : await openEarlier(earlier);
  const folder = fixture.fresh(`links-${size}`);
  write(folder);
  const rows: Row[] = [];
  const works = await openWorks(fixture, folder, before === null ? [translate, keep] : [translate, keep, before]);
  for (const [what, work] of Object.entries(works)) {
    const third = before === null ? null : () => work(before);
    try {
      const pairs = await interleave(
        repeats,
        () => work(translate),
        () => work(keep),
        third,
      );
      rows.push(...rowsOf({ what: `${what}, ${name}`, size, judged }, pairs));
    } catch (error) {
      // What the other works came to is told all the same.
      rows.push({ kind: "failed", line: LINKS.name, size, why: `${what}, ${name}: ${String(error)}` });
    }
    for (const line of tableOf(rows.slice(-2)).slice(1)) process.stderr.write(`…   ${line}\n`);
  }
  await profile(`links-${name.replaceAll(" ", "-")}`, (start) => works.clone(translate, start));
  return rows;
}

type Judged = { readonly what: string; readonly size: string; readonly judged: boolean };

function rowsOf({ what, size, judged }: Judged, pairs: Pairs): Row[] {
  const bound = judged ? atMost(1.05, null) : null;
  const kept = ratioRow({ line: "links", what: `${what}: translate / keep`, size, bound }, pairs);
  if (pairs.floor.length === 0) return [kept];
  return [kept, floorRow({ line: "links", what: `${what}: translate / earlier`, size, bound }, pairs)];
}

function ours(mode: "translate" | "keep"): Side {
  return { name: mode, cli: CLI, link: (root, url) => link(root, url, mode) };
}

type Start = Parameters<Fixture["mdmirror"]>[2];
type Works = Readonly<Record<"push" | "clone" | "nothing to do", (side: Side, start?: Start) => Promise<Run>>>;

/** A workspace that holds the documents by id, and for each side a mirror that is in sync with it. */
async function openWorks(fixture: Fixture, folder: string, sides: readonly Side[]): Promise<Works> {
  const { service, fresh } = fixture;
  const sync = ({ cli }: Side, root: string, key: string, start: Start = {}): Promise<Run> =>
    fixture.mdmirror(["sync", "--quiet", root], key, { ...start, ...ENDS }, cli);
  const push = async (side: Side, key: string, start?: Start): Promise<Run> => {
    side.link(folder, service.url);
    try {
      return await sync(side, folder, key, start);
    } finally {
      unlink(folder, fixture);
    }
  };
  const filled = await service.newWorkspace("links-filled");
  await push(sides[0]!, filled);
  const cloneInto = (side: Side, root: string, start?: Start): Promise<Run> => {
    side.link(root, service.url);
    return sync(side, root, filled, start);
  };
  const roots = new Map<Side, string>();
  for (const side of sides) {
    const root = fresh(`links-${side.name}`);
    roots.set(side, root);
    await cloneInto(side, root);
    // The second one fsyncs what the first left; from then on there is nothing to do.
    await sync(side, root, filled);
  }
  return {
    push: async (side, start) => push(side, await service.newWorkspace(`links-${side.name}`), start),
    clone: (side, start) => cloneInto(side, fresh(`links-clone-${side.name}`), start),
    "nothing to do": (side, start) => sync(side, roots.get(side)!, filled, start),
  };
}
