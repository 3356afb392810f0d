import { describe, expect, it } from "vitest";
import { unpackedText } from "../../../src/model/packed-text.ts";
import { whyNoPostgres } from "../../postgres/database.ts";
import { groundOfFile } from "./ground.ts";

const openGround = groundOfFile();

describe.skipIf(whyNoPostgres !== null)("a text as the store has it", () => {
  it.each(["short\n", "größer, ".repeat(400)])("is the text that was saved", async (text) => {
    const { store, workspace } = await openGround();
    const row = {
      workspace,
      id: `doc_packed${text.length}`,
      folder: 0,
      name: "a.md",
      changeId: `chg_${text.length}`,
      at: 0,
    };
    await store.write(({ files }) => files.insert({ ...row, text }));
    const found = await store.read(({ files }) => files.packed(workspace, row.id));
    expect([found!.row.name, unpackedText(found!.text)]).toEqual(["a.md", text]);
    expect(await store.read(({ files }) => files.packed(workspace, "doc_none"))).toBeUndefined();
  });
});
