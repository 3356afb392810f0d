/** The same as `no-op`, and edits, against the peers. Local to local is a handicap for us: we speak HTTP and JSON with a service that keeps every version. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Start } from "../child.ts";
import { isGenerated, pathsOf } from "../corpus.ts";
import { type Asked, type Line, onceIfLarge } from "../line.ts";
import { atMost, interleave, ratioRow } from "../pairs.ts";
import { type Peer, peerFault, startBisync, startUnison } from "../peers.ts";
import type { Bound, Row } from "../rows.ts";

const HANDICAP = "local to local: a handicap for us, who speak HTTP with a service";
const thousands = (size: string) => (isGenerated(size) ? Number(size) / 1_000 : 6);

type Against = {
  readonly line: string;
  readonly who: string;
  readonly fault: string | null;
  readonly note: string;
  readonly bound: Bound | null;
  start(): Promise<Peer>;
};

async function noOpAgainst(asked: Asked, against: Against): Promise<readonly Row[]> {
  const { ground, size, repeats } = asked;
  const { line, who, fault, note, bound } = against;
  if (fault !== null) return [{ kind: "skipped", line, size, why: fault }];
  const mirror = await ground.mirror(size);
  const peer = await against.start();
  try {
    const ours = () => ground.mdmirror(["sync", "--quiet", mirror.root], mirror.key);
    await ours();
    const pairs = await interleave(repeats, ours, peer.sync);
    return [ratioRow({ line, what: `sync with nothing to do / ${who}`, size, bound, note }, pairs)];
  } finally {
    await peer.end();
  }
}

export const NO_OP_BISYNC: Line = {
  name: "no-op-bisync",
  about: "sync with nothing to do against rclone bisync over sftp on loopback",
  sizes: (asked) => asked.filter((size) => (isGenerated(size) && size !== "1000") || asked.length === 1),
  seconds: (size, repeats) => thousands(size) * (0.5 + onceIfLarge(size, repeats) * 0.3),
  async run(asked) {
    const { folder } = await asked.ground.corpus(asked.size);
    return noOpAgainst(
      { ...asked, repeats: onceIfLarge(asked.size, asked.repeats) },
      {
        line: "no-op-bisync",
        who: "bisync, sftp",
        fault: peerFault("rclone", true),
        note: "",
        bound: Number(asked.size) >= 10_000 ? atMost(0.1, 0.05) : null,
        start: () => startBisync(asked.ground, folder, "sftp"),
      },
    );
  },
};

export const NO_OP_BISYNC_LOCAL: Line = {
  name: "no-op-bisync-local",
  about: "sync with nothing to do against rclone bisync, local to local",
  sizes: (asked) => asked.filter((size) => size === "10000" || asked.length === 1),
  seconds: (size, repeats) => thousands(size) * (0.3 + repeats * 0.2),
  async run(asked) {
    const { folder } = await asked.ground.corpus(asked.size);
    return noOpAgainst(asked, {
      line: "no-op-bisync-local",
      who: "bisync, local",
      fault: peerFault("rclone"),
      note: HANDICAP,
      bound: null,
      start: () => startBisync(asked.ground, folder, "local"),
    });
  },
};

export const NO_OP_UNISON: Line = {
  name: "no-op-unison",
  about: "sync with nothing to do against unison, local to local",
  sizes: (asked) => asked.filter((size) => (isGenerated(size) && size !== "1000") || asked.length === 1),
  seconds: (size, repeats) => thousands(size) * (0.4 + repeats * 0.04),
  async run(asked) {
    const { folder } = await asked.ground.corpus(asked.size);
    return noOpAgainst(asked, {
      line: "no-op-unison",
      who: "unison, local",
      fault: peerFault("unison"),
      note: HANDICAP,
      bound: asked.size === "100000" ? atMost(2, 1.5) : null,
      start: () => startUnison(asked.ground, folder),
    });
  },
};

/** So many edits, spread over the tree; others each time. */
function edit(root: string, documents: number, count: number, turn: number): void {
  const paths = pathsOf(documents);
  for (let n = 0; n < count; n++) {
    const path = paths[(turn * 7 + Math.floor((n * documents) / count)) % documents]!;
    appendFileSync(join(root, path), `Edited in turn ${turn}, ${n}.\n`);
  }
}

export const EDIT_BISYNC: Line = {
  name: "edit-bisync",
  about: "one file changed, and 1 % of the files, against rclone bisync over sftp",
  sizes: (asked) => asked.filter((size) => size === "10000" || (asked.length === 1 && isGenerated(size))),
  seconds: (size, repeats) => thousands(size) * (0.5 + repeats * 0.7),
  async run({ ground, size, repeats, profile }) {
    const line = "edit-bisync";
    const fault = peerFault("rclone", true);
    if (fault !== null) return [{ kind: "skipped", line, size, why: fault }];
    const mirror = await ground.mirror(size);
    const { folder } = await ground.corpus(size);
    const peer = await startBisync(ground, folder, "sftp");
    const documents = Number(size);
    try {
      const rows: Row[] = [];
      for (const [what, count] of [
        ["one file changed", 1],
        ["1 % of files changed", documents / 100],
      ] as const) {
        const ours = (turn: number, start: Start = {}) => {
          edit(mirror.root, documents, count, turn);
          return ground.mdmirror(["sync", "--quiet", mirror.root], mirror.key, start);
        };
        const other = (turn: number) => {
          edit(peer.local, documents, count, turn);
          return peer.sync();
        };
        const pairs = await interleave(repeats, (turn) => ours(turn), other);
        await profile(`edit-${count}-${size}`, (start) => ours(repeats, start));
        rows.push(
          ratioRow(
            { line, what: `${what} / bisync, sftp`, size, bound: size === "10000" ? atMost(0.12, 0.08) : null },
            pairs,
          ),
        );
      }
      return rows;
    } finally {
      await peer.end();
    }
  },
};
