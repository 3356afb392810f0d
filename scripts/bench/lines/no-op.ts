/**
 * A whole `sync --quiet` with nothing to do. The bare loop loads rows, scans with lstat, and lists
 * pages of 1,000.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { isGenerated, pathsOf } from "../corpus.ts";
import { writeRows } from "../fixture.ts";
import type { Line } from "../line.ts";
import { atMost, interleave, ratioRow } from "../pairs.ts";

export const NO_OP: Line = {
  name: "no-op",
  about: "sync with nothing to do, whole process, against load rows + walk with lstat + list pages of 1,000",
  sizes: (asked) => asked,
  seconds: (size, repeats) => 3 + (Number(size) || 6_000) * repeats * 0.000_04,
  async run({ fixture, size, repeats }) {
    const mirror = await fixture.mirror(size);
    const { url } = fixture.service;
    const rows = fixture.fresh(`rows-${size}.db`);
    writeRows(mirror, rows);
    const ours = () => fixture.mdmirror(["sync", "--quiet", mirror.root], mirror.key);
    const other = () => fixture.bare(["no-op", mirror.root, url, mirror.key, rows]);
    // Warms the file caches for both sides.
    await ours();
    await other();
    const pairs = await interleave(repeats, ours, other);
    const bound = size === "10000" ? atMost(1.3, 1) : size === "100000" ? atMost(1.5, 1.3) : null;
    const what = "sync with nothing to do";
    return [ratioRow({ line: "no-op", what: `${what} / bare loop`, size, bound }, pairs)];
  },
};

/** A sync from cron after a user's edit of one file. */
export const ONE_EDIT: Line = {
  name: "one-edit",
  about: "sync with one file changed against sync with nothing to do, both ours",
  sizes: (asked) => asked.filter((size) => size === "10000" || (asked.length === 1 && isGenerated(size))),
  seconds: (size, repeats) => 3 + Number(size) * repeats * 0.000_1,
  async run({ fixture, size, repeats }) {
    const mirror = await fixture.mirror(size);
    const paths = pathsOf(Number(size));
    const quiet = () => fixture.mdmirror(["sync", "--quiet", mirror.root], mirror.key);
    const edited = (turn: number) => {
      appendFileSync(join(mirror.root, paths[(turn * 97) % paths.length]!), `Edited in turn ${turn}.\n`);
      return quiet();
    };
    await quiet();
    const pairs = await interleave(repeats, edited, quiet);
    const bound = size === "10000" ? atMost(1.3, 1.2) : null;
    return [ratioRow({ line: "one-edit", what: "one file changed / nothing to do", size, bound }, pairs)];
  },
};
