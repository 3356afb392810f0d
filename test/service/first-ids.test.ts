import Sqlite from "better-sqlite3";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hashKey } from "../../src/service/requests/authenticate.ts";
import { openData } from "../../src/service/data.ts";
import { MIGRATIONS } from "../../src/service/store/sqlite/schema.ts";
import { encodeText } from "../../src/service/store/text-codec.ts";
import { Api, expectEdited, expectGone, expectOk, expectProblem } from "../../src/conformance/world.ts";
import { temporaryFolder } from "./fixture.ts";

/** A data folder of the first version, whose ids had 20 characters after the `_`. */

const KEY = "mdm_of-the-first-version";
const [FOLDER, FILE, RULES] = ["dir_0123456789abcdefghjk", "doc_0123456789abcdefghjk", "doc_kjhgfedcba9876543210"];
const [SAVED, WAITING] = ["chg_0123456789abcdefghjk", "chg_kjhgfedcba9876543210"];
/** The version of its schema. */
const FIRST = 4;

function firstFolder(): string {
  const folder = temporaryFolder();
  const db = new Sqlite(join(folder, "service.db"));
  for (const sql of MIGRATIONS.slice(0, FIRST)) db.exec(sql);
  db.pragma(`user_version = ${FIRST}`);
  const run = (sql: string, ...values: unknown[]) => void db.prepare(sql).run(...values);
  const change = (id: string, file: number, base: string | null, status: string, content: string) => {
    const { codec, text } = encodeText(content);
    run(
      "INSERT INTO changes (id, file, base_id, status, codec, text, at) VALUES (?, ?, ?, ?, ?, ?, 0)",
      id,
      file,
      base,
      status,
      codec,
      text,
    );
  };
  run("INSERT INTO workspaces (id, name, state, retry_after) VALUES ('wsp_1', 'main', 'open', 0)");
  run("INSERT INTO folders (id, workspace, parent, name, path) VALUES (?, 1, 0, 'a', 'a')", FOLDER);
  const file = "INSERT INTO files (id, workspace, folder, name, protected, change_id) VALUES (?, 1, 1, ?, ?, ?)";
  run(file, FILE, "b.md", 1, SAVED);
  run(file, RULES, ".qontext.structure.md", 0, "chg_of-the-rules");
  change(SAVED, 1, null, "saved", "one\n");
  change(WAITING, 1, SAVED, "in_review", "two\n");
  change("chg_of-the-rules", 2, null, "saved", "quokka\n");
  const keys = "INSERT INTO keys (id, workspace_id, hash, label, at) VALUES ('key_1', 'wsp_1', ?, 'owner', 0)";
  run(keys, hashKey(KEY));
  run("INSERT INTO grants (key, kind, target, level) VALUES (1, 'root', 0, 'full')");
  db.close();
  return folder;
}

describe("a data folder of the first version", () => {
  it("keeps its ids, which stay good, and issues new ones in the new form", async () => {
    const data = await openData(firstFolder());
    const api = new Api(data.service.handle, KEY);
    const file = await api.read(FILE);
    const parent = { parentId: FOLDER, parentPath: "/a", path: "/a/b.md" };
    expect(file).toMatchObject({ id: FILE, lastChangeId: SAVED, content: "one\n", ...parent });
    expect(await api.paths("files", { parent_id: FOLDER })).toEqual(["/a/b.md", "/a/.qontext.structure.md"]);
    expectOk(await api.patch(`/v1/files/${FILE}`, { protected: false }), 200);
    const saved = expectEdited(await api.edit(FILE, SAVED, "three\n"));
    expect(saved.lastChangeId).toMatch(/^chg_[a-z0-9]{14}$/);
    expect(expectOk(await api.edit(FILE, WAITING, "four\n"), 202).fileIds).toEqual([FILE]);
    const made = expectOk(await api.post("/v1/files", { parentId: FOLDER, name: "c.md", content: "" }), 201);
    expect(made.id).toMatch(/^doc_[a-z0-9]{14}$/);
    expectGone(await api.delete(`/v1/files/${made.id}`));
    expectProblem(await api.get(`/v1/files/${FILE}-cmit_0123456789abcd`), "invalid_id");
    expectProblem(await api.get(`/v1/files/${FILE}0`), "invalid_id");
    await data.close();
  });

  it("shows its reviews with their reason, and settles them", async () => {
    const data = await openData(firstFolder());
    const { reviews } = data.service.admin;
    expect(await reviews.show(WAITING)).toMatchObject({ reason: "protected", content: "two\n", baseContent: "one\n" });
    expect(await reviews.accept(WAITING)).toMatchObject({ id: FILE });
    expect((await new Api(data.service.handle, KEY).read(FILE)).content).toBe("two\n");
    await data.close();
  });

  it("takes such ids in no workspace that is made from now on", async () => {
    const data = await openData(firstFolder());
    const { key } = await data.service.admin.createWorkspace("new");
    const api = new Api(data.service.handle, key);
    expectProblem(await api.get(`/v1/files/${FILE}`), "invalid_id");
    expectProblem(await api.get(`/v1/files?parent_id=${FOLDER}`), "invalid_id", "/parent_id");
    await data.close();
  });
});
