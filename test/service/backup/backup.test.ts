import { unwrap } from "../../../src/common/trouble.ts";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openWire } from "../../../src/cli/admin/open-wire.ts";
import { copyFileChecked, restoreBackup, takeBackup } from "../../../src/service/backup/backup.ts";
import { GENERATION_HEADER } from "../../../src/contract/wire.ts";
import { systemClock } from "../../../src/common/clock.ts";
import { type RunningService, startService } from "../../../src/service/serve.ts";
import { SERVE } from "../fixture.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { httpWire } from "../../contract/suite/http-wire.ts";
import { Api } from "../../../src/conformance/world.ts";

let dir: string;
beforeEach(() => {
  // Cleanups run in reverse order: services are closed before their folder is removed.
  dir = temporaryFolder();
});

async function serve(name: string): Promise<RunningService & { readonly api: Api }> {
  const serving = unwrap(await startService({ ...SERVE, data: join(dir, name) }));
  onTestFinished(() => serving.close());
  return { ...serving, api: new Api(httpWire(serving.url), serving.key) };
}

async function backUp(name: string, out: string) {
  return unwrap(await takeBackup(join(dir, name), join(dir, out), { clock: systemClock(), openWire }));
}

async function restore(out: string, name: string) {
  return unwrap(await restoreBackup(join(dir, out), join(dir, name)));
}

/** Edits the documents in turn, again and again, until the test stops it. */
function editing(api: Api, files: readonly { readonly id: string; readonly lastChangeId: string }[]) {
  const acknowledged = new Map(files.map(({ id }) => [id, 0]));
  let isOver = false;
  const loops = files.map(async ({ id, lastChangeId }) => {
    let base = lastChangeId;
    for (let n = 1; !isOver; n++) {
      const { status, json } = await api.send("PUT", `/v1/files/${id}/content`, {
        baseChangeId: base,
        content: `version ${n}\n`,
      });
      expect(status).toBe(200);
      base = json.file.lastChangeId;
      acknowledged.set(id, n);
    }
  });
  return {
    acknowledged: () => new Map(acknowledged),
    stop: () => {
      isOver = true;
      return Promise.all(loops);
    },
  };
}

/** Tries to write to a service's database from another process. Returns the output. */
function openElsewhere(name: string): string {
  const script = `
    const db = new (require("better-sqlite3"))(process.argv[1], { timeout: 0 });
    try { db.exec("BEGIN IMMEDIATE; COMMIT"); console.log("opened"); } catch (e) { console.log(e.code); }`;
  const ran = spawnSync(process.execPath, ["-e", script, join(dir, name, "service.db")], { encoding: "utf8" });
  return ran.stdout.trim() || ran.stderr;
}

async function markOf(name: string): Promise<string> {
  const serving = await serve(name);
  const mark = await generationAt(serving);
  await serving.close();
  return mark;
}

async function generationAt({ api }: { readonly api: Api }): Promise<string> {
  const { headers } = await api.get("/v1/files");
  return headers[GENERATION_HEADER] ?? expect.fail("no generation is named");
}

const versionIn = (content: string) => Number(/version (\d+)/.exec(content)?.[1] ?? 0);

describe("a backup of a service that is written to", () => {
  it("has everything acknowledged before it, and restores a service with the same ids, keys, reviews and cursors", async () => {
    const { api, key, close } = await serve("data");
    const files = [];
    for (let n = 0; n < 8; n++) files.push(await api.file(`folder/note-${n}.md`, "version 0\n"));
    const secret = await api.file("secret.md", "live\n");
    await api.patch(`/v1/files/${secret.id}`, { protected: true });
    await api.send("PUT", `/v1/files/${secret.id}/content`, { baseChangeId: secret.lastChangeId, content: "sent\n" });
    const page = (await api.get("/v1/files?limit=3")).json;
    const load = editing(api, files);
    while ([...load.acknowledged().values()].includes(0)) await api.get("/v1/files?limit=1");
    const before = load.acknowledged();
    expect(await backUp("data", "b.db")).toMatchObject({ documents: 9, workspaces: 1, keys: 1 });
    const after = load.acknowledged();
    await load.stop();
    expect(statSync(join(dir, "b.db")).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(dir, "data")).filter((name) => name.startsWith("backup"))).toEqual([]);

    expect(await restore("b.db", "restored")).toEqual({ documents: 9, workspaces: 1, keys: 1 });
    const again = await serve("restored");
    const old = new Api(httpWire(again.url), key);
    for (const { id } of files) {
      const version = versionIn((await old.read(id)).content);
      expect(version).toBeGreaterThanOrEqual(before.get(id)!);
      expect(version).toBeLessThanOrEqual(after.get(id)! + 1);
    }
    const next = (await old.get(`/v1/files?limit=3&cursor=${page.nextCursor}`)).json;
    expect(next.data.map(({ id }: { id: string }) => id)).toEqual(files.slice(3, 6).map(({ id }) => id));
    expect((await old.send("DELETE", `/v1/files/${secret.id}`)).status).toBe(409);
    await close();
  });

  it("keeps the database locked against other processes", async () => {
    const { api, close } = await serve("data");
    await api.file("a.md", "text\n");
    for (const name of ["one.db", "two.db"]) {
      await backUp("data", name);
      expect(openElsewhere("data")).toBe("SQLITE_BUSY");
    }
    if (existsSync("/dev/full")) {
      symlinkSync("/dev/full", join(dir, "data/backup.db.new"));
      await expect(backUp("data", "full.db")).rejects.toThrow();
      expect(openElsewhere("data")).toBe("SQLITE_BUSY");
      await backUp("data", "three.db");
    }
    await close();
    expect(openElsewhere("data")).toBe("opened");
  });

  it("is another generation once it is restored, and each time; the service it was taken of stays the same", async () => {
    const first = await serve("data");
    const before = await generationAt(first);
    await backUp("data", "b.db");
    await first.close();
    const seen = new Set([before]);
    for (const name of ["one", "two"]) {
      await restore("b.db", name);
      const mark = await markOf(name);
      expect(await markOf(name)).toBe(mark);
      seen.add(mark);
    }
    expect(seen.size).toBe(3);
    expect(await markOf("data")).toBe(before);
  });

  it("is taken of a folder that no service uses, and never over an existing file or service", async () => {
    const { api, close } = await serve("data");
    await api.file("a.md", "text\n");
    await close();
    expect(await backUp("data", "b.db")).toMatchObject({ documents: 1 });
    const twice = await takeBackup(join(dir, "data"), join(dir, "b.db"), { clock: systemClock(), openWire });
    expect(twice).toMatchObject({ kind: "trouble", trouble: { code: "EEXIST" } });
    const over = await restoreBackup(join(dir, "b.db"), join(dir, "data"));
    expect(over).toMatchObject({ kind: "trouble", trouble: { code: "EEXIST" } });
  });

  it.each(["service.db-wal", "service.db-journal", "database"])(
    "is not restored beside %s, which belongs to another database",
    async (left) => {
      const { close } = await serve("data");
      await close();
      await backUp("data", "b.db");
      mkdirSync(join(dir, "killed"));
      writeFileSync(join(dir, "killed", left), "");
      const beside = await restoreBackup(join(dir, "b.db"), join(dir, "killed"));
      expect(beside).toMatchObject({ kind: "trouble", trouble: { what: expect.stringContaining(left) } });
      expect(readdirSync(join(dir, "killed"))).toEqual([left]);
    },
  );

  it("is not put in the place of what came meanwhile", async () => {
    writeFileSync(join(dir, "from"), "copy");
    const come = () => writeFileSync(join(dir, "to"), "came");
    await expect(copyFileChecked(join(dir, "from"), join(dir, "to"), come)).rejects.toMatchObject({ code: "EEXIST" });
    expect(readFileSync(join(dir, "to"), "utf8")).toBe("came");
    expect(readdirSync(dir).sort()).toEqual(["from", "to"]);
  });
});

describe("what is no backup", () => {
  it.each([
    ["a text", Buffer.from("no database\n".repeat(500)), "is not a database"],
    ["nothing", Buffer.alloc(0), "is not a backup of a service"],
  ])("is not restored: %s", async (_name, bytes, why) => {
    writeFileSync(join(dir, "b.db"), bytes);
    const restored = await restoreBackup(join(dir, "b.db"), join(dir, "restored"));
    expect(restored).toMatchObject({ kind: "trouble", trouble: { what: expect.stringContaining(why) } });
    expect(readdirSync(join(dir, "restored"))).toEqual([]);
  });

  it("is not restored: one with another text than was backed up, or a database that is no backup", async () => {
    const { api, close } = await serve("data");
    await api.file("a.md", "the price is 100\n");
    await close();
    copyFileSync(join(dir, "data", "service.db"), join(dir, "live.db"));
    await backUp("data", "b.db");
    const bytes = readFileSync(join(dir, "b.db"));
    bytes.write("900", bytes.indexOf("the price is 100") + "the price is ".length);
    writeFileSync(join(dir, "b.db"), bytes);
    for (const name of ["b.db", "live.db"]) {
      const restored = await restoreBackup(join(dir, name), join(dir, "restored"));
      expect(restored).toMatchObject({ kind: "trouble", trouble: { what: expect.stringContaining(`${name} `) } });
      expect(readdirSync(join(dir, "restored"))).toEqual([]);
    }
  });

  it("is not restored: one with damaged pages", async () => {
    const { api, close } = await serve("data");
    for (let n = 0; n < 20; n++) await api.file(`note-${n}.md`, `${n} `.repeat(3_000));
    await close();
    await backUp("data", "b.db");
    const bytes = readFileSync(join(dir, "b.db"));
    bytes.fill(0xff, 8_192, bytes.length - 8_192);
    writeFileSync(join(dir, "b.db"), bytes);
    const restored = await restoreBackup(join(dir, "b.db"), join(dir, "restored"));
    expect(restored).toMatchObject({ kind: "trouble", trouble: { what: expect.stringContaining("b.db is ") } });
  });
});
