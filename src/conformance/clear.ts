import type { FileResource } from "../contract/resources.ts";
import { isBelow, NoAnswerError } from "./observe.ts";
import { Api, type Exchange } from "./world.ts";

/** LIMIT: pages of files read in one folder; a tested service may never end a list. */
const MAX_PAGES = 50;

/** Suffixes of the folders that cases create beside their own one. */
const NAME_SUFFIXES = ["", "-2", "-moved"] as const;

/**
 * Deletes the folder of a case, its documents, and everything that the case created beside the
 * folder.
 * @returns true if lists show afterwards that nothing is left; false if an answer is not a list
 */
export async function clearCase(exchange: Exchange, key: string, folder: string): Promise<boolean> {
  const api = new Api(exchange, key);
  const beside = `files?path=${folder}.md`;
  const folders = NAME_SUFFIXES.map((suffix) => `folders?path=${folder}${suffix}`);
  try {
    await deleteFiles(api, folder, beside);
    for (const listUrl of folders) await deleteFolders(api, folder, listUrl);
    for (const listUrl of [beside, ...folders]) if ((await listItems(api, listUrl)).length > 0) return false;
    return true;
  } catch (error) {
    if (error instanceof NoAnswerError) throw error;
    // A tested service may answer anything. It is then not known whether something is left.
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

/** Lists only the items of a case, because a service that ignores filters also lists others. */
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
