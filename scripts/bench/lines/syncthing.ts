/**
 * A clone and one changed file against two Syncthing instances: from disk to disk, as we are from
 * service to disk.
 */
import { appendFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isGenerated, pathsOf } from "../corpus.ts";
import { link } from "../fixture.ts";
import type { Line } from "../line.ts";
import { interleave, ratioRow } from "../pairs.ts";
import { copyTree, peerFault } from "../peers.ts";
import { startSyncthing } from "../syncthing.ts";

export const SYNCTHING: Line = {
  name: "syncthing",
  about: "clone, and one file changed, against two Syncthing instances on loopback",
  sizes: (asked) => asked.filter((size) => size === "10000" || (asked.length === 1 && isGenerated(size))),
  seconds: (size, repeats) => (Number(size) / 1_000) * Math.min(repeats, 3) * 1.5 + 20,
  async run({ fixture, size, repeats }) {
    const line = "syncthing";
    const fault = peerFault("syncthing");
    if (fault !== null) return [{ kind: "skipped", line, size, why: fault }];
    const { folder, documents } = await fixture.corpus(size);
    const key = await fixture.filled(size);
    const mirror = await fixture.mirror(size);
    const offered = fixture.fresh("syncthing-offered");
    await copyTree(folder, offered);
    const pair = await startSyncthing(fixture);
    const taken: string[] = [];
    try {
      const clones = await interleave(
        Math.min(repeats, 3),
        () => {
          const root = fixture.fresh(`clone-${size}`);
          link(root, fixture.service.url);
          return fixture.mdmirror(["sync", "--quiet", root], key);
        },
        async (turn) => {
          // A folder of its own each time; the first instance has hashed it before the clock
          // starts.
          await pair.offer(`clone-${turn}`, offered);
          taken[turn] = fixture.fresh("syncthing-taken");
          return { ms: await pair.take(`clone-${turn}`, taken[turn], documents) };
        },
      );
      const paths = pathsOf(documents);
      const edits = await interleave(
        repeats,
        (turn) => {
          appendFileSync(join(mirror.root, paths[turn * 7]!), `Edited ${turn}.\n`);
          return fixture.mdmirror(["sync", "--quiet", mirror.root], mirror.key);
        },
        async (turn) => {
          const path = paths[turn * 7]!;
          appendFileSync(join(offered, path), `Edited ${turn}.\n`);
          const { size: bytes } = statSync(join(offered, path));
          const taker = join(taken[0]!, path);
          // It may be away for a moment while Syncthing puts the new one in its place.
          const arrived = () => statSync(taker, { throwIfNoEntry: false })?.size === bytes;
          return { ms: await pair.pass("clone-0", path, arrived) };
        },
      );
      const note = "Syncthing runs all the time and is told the path; sync is a process that looks at everything";
      return [
        ratioRow({ line, what: "clone / Syncthing", size, bound: null }, clones),
        ratioRow({ line, what: "one file changed / Syncthing", size, bound: null, note }, edits),
      ];
    } finally {
      await pair.stop();
    }
  },
};
