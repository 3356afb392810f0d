import type { Api, CaseSetup } from "./world.ts";

export type ItemKind = "files" | "folders";
export const ITEM_KINDS: readonly ItemKind[] = ["files", "folders"];

export const makeName = (kind: ItemKind, stem: string) => (kind === "files" ? `${stem}.md` : stem);

export async function createItem(setup: CaseSetup, kind: ItemKind, path: string): Promise<string> {
  const pathWithEnding = makeName(kind, path);
  return (kind === "files" ? await setup.api.file(pathWithEnding) : await setup.api.folder(pathWithEnding)).id;
}

/**
 * Creates items in the folder of the case. Their order of creation is not alphabetical, so that a
 * case can see in which of the two orders a service lists them.
 */
export async function createItems(setup: CaseSetup, kind: ItemKind, count: number): Promise<string[]> {
  const stems = Array.from({ length: count }, (_, i) => `${String.fromCharCode(97 + ((i * 7) % 26))}-${i}`);
  for (const stem of stems) await createItem(setup, kind, `${setup.folder.path}/${stem}`);
  return stems.map((stem) => makeName(kind, `${setup.folder.path}/${stem}`));
}

type ItemPage = Pick<Awaited<ReturnType<Api["page"]>>, "data">;

export const listIds = ({ data }: ItemPage) => data.map(({ id }) => id);
export const listPaths = ({ data }: ItemPage) => data.map(({ path }) => path);
