/**
 * The number of requests for each action of a user, counted at the service for whole processes. A
 * hosted service charges for requests and limits them.
 */
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isGenerated, PER_AREA, pathsOf } from "../corpus.ts";
import { figureRow, type Row } from "../rows.ts";
import type { Fixture, Mirror } from "../fixture.ts";
import { atMost, type Line } from "../line.ts";
import type { Counted } from "../service.ts";

type Act = {
  readonly what: string;
  /** Requests in addition to those of a sync with nothing to do. */
  readonly beside: number;
  do(mirror: Mirror, paths: readonly string[]): void;
};

/** LIMIT: documents and folders that the actions create. */
const MADE_HERE = 20;

const newText = (name: string) => `# ${name}\n\nWritten here.\n`;

/**
 * Actions in this order: each leaves the folder in sync, and changes nothing that another one
 * needs.
 */
const ACTS: readonly Act[] = [
  { what: "nothing to do", beside: 0, do: () => undefined },
  { what: "one edit", beside: 1, do: ({ root }, paths) => appendFileSync(join(root, paths[0]!), "Edited.\n") },
  {
    what: "ten edits",
    beside: 10,
    do: ({ root }, paths) => {
      for (const path of paths.slice(20, 30)) appendFileSync(join(root, path), "Edited.\n");
    },
  },
  {
    what: "one new document",
    beside: 1,
    do: ({ root }) => writeFileSync(join(root, "area-0/topic-0/new.md"), newText("New")),
  },
  {
    what: "ten new documents",
    beside: 10,
    do: ({ root }) => {
      for (let n = 0; n < 10; n++) writeFileSync(join(root, `area-0/topic-1/new-${n}.md`), newText(`New ${n}`));
    },
  },
  {
    what: "a new folder with one document",
    beside: 2,
    do: ({ root }) => {
      mkdirSync(join(root, "area-0/made"));
      writeFileSync(join(root, "area-0/made/first.md"), newText("First"));
    },
  },
  {
    what: "one document renamed",
    beside: 1,
    do: ({ root }, paths) => renameSync(join(root, paths[40]!), join(root, "area-0/topic-2/renamed.md")),
  },
  {
    what: "one document moved",
    beside: 1,
    do: ({ root }, paths) => renameSync(join(root, paths[60]!), join(root, "area-0/topic-4/note-60.md")),
  },
  {
    what: "one document moved to the root",
    beside: 1,
    do: ({ root }, paths) => renameSync(join(root, paths[61]!), join(root, "note-61.md")),
  },
  {
    what: "a folder of 20 renamed",
    beside: 1,
    do: ({ root }) => renameSync(join(root, "area-0/topic-10"), join(root, "area-0/renamed-10")),
  },
  {
    what: "a folder of 20 moved",
    beside: 1,
    do: ({ root }) => renameSync(join(root, "area-0/topic-11"), join(root, "area-0/topic-12/topic-11")),
  },
  {
    what: `a folder of ${PER_AREA} renamed`,
    beside: 1,
    do: ({ root }) => renameSync(join(root, "area-0"), join(root, "renamed")),
  },
  {
    what: `a folder of ${PER_AREA} renamed back`,
    beside: 1,
    do: ({ root }) => renameSync(join(root, "renamed"), join(root, "area-0")),
  },
  { what: "one document deleted", beside: 2, do: ({ root }, paths) => rmSync(join(root, paths[80]!)) },
];

const listOf = (byRoute: Counted["byRoute"]): string =>
  Object.entries(byRoute)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([route, count]) => `${count} ${route}`)
    .join(", ");

/**
 * Returns the number of list requests: pages of 1,000 documents, with those that the actions
 * create, and of folders.
 */
function listsAt(documents: number): number {
  const folders = documents / 20 + documents / PER_AREA;
  return Math.ceil((documents + MADE_HERE) / 1_000) + Math.ceil((folders + MADE_HERE) / 1_000);
}

export const REQUESTS: Line = {
  name: "requests",
  about: "requests of a sync, counted at the service: of nothing to do, an edit, a new document, a rename …",
  sizes: (asked) => asked.filter((size) => size === "10000" || (asked.length === 1 && isGenerated(size))),
  seconds: (size) => 5 + ACTS.length * (0.5 + Number(size) * 0.000_05),
  async run({ fixture, size }) {
    const mirror = await fixture.mirror(size);
    const paths = pathsOf(Number(size));
    await learnTexts(fixture, mirror);
    const rows: Row[] = [];
    for (const act of ACTS) {
      act.do(mirror, paths);
      const { asked } = await fixture.mdmirror(["sync", "--quiet", mirror.root], mirror.key);
      const row = { line: "requests", what: `requests: ${act.what}`, size, unit: "requests" } as const;
      const most = listsAt(Number(size)) + act.beside;
      const more = { bound: atMost(most, null), note: listOf(asked!.byRoute), requests: asked!.requests };
      rows.push(figureRow({ ...row, ...more }, [asked!.requests]));
    }
    return rows;
  },
};

/**
 * Creates the first documents, which a new linked folder reads back, so that later ones are not.
 */
async function learnTexts(fixture: Fixture, { root, key }: Mirror): Promise<void> {
  for (let n = 0; n < 3; n++) writeFileSync(join(root, `area-0/topic-3/first-${n}.md`), newText(`First ${n}`));
  await fixture.mdmirror(["sync", "--quiet", root], key);
}
