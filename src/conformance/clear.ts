import type { FileResource } from "../contract/resources.ts";
import { isBelow, NoAnswerError } from "./observe.ts";
import { Api, type Exchange } from "./world.ts";

/**
 * LIMIT: number of pages that are read of one list. A tested service may have an error, so that its
 * list never ends.
 */
const MAX_PAGES = 50;

/**
 * Suffixes of the folders that cases create. A case creates its own folder (no suffix), and may
 * create others beside it.
 */
const NAME_SUFFIXES = ["", "-2", "-moved"] as const;

/**
 * Deletes the folder of a case with its documents, and the folders that the case created beside it.
 * @returns true if the service lists none of them afterwards; false also if an answer is not a list
 */
export async function clearCase(exchange: Exchange, key: string, folder: string): Promise<boolean> {
  const api = new Api(exchange, key);
  const fileBeside = `files?path=${folder}.md`;
  const folders = NAME_SUFFIXES.map((suffix) => `folders?path=${folder}${suffix}`);
  try {
    await deleteFiles(api, folder, fileBeside);
    for (const listUrl of folders) await deleteFolders(api, folder, listUrl);
    for (const listUrl of [fileBeside, ...folders]) if ((await listItems(api, listUrl)).length > 0) return false;
    return true;
  } catch (error) {
    if (error instanceof NoAnswerError) throw error;
    // If an answer is not a list, the items may still be on the service.
    return false;
  }
}

async function deleteFolders(api: Api, folder: string, listUrl: string): Promise<void> {
  for (const { id } of await listOwn(api, folder, listUrl)) {
    if ((await api.delete(`/v1/folders/${id}?recursive=true`)).status === 204) continue;
    await deleteFiles(api, folder, `files?path_prefix=${folder}`);
    await api.delete(`/v1/folders/${id}?recursive=true`);
  }
}

async function deleteFiles(api: Api, folder: string, listUrl: string): Promise<void> {
  for (const file of await listOwn(api, folder, listUrl)) {
    if (file.protected) await api.patch(`/v1/files/${file.id}`, { protected: false });
    await api.delete(`/v1/files/${file.id}`);
  }
}

/**
 * Returns only the items of the case, because a tested service may ignore the filter and list all
 * items.
 */
async function listOwn(api: Api, folder: string, listUrl: string): Promise<FileResource[]> {
  return (await listItems(api, listUrl)).filter(({ path }) => isBelow(String(path), folder.slice(1)));
}

/** @throws if an answer is not a list */
async function listItems(api: Api, listUrl: string): Promise<FileResource[]> {
  const items: FileResource[] = [];
  let cursor = "";
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { json } = await api.get(`/v1/${listUrl}${cursor}`);
    items.push(...json.data);
    if (typeof json.nextCursor !== "string") break;
    cursor = `&cursor=${encodeURIComponent(json.nextCursor)}`;
  }
  return items;
}
