import { link, unlink, writeRows } from "../fixture.ts";
import { atMost, interleave, type Line, onceIfLarge, ratioRow } from "../line.ts";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { isGenerated, pathsOf } from "../corpus.ts";

/**
 * Clone and push of all documents. The bare loops do list + GET + write + rename, and scan + read +
 * POST.
 */

/**
 * Number of documents that a new linked folder reads back: `readBacksLeft` in
 * src/mirror/model/text-form.ts.
 */
const VERIFIED = 3;

const everySize = (asked: readonly string[]) => asked;
const thousands = (size: string) => (/^\d+$/.test(size) ? Number(size) / 1_000 : 6);

const isJudged = (size: string) => size === "10000";

export const CLONE: Line = {
  name: "clone",
  about: "clone against list + GET + write + rename, 32 at a time",
  sizes: everySize,
  seconds: (size, repeats) => thousands(size) * repeats * 0.8,
  async run({ fixture, size, repeats }) {
    const key = await fixture.filled(size);
    const { url } = fixture.service;
    const ours = () => {
      const root = fixture.fresh(`clone-${size}`);
      link(root, url);
      return fixture.mdmirror(["sync", "--quiet", root], key);
    };
    const other = () => fixture.bare(["clone", fixture.fresh(`bare-clone-${size}`), url, key]);
    const pairs = await interleave(repeats, ours, other);
    const bound = isJudged(size) ? atMost(1.8, 1.5) : null;
    return [ratioRow({ line: "clone", what: "clone / bare loop", size, bound }, pairs)];
  },
};

export const PUSH: Line = {
  name: "push",
  about: `push of new documents against walk + read + POST, the first ${VERIFIED} read back on both sides`,
  sizes: everySize,
  seconds: (size, repeats) => thousands(size) * onceIfLarge(size, repeats) * 1.5,
  async run({ fixture, size, repeats }) {
    const { folder } = await fixture.corpus(size);
    const { url } = fixture.service;
    const ours = async () => {
      const key = await fixture.service.newWorkspace(`push-${size}`);
      link(folder, url);
      try {
        return await fixture.mdmirror(["sync", "--quiet", folder], key);
      } finally {
        unlink(folder, fixture);
      }
    };
    const other = async () => {
      const key = await fixture.service.newWorkspace(`bare-push-${size}`);
      return fixture.bare(["push", folder, url, key, String(VERIFIED)]);
    };
    const pairs = await interleave(onceIfLarge(size, repeats), ours, other);
    const bound = isJudged(size) ? atMost(1.8, 1.5) : null;
    return [ratioRow({ line: "push", what: "push / bare loop", size, bound }, pairs)];
  },
};

/**
 * A whole `sync --quiet` with nothing to do. The bare loop loads rows, scans with lstat, and lists
 * pages of 1,000.
 */
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
