/** Short commands compared with a bare Node, and the memory of `sync`. */
import { runChild } from "../child.ts";
import { isGenerated } from "../corpus.ts";
import { type Bound, figureRow, type Row, secondsText } from "../rows.ts";
import { atMost, interleave, type Line, type Pairs, ratioRow, type Run } from "../line.ts";

/** More pairs than usual, because each takes a tenth of a second. */
const SHORT_PAIRS = 15;

/** Returns the wanted size if it was requested, otherwise the last requested one. */
const oneOf = (wanted: string, asked: readonly string[]) => {
  const generated = asked.filter(isGenerated);
  return generated.includes(wanted) || generated.length === 0
    ? generated.filter((size) => size === wanted)
    : [generated.at(-1)!];
};

/** So few documents that only the start of the program takes time. */
const FEW = "100";

/**
 * Returns the ratio of the sums of processor time, because the system counts it in steps of 10 ms.
 */
function cpuRow(what: string, size: string, bound: Bound, { ours, other }: Pairs): Row[] {
  const sum = (runs: readonly Run[]) => runs.reduce((total, { cpuMs }) => total + (cpuMs ?? 0), 0);
  const total = sum(other);
  if (total === 0) return [];
  const row = { line: "start", what: `processor time of ${what} / node -e 0`, size, unit: "×", bound } as const;
  const mean = (runs: readonly Run[]) => secondsText(sum(runs) / runs.length);
  return [figureRow({ ...row, ours: mean(ours), other: mean(other) }, [sum(ours) / total])];
}

export const START: Line = {
  name: "start",
  about: "the shipped package against node -e 0: --version, status, and a sync with nothing to do of 100 documents",
  sizes: (asked) => oneOf("10000", asked),
  seconds: () => 25,
  async run({ fixture, size, repeats }) {
    const mirror = await fixture.mirror(size);
    const few = await fixture.mirror(FEW);
    const bare = () => runChild(process.execPath, ["-e", "0"]);
    const rows: Row[] = [];
    for (const { args, what, at, documents, bound } of [
      { args: ["--version"], what: "--version", at: mirror, documents: size, bound: null },
      { args: ["status", mirror.root], what: "status", at: mirror, documents: size, bound: atMost(3, 2.3) },
      {
        args: ["sync", "--quiet", few.root],
        what: "sync with nothing to do",
        at: few,
        documents: FEW,
        bound: atMost(6.5, 4.5),
      },
    ]) {
      const ours = () => fixture.mdmirror(args, at.key);
      await ours();
      const pairs = await interleave(Math.max(repeats, SHORT_PAIRS), ours, bare);
      rows.push(ratioRow({ line: "start", what: `${what} / node -e 0`, size: documents, bound: null }, pairs));
      if (bound !== null) rows.push(...cpuRow(what, documents, bound, pairs));
    }
    return rows;
  },
};

export const MEMORY: Line = {
  name: "rss",
  about: "peak resident memory of sync: a clone, and nothing to do",
  sizes: (asked) => asked.filter(isGenerated),
  seconds: (size, repeats) => (Number(size) / 1_000) * (0.6 + repeats * 0.04),
  async run({ fixture, size, repeats }) {
    const mirror = await fixture.mirror(size);
    const peaks: number[] = [];
    let requests = 0;
    for (let n = 0; n < Math.min(repeats, 3); n++) {
      const { peakMb, asked } = await fixture.mdmirror(["sync", "--quiet", mirror.root], mirror.key);
      if (peakMb !== null) peaks.push(peakMb);
      requests = asked!.requests;
    }
    const { peakMb } = mirror.clone;
    if (peakMb === null || peaks.length === 0)
      return [{ kind: "skipped", line: "rss", size, why: "/usr/bin/time is not installed (apt-get install time)" }];
    const bound = size === "100000" ? atMost(240, 190) : null;
    const ofClone = size === "10000" ? atMost(300, 200) : size === "100000" ? atMost(420, 320) : null;
    const row = { line: "rss", size, unit: "MB" } as const;
    return [
      figureRow({ ...row, what: "peak memory of a sync with nothing to do", bound, requests }, peaks),
      figureRow({ ...row, what: "peak memory of a clone", bound: ofClone, requests: mirror.clone.asked!.requests }, [
        peakMb,
      ]),
    ];
  },
};
