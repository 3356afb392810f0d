/** Creates items for the cases of lists, of either kind: files or folders. */

import type { Api, CaseSetup } from "./world.ts";

export type ItemKind = "files" | "folders";
export const KINDS: readonly ItemKind[] = ["files", "folders"];

export const nameOf = (kind: ItemKind, stem: string) => (kind === "files" ? `${stem}.md` : stem);

export async function createItem(setup: CaseSetup, kind: ItemKind, path: string): Promise<string> {
  const named = nameOf(kind, path);
  return (kind === "files" ? await setup.api.file(named) : await setup.api.folder(named)).id;
}

/** Creates items directly in the folder of the case. The order of creation is not alphabetical. */
export async function createItems(setup: CaseSetup, kind: ItemKind, count: number): Promise<string[]> {
  const stems = Array.from({ length: count }, (_, i) => `${String.fromCharCode(97 + ((i * 7) % 26))}-${i}`);
  for (const stem of stems) await createItem(setup, kind, `${setup.folder.path}/${stem}`);
  return stems.map((stem) => nameOf(kind, `${setup.folder.path}/${stem}`));
}

type Page = Pick<Awaited<ReturnType<Api["page"]>>, "data">;

export const idsOf = ({ data }: Page) => data.map(({ id }) => id);
export const pathsOf = ({ data }: Page) => data.map(({ path }) => path);
