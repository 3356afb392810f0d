import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keptCompiled } from "../compiled.ts";
import { openRig, type Rig, snapshot } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
  rig.write("a.md", "a\n");
  expect((await rig.init()).code).toBe(0);
});
afterEach(() => rig.close());

function setVersion(file: string, change: number): void {
  const db = new Sqlite(join(rig.root, ".mdmirror", file));
  db.pragma(`user_version = ${(db.pragma("user_version", { simple: true }) as number) + change}`);
  db.close();
}

test("says the version, the formats here and those of each mirror, and writes nothing", async () => {
  const before = snapshot(rig.dir);
  const { code, out } = await rig.run(["upgrade-check"]);
  expect([code, out[0], out[2]]).toEqual([
    0,
    expect.stringMatching(/^mdmirror \d+\.\d+\.\d+, on Node v\d+/),
    expect.stringMatching(/^w {2}.*state\.db \d+, texts\.db \d+ {2}as this version writes it$/),
  ]);
  expect(snapshot(rig.dir)).toEqual(before);
});

async function verdict() {
  const { code, out } = await rig.run(["upgrade-check", "--json"]);
  return [code, (JSON.parse(out[0]!) as { mirrors: { verdict: string }[] }).mirrors[0]!.verdict];
}

test("tells older from newer, and newer is 2", async () => {
  setVersion("state.db", -1);
  expect(await verdict()).toEqual([0, "older"]);
  setVersion("state.db", 2);
  expect(await verdict()).toEqual([2, "newer"]);
});

test("opens no socket and looks no name up", () => {
  const hook = `
    const { Socket, Server } = process.getBuiltinModule("node:net");
    const told = (what) => () => { process.stderr.write("SOCKET " + what + "\\n"); process.exit(9); };
    Socket.prototype.connect = told("connect");
    Server.prototype.listen = told("listen");
    process.getBuiltinModule("node:dgram").createSocket = told("dgram");
    process.getBuiltinModule("node:dns").lookup = told("lookup");
    globalThis.fetch = told("fetch");`;
  const entry = fileURLToPath(new URL("../../src/cli/entry.mjs", import.meta.url));
  const run = (...argv: string[]) =>
    spawnSync(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, entry, ...argv], {
      encoding: "utf8",
      env: { ...keptCompiled(), PATH: process.env["PATH"], HOME: rig.dir, XDG_STATE_HOME: rig.stateHome },
    });
  const check = run("upgrade-check");
  expect([check.status, check.stdout.includes(rig.root), check.stderr]).toEqual([0, true, ""]);
  // The hook would have told.
  const sync = run("sync", rig.root);
  expect([sync.status, sync.stderr]).toEqual([9, expect.stringContaining("SOCKET")]);
});
