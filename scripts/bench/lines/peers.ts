/**
 * The same as `no-op`, and edits, against the peers. Local to local is a handicap for us: we speak
 * HTTP and JSON with a service that keeps every version.
 */
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

const onceFrom10_000 = (size: string, repeats: number) => (Number(size) >= 10_000 ? 1 : repeats);

type Against = {
  readonly line: string;
  readonly who: string;
  readonly fault: string | null;
  readonly note: string;
  readonly bound: Bound | null;
  start(): Promise<Peer>;
};

async function noOpAgainst(asked: Asked, against: Against): Promise<readonly Row[]> {
  const { fixture, size, repeats } = asked;
  const { line, who, fault, note, bound } = against;
  if (fault !== null) return [{ kind: "skipped", line, size, why: fault }];
  const mirror = await fixture.mirror(size);
  const peer = await against.start();
  try {
    const ours = () => fixture.mdmirror(["sync", "--quiet", mirror.root], mirror.key);
    await ours();
    const pairs = await interleave(repeats, ours, peer.sync);
    return [ratioRow({ line, what: `sync with nothing to do / ${who}`, size, bound, note }, pairs)];
  } finally {
    await peer.end();
  }
}

export const NO_OP_BISYNC: Line = {
  name: "no-op-bisync",
  about:
    "sync with nothing to do against rclone bisync over sftp on loopback in its quickest form: no shell there, no hashes",
  sizes: (asked) => asked.filter((size) => (isGenerated(size) && size !== "1000") || asked.length === 1),
  seconds: (size, repeats) => thousands(size) * (0.5 + onceIfLarge(size, repeats) * 0.3),
  async run(asked) {
    const { folder } = await asked.fixture.corpus(asked.size);
    return noOpAgainst(
      { ...asked, repeats: onceIfLarge(asked.size, asked.repeats) },
      {
        line: "no-op-bisync",
        who: "bisync, sftp",
        fault: peerFault("rclone", true),
        note: "",
        bound: Number(asked.size) >= 10_000 ? atMost(0.1, 0.05) : null,
        start: () => startBisync(asked.fixture, folder, "sftp"),
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
    const { folder } = await asked.fixture.corpus(asked.size);
    return noOpAgainst(asked, {
      line: "no-op-bisync-local",
      who: "bisync, local",
      fault: peerFault("rclone"),
      note: HANDICAP,
      bound: null,
      start: () => startBisync(asked.fixture, folder, "local"),
    });
  },
};

export const NO_OP_UNISON: Line = {
  name: "no-op-unison",
  about: "sync with nothing to do against unison, local to local",
  sizes: (asked) => asked.filter((size) => (isGenerated(size) && size !== "1000") || asked.length === 1),
  seconds: (size, repeats) => thousands(size) * (0.4 + repeats * 0.04),
  async run(asked) {
    const { folder } = await asked.fixture.corpus(asked.size);
    return noOpAgainst(asked, {
      line: "no-op-unison",
      who: "unison, local",
      fault: peerFault("unison"),
      note: HANDICAP,
      bound: asked.size === "100000" ? atMost(1.2, null) : null,
      start: () => startUnison(asked.fixture, folder),
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

async function editsAgainst(asked: Asked, line: string, who: string, peer: Peer): Promise<readonly Row[]> {
  const { fixture, size, repeats, profile } = asked;
  const mirror = await fixture.mirror(size);
  const documents = Number(size);
  const rows: Row[] = [];
  for (const [what, count] of [
    ["one file changed", 1],
    ["1 % of files changed", documents / 100],
  ] as const) {
    const ours = (turn: number, start: Start = {}) => {
      edit(mirror.root, documents, count, turn);
      return fixture.mdmirror(["sync", "--quiet", mirror.root], mirror.key, start);
    };
    const other = (turn: number) => {
      edit(peer.local, documents, count, turn);
      return peer.sync();
    };
    const pairs = await interleave(repeats, (turn) => ours(turn), other);
    await profile(`${line}-${count}-${size}`, (start) => ours(repeats, start));
    const bound = size === "10000" ? atMost(0.12, 0.08) : null;
    rows.push(ratioRow({ line, what: `${what} / ${who}`, size, bound }, pairs));
  }
  return rows;
}

export const EDIT_BISYNC: Line = {
  name: "edit-bisync",
  about: "one file changed, and 1 % of the files, against rclone bisync over sftp in its quickest form",
  sizes: (asked) => asked.filter((size) => size === "10000" || (asked.length === 1 && isGenerated(size))),
  seconds: (size, repeats) => thousands(size) * (0.5 + repeats * 0.7),
  async run(asked) {
    const line = "edit-bisync";
    const fault = peerFault("rclone", true);
    if (fault !== null) return [{ kind: "skipped", line, size: asked.size, why: fault }];
    const { folder } = await asked.fixture.corpus(asked.size);
    const peer = await startBisync(asked.fixture, folder, "sftp");
    try {
      return await editsAgainst(asked, line, "bisync, sftp", peer);
    } finally {
      await peer.end();
    }
  },
};

/**
 * rclone as it comes asks md5sum for each file: a minute for 10,000, so a single pair of each
 * there.
 */
export const BISYNC_HASHES: Line = {
  name: "bisync-hashes",
  about:
    "nothing to do, one file and 1 % changed, against rclone bisync over sftp as it comes: with md5sum of each file",
  sizes: (asked) =>
    asked.filter((size) => size === "1000" || size === "10000" || (asked.length === 1 && isGenerated(size))),
  seconds: (size, repeats) => thousands(size) * (10 + onceFrom10_000(size, repeats) * 18),
  async run(everything) {
    const asked = { ...everything, repeats: onceFrom10_000(everything.size, everything.repeats) };
    const { fixture, size } = asked;
    const line = "bisync-hashes";
    const who = "bisync, sftp, md5sum";
    const fault = peerFault("rclone", true);
    if (fault !== null) return [{ kind: "skipped", line, size, why: fault }];
    const { folder } = await fixture.corpus(size);
    const peer = await startBisync(fixture, folder, "sftp-hashes");
    const bound = size === "10000" ? atMost(0.1, 0.05) : null;
    const start = () => Promise.resolve({ ...peer, end: () => Promise.resolve() });
    try {
      const none = await noOpAgainst(asked, { line, who, fault, note: "rclone's defaults", bound, start });
      return [...none, ...(await editsAgainst(asked, line, who, peer))];
    } finally {
      await peer.end();
    }
  },
};
