import { expect, test } from "vitest";
import { KeptTexts } from "../../../src/server/sqlite/kept-texts.ts";
import { Api } from "../../contract/suite/world.ts";
import { openService } from "../fixture.ts";

/** Texts that were read are remembered; an answer is what the file is now. */

test("a file that was read is shown as it is after each change, and not at all once it is gone", async () => {
  const { api } = await openService();
  const { id, lastChangeId } = await api.file("team/a.md", "one – 𝄞\r\n");
  const shown = async () => {
    const [first, second] = [await api.get(`/v1/files/${id}`), await api.get(`/v1/files/${id}`)];
    expect(second.json).toEqual(first.json);
    return first.json;
  };
  expect(await shown()).toMatchObject({ content: "one – 𝄞\r\n", path: "/team/a.md", lastChangeId });
  const edited = await api.edit(id, lastChangeId, "two\n");
  const live = (edited.json as { file: { lastChangeId: string } }).file.lastChangeId;
  expect(await shown()).toMatchObject({ content: "two\n", lastChangeId: live });
  await api.patch(`/v1/files/${id}`, { name: "b.md" });
  expect(await shown()).toMatchObject({ content: "two\n", path: "/team/b.md" });
  await api.patch(`/v1/files/${id}`, { parentId: null });
  expect(await shown()).toMatchObject({ content: "two\n", path: "/b.md", parentId: null });
  await api.delete(`/v1/files/${id}`);
  expect((await api.get(`/v1/files/${id}`)).status).toBe(404);
});

test("a text that was read by one workspace is nothing to another", async () => {
  const { service, api } = await openService();
  const { id } = await api.file("a.md", "secret\n");
  await api.get(`/v1/files/${id}`);
  const { key } = await service.admin.createWorkspace("other");
  const other = new Api(service.handle, key);
  expect((await other.get(`/v1/files/${id}`)).status).toBe(404);
});

test("memory is bounded: what was read longest ago goes first", () => {
  const kept = new KeptTexts();
  const json = "x".repeat(1024 * 1024);
  for (let n = 0; n < 12; n++) kept.set(`doc_${n}`, { changeId: `chg_${n}`, json });
  const left = Array.from({ length: 12 }, (_, n) => n).filter((n) => kept.get(`doc_${n}`) !== undefined);
  expect(left).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
  kept.set("doc_4", { changeId: "chg_new", json: "short" });
  expect([kept.get("doc_4"), kept.get("doc_5")?.changeId]).toEqual([{ changeId: "chg_new", json: "short" }, "chg_5"]);
});
