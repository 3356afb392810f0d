import { unwrap } from "../../../src/common/trouble.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openWire } from "../../../src/cli/admin/open-wire.ts";
import { restoreToDatabase, takeDatabaseBackup } from "../../../src/service/backup/database.ts";
import { restoreBackup, takeBackup } from "../../../src/service/backup/backup.ts";
import { GENERATION_HEADER } from "../../../src/contract/wire.ts";
import { systemClock } from "../../../src/common/clock.ts";
import { startOnDatabase, startService } from "../../../src/service/serve.ts";
import { httpWire } from "../../contract/suite/http-wire.ts";
import { Api } from "../../../src/conformance/world.ts";
import { freshDatabase, whyNoPostgres } from "../../postgres/database.ts";
import { SERVE } from "../fixture.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

function temporary() {
  const dir = temporaryFolder();
  return (name: string) => join(dir, name);
}

async function onSqlite(data: string) {
  const serving = unwrap(await startService({ ...SERVE, data }));
  onTestFinished(() => serving.close());
  return serving;
}

async function onPostgres(data: string, url: string) {
  const serving = unwrap(await startOnDatabase({ ...SERVE, data }, url));
  onTestFinished(() => serving.close());
  return serving;
}

/** Returns everything that a key may read, without what differs from answer to answer. */
async function seenBy(url: string, key: string, cursor: string) {
  const api = new Api(httpWire(url), key);
  const files = (await api.get("/v1/files?limit=1000")).json.data as { id: string }[];
  const texts = [];
  for (const { id } of files) texts.push((await api.get(`/v1/files/${id}`)).json);
  const folders = (await api.get("/v1/folders?path_prefix=/&limit=1000")).json.data;
  const next = (await api.get(`/v1/files?limit=2&cursor=${cursor}`)).json;
  const removal = (await api.send("DELETE", `/v1/files/${files.at(-1)!.id}`)).json.code;
  return { texts, folders, next, removal };
}

async function generationAt(url: string, key: string): Promise<string> {
  const { headers } = await new Api(httpWire(url), key).get("/v1/files");
  return headers[GENERATION_HEADER] ?? expect.fail("no generation is named");
}

describe.skipIf(whyNoPostgres !== null)("a backup, from one store to the other and back", () => {
  it("has the same ids, texts, versions, keys, reviews and cursors, and numbers continue", async () => {
    const at = temporary();
    const database = await freshDatabase();
    const first = await onSqlite(at("first"));
    const api = new Api(httpWire(first.url), first.key);
    await api.folder("deep/er/est");
    for (const [n, path] of ["a.md", "deep/b.md", "deep/er/c.md", "größe/𝄞.md"].entries()) {
      const { id, lastChangeId } = await api.file(path, `# ${path}\n`);
      const content = `# ${path}\n\n${"long ".repeat(n * 400)}\n`;
      await api.send("PUT", `/v1/files/${id}/content`, { baseChangeId: lastChangeId, content });
    }
    // The parent folder is newer than the folder in it.
    const young = await api.folder("young");
    await api.patch(`/v1/folders/${(await api.page("folders", { path: "deep" })).data[0]!.id}`, { parentId: young.id });
    const gone = await api.file("gone.md");
    await api.send("DELETE", `/v1/files/${gone.id}`);
    const secret = await api.file("secret.md", "live\n");
    await api.patch(`/v1/files/${secret.id}`, { protected: true });
    await api.send("PUT", `/v1/files/${secret.id}/content`, { baseChangeId: secret.lastChangeId, content: "sent\n" });
    const cursor = (await api.get("/v1/files?limit=2")).json.nextCursor as string;
    const wanted = await seenBy(first.url, first.key, cursor);
    expect(wanted).toMatchObject({ texts: { length: 5 }, folders: { length: 5 }, removal: "file_protected" });

    unwrap(await takeBackup(at("first"), at("one.db"), { clock: systemClock(), openWire }));
    const altered = readFileSync(at("one.db"));
    altered.write("lies", altered.indexOf("live\n"));
    writeFileSync(at("altered.db"), altered);
    expect(await restoreToDatabase(at("altered.db"), database)).toMatchObject({ kind: "trouble" });
    expect(unwrap(await restoreToDatabase(at("one.db"), database))).toEqual({ workspaces: 1, documents: 5, keys: 1 });
    const second = await onPostgres(at("second"), database);
    expect(await seenBy(second.url, first.key, cursor)).toEqual(wanted);
    const marks = new Set([await generationAt(first.url, first.key), await generationAt(second.url, first.key)]);
    const again = await restoreToDatabase(at("one.db"), database);
    expect(again).toMatchObject({ kind: "trouble", trouble: { what: expect.stringContaining("holds a service") } });

    const made = await new Api(httpWire(second.url), first.key).file("made-there.md", "on PostgreSQL\n");
    unwrap(await takeDatabaseBackup(database, at("two.db")));
    expect(unwrap(await restoreBackup(at("two.db"), at("third")))).toMatchObject({ documents: 6, workspaces: 1 });
    const third = await onSqlite(at("third"));
    expect(marks.add(await generationAt(third.url, first.key)).size).toBe(3);
    const back = new Api(httpWire(third.url), first.key);
    expect((await back.read(made.id)).content).toBe("on PostgreSQL\n");
    expect((await back.send("DELETE", `/v1/files/${made.id}`)).status).toBe(204);
    expect(await seenBy(third.url, first.key, cursor)).toEqual(wanted);
    // The new document gets a number that the other service has not used, so it is last in the
    // list.
    await back.file("after.md");
    expect((await back.get(`/v1/files?limit=1000`)).json.data.at(-1).path).toBe("/after.md");
    expect((await back.send("POST", "/v1/search/hybrid", { query: "PostgreSQL" })).status).toBe(200);
  });

  it("is taken of one moment while others write", async () => {
    const at = temporary();
    const database = await freshDatabase();
    const { url, key } = await onPostgres(at("data"), database);
    const api = new Api(httpWire(url), key!);
    const one = await api.file("one.md", "0\n");
    let isOver = false;
    let last = 0;
    // Each number is written twice: as the content and as the name of the document.
    const writing = (async () => {
      let base = one.lastChangeId as string;
      for (let n = 1; !isOver; n++) {
        const edited = await api.send("PUT", `/v1/files/${one.id}/content`, { baseChangeId: base, content: `${n}\n` });
        base = edited.json.file.lastChangeId;
        await api.file(`made-${n}.md`, `${n}\n`);
        last = n;
      }
    })();
    while (last < 3) await api.get("/v1/files?limit=1");
    const before = last;
    unwrap(await takeDatabaseBackup(database, at("b.db")));
    isOver = true;
    await writing;
    unwrap(await restoreBackup(at("b.db"), at("restored")));
    const restored = await onSqlite(at("restored"));
    const seen = new Api(httpWire(restored.url), key!);
    const version = Number((await seen.read(one.id)).content);
    const names = (await seen.paths("files")).filter((path) => path.includes("made-"));
    expect(version).toBeGreaterThanOrEqual(before);
    expect([version - 1, version]).toContain(names.length);
  });
});
