import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { FILES } from "../../src/contract/resources.ts";
import { openData } from "../../src/service/data.ts";
import { openDatabase } from "../../src/service/store/sqlite/database.ts";
import { Api } from "../../src/conformance/world.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const mode = (file: string) => statSync(file).mode & 0o777;

describe("openData", () => {
  it("makes the database and both keys, readable by their owner alone", async () => {
    const folder = join(temporaryFolder(), "data");
    const data = await openData(folder);
    expect(readFileSync(data.keyFile, "utf8")).toBe(`${data.key}\n`);
    expect([mode(folder), mode(data.keyFile), mode(data.adminKeyFile)]).toEqual([0o700, 0o600, 0o600]);
    for (const name of readdirSync(folder)) expect([name, mode(join(folder, name))]).toEqual([name, 0o600]);
    await data.close();
  });

  it("asks macOS to bring what was acknowledged to the medium, not to its cache alone", () => {
    const db = openDatabase({ folder: temporaryFolder() });
    expect(db.pragma("fullfsync")).toEqual([{ fullfsync: 1 }]);
    db.close();
  });

  it("finds documents, keys and cursors again after it was closed", async () => {
    const folder = temporaryFolder();
    const first = await openData(folder);
    const api = new Api(first.service.handle, first.key);
    const file = await api.file("a/b.md", "kept");
    await api.file("c.md");
    const { nextCursor } = await api.page("files", { limit: 1 });
    await first.close();
    const second = await openData(folder);
    expect(second.key).toBe(first.key);
    const again = new Api(second.service.handle, second.key);
    expect(await again.read(file.id)).toEqual({ ...file, content: "kept" });
    expect((await again.page("files", { limit: 1, cursor: nextCursor! })).data.map(({ path }) => path)).toEqual([
      "/c.md",
    ]);
    await second.close();
  });

  it.each([
    ["deleted or moved", () => undefined],
    ["replaced by a copy", (away: string, file: string) => copyFileSync(away, file)],
  ])("saves nothing while the database file is %s", async (_what, replace) => {
    const folder = temporaryFolder();
    const codes: unknown[] = [];
    const data = await openData(folder, { onFault: (error) => codes.push((error as { code?: unknown }).code) });
    const api = new Api(data.service.handle, data.key);
    await api.file("a.md");
    const [file, away] = [join(folder, "service.db"), join(folder, "away.db")];
    renameSync(file, away);
    replace(away, file);
    (await api.post(FILES, { path: "b.md", content: "b" })).problem("internal_error");
    expect(codes).toEqual(["database-moved"]);
    renameSync(away, file);
    await api.file("c.md");
    expect(await api.paths("files")).toEqual(["/a.md", "/c.md"]);
    await data.close();
  });

  it("makes a new key when the file is lost or not the database's, and tightens a loose one", async () => {
    const folder = temporaryFolder();
    const first = await openData(folder);
    await new Api(first.service.handle, first.key).file("a.md");
    await first.close();
    rmSync(first.keyFile);
    const second = await openData(folder);
    expect(second.key).not.toBe(first.key);
    expect(await new Api(second.service.handle, second.key).paths("files")).toEqual(["/a.md"]);
    await second.close();
    writeFileSync(second.keyFile, "mdm_of-another-service\n");
    chmodSync(second.keyFile, 0o644);
    const third = await openData(folder);
    expect(third.key).not.toBe("mdm_of-another-service");
    expect(mode(third.keyFile)).toBe(0o600);
    await third.close();
  });

  it("is open in one process at a time; another one makes no admin key", async () => {
    const folder = temporaryFolder();
    const data = await openData(folder);
    rmSync(data.adminKeyFile);
    await expect(openData(folder)).rejects.toThrow("locked");
    expect(existsSync(data.adminKeyFile)).toBe(false);
    await data.close();
    await (await openData(folder)).close();
  });

  it("answers 503 after it was closed", async () => {
    const data = await openData(temporaryFolder());
    await data.close();
    const reply = await new Api(data.service.handle, data.key).get("/v1/files");
    expect([reply.status, reply.json.code, reply.headers["retry-after"]]).toEqual([503, "service_unavailable", "5"]);
  });

  it("keeps nothing of a deleted document, its history, or the grants on it", async () => {
    const folder = temporaryFolder();
    const data = await openData(folder);
    const api = new Api(data.service.handle, data.key);
    for (const path of ["a/deep/b.md", "c.md"]) {
      const file = await api.file(path, "one");
      await api.edit(file.id, file.lastChangeId, "two");
      const workspaceId = (await data.service.admin.workspaces())[0]!.id;
      await data.service.admin.createKey({ workspaceId, grants: [{ on: file.id, level: "read" }] });
      const top = (await api.page("folders", { path: "a" })).data[0]?.id;
      (await api.delete(path === "c.md" ? `/v1/files/${file.id}` : `/v1/folders/${top}?recursive=true`)).deleted();
    }
    await data.close();
    const db = new Sqlite(join(folder, "service.db"));
    const count = (table: string) => db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${table}`).get()?.n;
    expect([count("files"), count("folders"), count("changes"), count("grants WHERE kind <> 'root'")]).toEqual([
      0, 0, 0, 0,
    ]);
    db.close();
  });
});
