import { unwrap } from "../../src/common/trouble.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openWire } from "../../src/cli/admin/open-wire.ts";
import { reachByFolder } from "../../src/service/admin/reach.ts";
import { systemClock } from "../../src/common/clock.ts";
import { type RunningService, startOnDatabase, startService } from "../../src/service/serve.ts";
import { freshDatabase, whyNoPostgres } from "../postgres/database.ts";
import { Api } from "../../src/conformance/world.ts";
import { httpWire } from "../contract/suite/http-wire.ts";
import { SERVE } from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** `mdmirror serve --database`: services that share a database of PostgreSQL. */

type Where = { readonly data: string; readonly database: string | null };

function serve({ data, database }: Where) {
  const options = { ...SERVE, data };
  return database === null ? startService(options) : startOnDatabase(options, database);
}

async function serving(options: Where): Promise<RunningService<string | null>> {
  const started = unwrap(await serve(options));
  let closed: Promise<void> | null = null;
  const close = () => (closed ??= started.close());
  onTestFinished(close);
  return { ...started, close };
}

describe.skipIf(whyNoPostgres !== null)("services on one database", () => {
  it("serve the same documents, with keys that the first one made", async () => {
    const database = await freshDatabase();
    const [one, other] = [temporaryFolder(), temporaryFolder()];
    const first = await serving({ data: one, database });
    const second = await serving({ data: other, database });
    expect(second.key).toBeNull();
    const key = readFileSync(first.keyFile, "utf8").trim();
    expect(first.key).toBe(key);
    const [ofFirst, ofSecond] = [new Api(httpWire(first.url), key), new Api(httpWire(second.url), key)];
    for (const path of ["/a.md", "/b.md"]) await ofFirst.file(path);
    const page = await ofSecond.page("files", { limit: 1 });
    expect(page).toEqual(await ofFirst.page("files", { limit: 1 }));
    const next = await ofFirst.page("files", { limit: 1, cursor: page.nextCursor! });
    expect(next).toMatchObject({ data: [{ path: "/b.md" }], hasMore: false });
    const adminKey = readFileSync(first.adminKeyFile, "utf8").trim();
    const admin = await new Api(httpWire(second.url), adminKey).get("/admin/workspaces");
    expect(admin.json).toMatchObject({ data: [{ name: "main", documents: 2 }] });
  });

  it("are administered by the folder of one that runs, and no other", async () => {
    const [database, data] = [await freshDatabase(), temporaryFolder()];
    const service = await serving({ data, database });
    await unwrap(await reachByFolder(data, { clock: systemClock(), openWire })).close();
    await service.close();
    // A killed service leaves this file behind.
    writeFileSync(join(data, "address"), `{"url":"${service.url}"}\n`);
    const after = await reachByFolder(data, { clock: systemClock(), openWire });
    expect(after).toMatchObject({
      kind: "trouble",
      trouble: { what: expect.stringContaining("no service is running on") },
    });
  });

  it("are refused a folder of another service, and a key of another database", async () => {
    const [database, data] = [await freshDatabase(), temporaryFolder()];
    const service = await serving({ data, database });
    expect(await serve({ data, database })).toMatchObject({ trouble: { code: "SQLITE_BUSY" } });
    await service.close();
    expect(await serve({ data, database: null })).toMatchObject({ trouble: { code: "other-data" } });
    writeFileSync(join(data, "admin-key"), "mdm_admin_of-another\n");
    expect(await serve({ data, database })).toMatchObject({ trouble: { code: "other-key" } });
    const onSqlite = temporaryFolder();
    await (await serving({ data: onSqlite, database: null })).close();
    expect(await serve({ data: onSqlite, database })).toMatchObject({ trouble: { code: "other-data" } });
  });
});
