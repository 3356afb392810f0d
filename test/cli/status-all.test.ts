import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";
import { snapshot } from "../temporary-folder.ts";

const rig = useRig();

/** Several linked folders of one user: their names and states. */

beforeEach(async () => {
  rig.createRemotely("a.md", "a\n");
});

const at = (name: string) => join(rig.dir, name);
const registry = () => join(rig.stateHome, "mdmirror/mirrors");
const isRoot = process.getuid?.() === 0;

async function link(dir: string, ...more: string[]): Promise<void> {
  const ran = await rig.link(dir, ...more);
  expect([ran.code, ran.err]).toEqual([0, []]);
}

type Listed = { readonly name: string; readonly root: string; readonly state: string };
async function list(): Promise<[name: string, state: string][]> {
  const { mirrors } = await rig.json<{ mirrors: Listed[] }>(["list"]);
  return mirrors.map(({ name, state }) => [name, state]);
}

const rootOf = async (cwd: string) =>
  (await rig.run(["service", "print", "two"], { cwd })).out.find((line) => line.startsWith("ExecStart"));

describe("a linked folder's name", () => {
  test("is its folder's, with a number for the second one, and stays when the folder moves", async () => {
    await link("one/notes");
    await link("two/notes");
    expect(await list()).toEqual([
      ["notes", "in-sync"],
      ["notes-2", "in-sync"],
    ]);
    renameSync(at("one"), at("three"));
    expect((await rig.run(["sync", "three/notes"])).code).toBe(0);
    expect(await list()).toEqual([
      ["notes", "in-sync"],
      ["notes-2", "in-sync"],
    ]);
  });

  test("is accepted in place of the folder by every command that takes one", async () => {
    await link("one", "--name", "my work");
    for (const argv of [
      ["sync"],
      ["status"],
      ["plan"],
      ["log"],
      ["conflicts"],
      ["reviews"],
      ["diff"],
      ["verify"],
      ["why"],
      ["fix-names"],
      ["trust"],
    ]) {
      const { code, err } = await rig.run([...argv, "my work"], { cwd: "/" });
      expect([argv, code, err]).toEqual([argv, 0, []]);
    }
    expect((await rig.run(["search", "a", "my work"], { cwd: "/" })).out.length).toBe(1);
    expect((await rig.run(["service", "print", "my work"], { cwd: "/" })).out.join()).toContain(at("one"));
  });

  test("is found in any Unicode form; is no path, and no option", async () => {
    await link("one", "--name", "caf\u00e9");
    expect((await rig.run(["sync", "cafe\u0301"], { cwd: "/" })).code).toBe(0);
    for (const name of ["..", ".", "a/b", "--all", "-x", "a\nb"]) {
      const { code, err } = await rig.run(["name", "one", "--", name]);
      expect([name, code, err.length]).toEqual([name, 2, 2]);
    }
    expect(await list()).toEqual([["caf\u00e9", "in-sync"]]);
  });

  test("a path of a linked folder comes before a name, and nothing else does", async () => {
    await link("one", "--name", "two");
    await link("two", "--name", "other");
    expect(await rootOf(rig.dir)).toContain(`"${at("two")}"`);
    mkdirSync(at("elsewhere/two"), { recursive: true });
    expect(await rootOf(at("elsewhere"))).toContain(`"${at("one")}"`);
    // In a linked folder `two` is the path of a document, not the name of another linked folder.
    mkdirSync(join(at("one"), "two"));
    writeFileSync(join(at("one"), "two/b.md"), "b\n");
    expect((await rig.run(["why", "two"], { cwd: at("one") })).out.join("\n")).toContain("two");
  });

  test("is one linked folder's: init, trust and name refuse it to another, and say whose it is", async () => {
    await link("one", "--name", "work");
    await link("two");
    const init = await rig.run(["init", "three", "--url", rig.url, "--key-file", rig.keyFile, "--name", "work"]);
    for (const { code, err } of [
      init,
      await rig.run(["name", "two", "work"]),
      await rig.run(["trust", "two", "--name", "work"]),
    ])
      expect([code, err[0]]).toEqual([2, `mdmirror: "work" is the name of your linked folder ${at("one")} already`]);
    expect(existsSync(at("three"))).toBe(false);
    expect((await rig.run(["name", "one", "work"])).code).toBe(0);
    expect((await rig.run(["name", "one", "play"])).out).toEqual([`${at("one")} is now named play`]);
    expect((await rig.run(["name", "work"], { cwd: at("two") })).code).toBe(0);
    expect(await list()).toEqual([
      ["play", "in-sync"],
      ["work", "in-sync"],
    ]);
  });
});

describe("status --all", () => {
  test("has a line for each, in sync or not, and the exit code of the worst", async () => {
    expect(await rig.run(["status", "--all"])).toMatchObject({
      code: 0,
      out: ["no folder is linked yet; next: mdmirror init DIR --url URL"],
    });
    await link("one");
    await link("two");
    const fine = await rig.run(["status", "--all"]);
    expect(fine.code).toBe(0);
    expect(fine.out).toEqual([
      expect.stringMatching(new RegExp(`^one  In sync: last sync \\d s ago, .*  ${at("one")}$`)),
      expect.stringMatching(new RegExp(`^two  In sync: last sync \\d s ago, .*  ${at("two")}$`)),
    ]);
    rig.pass(3_600_000);
    expect((await rig.run(["status", "--all", "--max-age", "15m"])).code).toBe(3);
    writeFileSync(join(at("two"), "a.md"), "mine\n");
    rig.editRemotely("a.md", "theirs\n");
    expect((await rig.run(["sync", "two"])).code).toBe(3);
    const open = await rig.run(["status", "--all"]);
    expect([open.code, open.out[1]]).toEqual([3, expect.stringContaining("Not in sync: 1 problem to fix")]);
    expect(open.err).toEqual(["  next: mdmirror status two"]);
  });

  test("a linked folder that is gone, untrusted, unreadable or another's is said, and hides none", async () => {
    for (const name of ["fine", "gone", "other", "lost", "strange"]) await link(name);
    renameSync(at("gone"), at("away"));
    rmSync(join(at("other"), ".mdmirror/marker"));
    writeFileSync(join(at("lost"), ".mdmirror/state.db"), "no database at all, but some bytes of text".repeat(99));
    writeFileSync(join(at("strange"), ".mdmirror/config.json"), JSON.stringify({ url: "https://evil.example" }));
    const before = snapshot(rig.dir);
    const { code, out, err } = await rig.run(["status", "--all", "--json"]);
    expect(snapshot(rig.dir)).toEqual(before);
    const { mirrors } = JSON.parse(out[0]!) as {
      mirrors: (Listed & { exit: number; attention: { next: string }[] })[];
    };
    expect(mirrors.map(({ name, state, exit }) => [name, state, exit])).toEqual([
      ["fine", "in-sync", 0],
      ["gone", "gone", 2],
      ["lost", "unreadable", 1],
      ["other", "other", 2],
      ["strange", "untrusted", 2],
    ]);
    expect(mirrors.slice(1).every(({ attention }) => attention[0]!.next.length > 10)).toBe(true);
    expect([code, err]).toEqual([1, []]);
    expect((await rig.run(["status", "--all"])).out.length).toBe(5);
  });

  test("a damaged entry, and a list that cannot be read, are reported and end with 2", async () => {
    await link("one");
    await link("two");
    const [name] = readdirSync(registry());
    const text = readFileSync(join(registry(), name!), "utf8");
    writeFileSync(join(registry(), name!), "{");
    const { code, out, err } = await rig.run(["status", "--all"]);
    expect([code, out.length, err[0]]).toEqual([2, 1, expect.stringContaining(`${name} is damaged`)]);
    writeFileSync(join(registry(), name!), text);
    chmodSync(registry(), 0o777);
    expect(await rig.run(["status", "--all"])).toMatchObject({
      code: 2,
      err: [expect.stringContaining("can be written by other users")],
    });
  });

  test.skipIf(isRoot)("a read-only list is enough, an unreadable one is reported (not as root)", async () => {
    await link("one");
    chmodSync(registry(), 0o500);
    expect((await rig.run(["status", "--all"])).code).toBe(0);
    expect((await rig.run(["name", "one", "other"])).err[0]).toContain("cannot be written");
    chmodSync(registry(), 0o000);
    const { code, err } = await rig.run(["status", "--all"]);
    chmodSync(registry(), 0o700);
    expect([code, err[0]]).toEqual([2, expect.stringContaining("cannot be read (EACCES)")]);
  });
});

/** Samples of each metric: labels → value. */

type Read = Map<string, number>;
const SAMPLE = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\+Inf|-?[\d.e+-]+)$/;

/** Parses strictly: each metric has one HELP, one TYPE, then all its samples. */
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
  writeFileSync(join(rig.dir, "open/a.md"), "mine\n");
  rig.editRemotely("a.md", "theirs\n");
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
