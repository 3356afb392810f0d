import { type Opened, openService } from "../service/fixture.ts";

/**
 * Several keys with different grants on one service, and the documents that each may read. Ids and
 * keys are the same each time.
 */

export type Item = { readonly id: string; readonly lastChangeId: string; readonly path: string };

/**
 * Opens two workspaces. In the first, only some keys may read some of the folders. Each document
 * has one unique word in its name and another in its content.
 */
export async function openWorld(open: () => Promise<Opened> = openService) {
  const opened = await open();
  const { service, key: owner, workspaceId } = opened;
  const other = await service.admin.createWorkspace("other");
  const ask = async (key: string, method: string, path: string, body?: object) => {
    const sent = body === undefined ? null : JSON.stringify(body);
    const answer = await service.answer({ method, path, headers: { "x-api-key": key }, body: sent });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body) as Item & { readonly data: readonly Item[]; readonly nextCursor: string | null };
  };
  const files: (Item & { readonly area: string })[] = [];
  const areas = ["open", "closed", "mixed/in", "mixed/out"];
  for (const area of areas)
    for (const n of [1, 2, 3]) {
      const flat = area.replace("/", "");
      const made = await ask(owner, "POST", "/v1/files", {
        path: `${area}/name${flat}${n}x.md`,
        content: `text${flat}${n}x common words\n`,
      });
      files.push({ ...made, area });
    }
  for (const n of [1, 2, 3])
    files.push({
      ...(await ask(other.key, "POST", "/v1/files", {
        path: `open/nameother${n}x.md`,
        content: `textother${n}x common words\n`,
      })),
      area: "other",
    });
  const folderIds: string[] = [];
  for (const path of ["open", "closed", "mixed", "mixed/in", "mixed/out"]) {
    folderIds.push((await ask(owner, "GET", `/v1/folders?path=${encodeURIComponent(path)}`)).data[0]!.id);
  }
  const cursors: string[] = [];
  for (const key of [owner, other.key]) {
    for (const path of ["/v1/files?limit=1", "/v1/files?limit=1&path_prefix=open", "/v1/folders?limit=1"]) {
      cursors.push((await ask(key, "GET", path)).nextCursor ?? "cur_none");
    }
  }
  const [openId, , , inId] = folderIds;
  const keyWith = async (
    ...grants: readonly { readonly on: string | null; readonly level: "none" | "read" | "edit" | "full" }[]
  ) => {
    const made = await service.admin.createKey({ workspaceId, grants } as never);
    if (!("key" in made)) throw new Error("no key was made");
    return made.key;
  };
  const keys: Readonly<Record<string, { readonly key: string; readonly sees: readonly string[] }>> = {
    reader: { key: await keyWith({ on: openId!, level: "read" }), sees: ["open"] },
    writer: { key: await keyWith({ on: inId!, level: "full" }), sees: ["mixed/in"] },
    both: {
      key: await keyWith(
        { on: null, level: "read" },
        { on: folderIds[1]!, level: "none" },
        { on: folderIds[4]!, level: "none" },
      ),
      sees: ["open", "mixed/in"],
    },
    other: { key: other.key, sees: ["other"] },
    nobody: { key: await keyWith(), sees: [] },
  };
  return { ...opened, files, folderIds, cursors, keys };
}
