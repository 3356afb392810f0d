import { expect } from "vitest";
import { type EventsFixture, folderAt, join, keyWith, listening, make } from "./fixture.ts";

/** Tests of events, which every store must pass. */

type Open = () => Promise<EventsFixture>;
type Case = readonly [title: string, run: (open: Open) => Promise<void>];

/** Creates /open/a.md, /hidden/b.md, and a key that may read /open only. */
async function parted(open: Open) {
  const asked = await open();
  const a = await make(asked, "/open/a.md");
  const b = await make(asked, "/hidden/b.md");
  const folder = await folderAt(asked, "/open");
  const hidden = await folderAt(asked, "/hidden");
  const { key, id } = await keyWith(asked, { on: folder.id, level: "read" });
  return { asked, a, b, folder, hidden, id, listener: await listening(asked, key), key };
}

/** Which events the service sends. */
export const EVENTS: readonly Case[] = [
  [
    "each change, with what the thing is now",
    async (open) => {
      const asked = await open();
      const { call } = asked;
      const listener = await join(asked);
      expect(await listener.lines()).toEqual(["reset"]);
      const file = await make(asked, "/area/plan.md");
      expect(await listener.lines()).toEqual(["folder created /area", "file created /area/plan.md"]);
      const edit = await call("PUT", `/v1/files/${file.id}/content`, {
        baseChangeId: file.lastChangeId,
        content: "new",
      });
      expect(await listener.heard()).toEqual([
        {
          type: "file",
          data: { id: file.id, change: "edited", path: "/area/plan.md", lastChangeId: edit.file.lastChangeId },
        },
      ]);
      await call("PATCH", `/v1/files/${file.id}`, { name: "other.md" });
      await call("PATCH", `/v1/files/${file.id}`, { protected: true });
      await call("PATCH", `/v1/files/${file.id}`, { protected: false });
      expect((await listener.lines()).at(-1)).toBe("file edited /area/other.md");
      const folder = await folderAt(asked, "/area");
      await call("PATCH", `/v1/folders/${folder.id}`, { name: "place" });
      expect(await listener.lines()).toEqual(["folder moved /place"]);
      await call("DELETE", `/v1/files/${file.id}`);
      expect(await listener.heard()).toEqual([{ type: "file", data: { id: file.id, change: "gone" } }]);
      await call("DELETE", `/v1/folders/${folder.id}`);
      expect(await listener.heard()).toEqual([{ type: "folder", data: { id: folder.id, change: "gone" } }]);
    },
  ],

  [
    "nothing of a request that was refused, or of a text that waits for review",
    async (open) => {
      const asked = await open();
      const { call } = asked;
      const file = await make(asked, "/a.md");
      await call("PATCH", `/v1/files/${file.id}`, { protected: true });
      const listener = await listening(asked);
      await call("PUT", `/v1/files/${file.id}/content`, { baseChangeId: file.lastChangeId, content: "waits" });
      await expect(call("DELETE", `/v1/files/${file.id}`)).rejects.toThrow("409");
      await expect(call("POST", "/v1/files", { path: "/new/a b.md", content: "" })).rejects.toThrow("400");
      expect(await listener.lines()).toEqual([]);
    },
  ],

  [
    "never a text",
    async (open) => {
      const asked = await open();
      const listener = await listening(asked);
      await asked.call("POST", "/v1/files", { path: "/a.md", content: "the secret words" });
      expect((await listener.lines()).length).toBe(1);
      expect(listener.text).not.toContain("secret");
    },
  ],

  [
    "many changes at once as one reset",
    async (open) => {
      const asked = await open();
      for (let n = 0; n < 300; n++) await make(asked, `/many/note-${n}.md`);
      const { id } = await folderAt(asked, "/many");
      const listener = await listening(asked);
      await asked.call("DELETE", `/v1/folders/${id}?recursive=true`);
      expect(await listener.lines()).toEqual(["reset"]);
    },
  ],

  [
    "nothing of another workspace",
    async (open) => {
      const asked = await open();
      const other = await asked.opened.service.admin.createWorkspace("other");
      const listener = await listening(asked, other.key);
      await make(asked, "/a.md");
      expect(await listener.lines()).toEqual([]);
    },
  ],
];

/** Events for keys that may read only a part of the workspace. */
export const EVENTS_BY_GRANTS: readonly Case[] = [
  [
    "is told of that part alone: create, edit, rename and delete elsewhere leave no byte",
    async (open) => {
      const { asked, a, b, listener } = await parted(open);
      const before = listener.text;
      await make(asked, "/hidden/c.md");
      await asked.call("PUT", `/v1/files/${b.id}/content`, { baseChangeId: b.lastChangeId, content: "x" });
      await asked.call("PATCH", `/v1/files/${b.id}`, { name: "d.md" });
      await asked.call("DELETE", `/v1/files/${b.id}`);
      await asked.call("POST", "/v1/folders", { path: "/hidden/deep" });
      expect(await listener.lines()).toEqual([]);
      expect(listener.text).toBe(before);
      await asked.call("PATCH", `/v1/files/${a.id}`, { name: "e.md" });
      expect(await listener.lines()).toEqual(["file moved /open/e.md"]);
    },
  ],

  [
    "a file that leaves is gone, without where it went; one that comes is new, without whence",
    async (open) => {
      const { asked, a, b, folder, hidden, listener } = await parted(open);
      await asked.call("PATCH", `/v1/files/${a.id}`, { parentId: hidden.id });
      expect(await listener.heard()).toEqual([{ type: "file", data: { id: a.id, change: "gone" } }]);
      await asked.call("PATCH", `/v1/files/${b.id}`, { parentId: folder.id });
      expect(await listener.lines()).toEqual(["file created /open/b.md"]);
      expect(listener.text).not.toContain("hidden");
    },
  ],

  [
    "a deletion is told to who could read it, judged as it was before",
    async (open) => {
      const { asked, a, folder, listener } = await parted(open);
      const own = await make(asked, "/open/secret.md");
      const deep = await make(asked, "/open/private/deep.md");
      const priv = await folderAt(asked, "/open/private");
      const second = await keyWith(
        asked,
        { on: folder.id, level: "read" },
        { on: own.id, level: "none" },
        { on: priv.id, level: "none" },
      );
      const restricted = await listening(asked, second.key);
      await listener.heard();
      await asked.call("DELETE", `/v1/files/${own.id}`);
      expect(await restricted.lines()).toEqual([]);
      expect(await listener.heard()).toEqual([{ type: "file", data: { id: own.id, change: "gone" } }]);
      // One request deletes the whole folder with its hidden part. No event names the hidden
      // document or folder.
      await asked.call("DELETE", `/v1/folders/${folder.id}?recursive=true`);
      const ids = (await restricted.heard()).map(({ data }) => data["id"]);
      expect(ids).toContain(a.id);
      expect(ids).toContain(folder.id);
      expect(restricted.text).not.toContain(deep.id);
      expect(restricted.text).not.toContain(priv.id);
      expect((await listener.heard()).map(({ data }) => data["id"])).toContain(deep.id);
    },
  ],

  [
    "a file in a folder that went in an earlier turn is judged by the grants of then",
    async (open) => {
      const { asked, folder } = await parted(open);
      const deep = await make(asked, "/open/private/deep.md");
      const priv = await folderAt(asked, "/open/private");
      const second = await keyWith(asked, { on: folder.id, level: "read" }, { on: priv.id, level: "none" });
      const first = await listening(asked, second.key);
      const id = first.lastId();
      first.leave();
      await asked.call("DELETE", `/v1/folders/${priv.id}?recursive=true`);
      const back = await join(asked, second.key, id);
      expect(await back.lines()).toEqual([]);
      expect(back.text).not.toContain(deep.id);
    },
  ],

  [
    "a folder that moves, with what was seen of it, is a reset",
    async (open) => {
      const { asked, folder, hidden, listener } = await parted(open);
      await asked.call("PATCH", `/v1/folders/${folder.id}`, { parentId: hidden.id });
      expect(await listener.lines()).toEqual(["reset"]);
      // A folder above everything that the key may read is moved, so every path changes.
      await asked.call("PATCH", `/v1/folders/${hidden.id}`, { name: "veiled" });
      expect(await listener.lines()).toEqual(["reset"]);
      await asked.call("POST", "/v1/folders", { path: "/elsewhere" });
      const elsewhere = await folderAt(asked, "/elsewhere");
      await asked.call("PATCH", `/v1/folders/${elsewhere.id}`, { name: "somewhere" });
      expect(await listener.lines()).toEqual([]);
    },
  ],

  [
    "other grants are a reset, and are what counts from then on",
    async (open) => {
      const { asked, id, hidden, listener } = await parted(open);
      await asked.opened.service.admin.changeKey(id, { grants: [{ on: hidden.id, level: "read" }] });
      expect(await listener.lines()).toEqual(["reset"]);
      await make(asked, "/open/x.md");
      await make(asked, "/hidden/y.md");
      expect(await listener.lines()).toEqual(["file created /hidden/y.md"]);
    },
  ],
];
