import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { useRig } from "./rig.ts";

/** What a collector of text files reads of mirrors. */

const rig = useRig();
beforeEach(async () => {
  rig.createRemotely("a.md", "a\n");
});

type Read = Map<string, number>;
const SAMPLE = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\+Inf|-?[\d.e+-]+)$/;

/** Strict: each metric has one HELP, one TYPE, then its samples, all together. */
function parse(text: string): Read {
  expect(text.endsWith("\n")).toBe(true);
  const read: Read = new Map();
  const seen = new Set<string>();
  let current = "";
  for (const line of text.trimEnd().split("\n")) {
    const [, kind, name] = /^# (HELP|TYPE) ([a-z_]+) \S/.exec(line) ?? [];
    if (kind === "HELP") {
      expect([name, seen.has(name!)]).toEqual([name, false]);
      seen.add(name!);
      current = name!;
    } else if (kind === "TYPE") expect(name).toBe(current);
    else {
      const [, sample, labels = "", value] = SAMPLE.exec(line) ?? [];
      expect([line, sample?.replace(/_(bucket|sum|count)$/, "") === current || sample === current]).toEqual([
        line,
        true,
      ]);
      read.set(`${sample}{${labels}}`, Number(value!.replace("+Inf", "Infinity")));
    }
  }
  return read;
}

async function figures(
  ...argv: string[]
): Promise<{ readonly code: number; readonly text: string; readonly read: Read }> {
  const { code, out } = await rig.run(["status", ...argv, "--prometheus"]);
  const text = `${out.join("\n")}\n`;
  return { code, text, read: parse(text) };
}

const link = (dir: string, ...more: string[]) => rig.link(dir, ...more);

test("a linked folder in sync: its proof, its documents, its last run; no path, no address, no key", async () => {
  await link("one", "--name", 'my "wörk"');
  const { code, text, read } = await figures("one");
  const labels = '{mirror="my \\"wörk\\""}';
  const at = (name: string) => read.get(`mdmirror_${name}${labels}`);
  expect([code, at("in_sync"), at("documents"), at("conflicts"), at("daemon_up")]).toEqual([0, 1, 1, 0, 0]);
  expect(Math.abs(at("last_proof_timestamp_seconds")! - Date.now() / 1_000)).toBeLessThan(60);
  expect(at("last_run_duration_seconds")).toBeGreaterThanOrEqual(0);
  for (const secret of [rig.dir, rig.url, rig.key, "a.md"]) expect(text).not.toContain(secret);
});

test("all linked folders, also one that is gone and one in conflict; exit 0 in any state", async () => {
  for (const name of ["fine", "gone", "open"]) await link(name);
  const { id, lastChangeId } = rig.remote("a.md")!;
  writeFileSync(join(rig.dir, "open/a.md"), "mine\n");
  rig.api("PUT", `/v1/files/${id}/content`, { content: "theirs\n", baseChangeId: lastChangeId });
  expect((await rig.run(["sync", "open"])).code).toBe(3);
  renameSync(join(rig.dir, "gone"), join(rig.dir, "away"));
  const { code, read } = await figures("--all");
  const of = (name: string, metric: string) => read.get(`mdmirror_${metric}{mirror="${name}"}`);
  expect([code, of("fine", "in_sync"), of("gone", "in_sync"), of("open", "in_sync")]).toEqual([0, 1, 0, 0]);
  expect([of("open", "conflicts"), of("open", "needs_attention"), of("gone", "documents")]).toEqual([1, 1, undefined]);
  expect(read.get('mdmirror_state{mirror="gone",state="gone"}')).toBe(1);
  expect(read.get('mdmirror_state{mirror="gone",state="in-sync"}')).toBe(0);
  expect(read.get("mdmirror_unreadable_entries{}")).toBe(0);
});

test("goes with neither --json nor --max-age", async () => {
  await link("one");
  for (const more of [["--json"], ["--max-age", "1h"]])
    expect((await rig.run(["status", "one", "--prometheus", ...more])).code).toBe(2);
});
