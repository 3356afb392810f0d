import { mapName, type NameKind } from "../contract/names.ts";

/**
 * The name under which an entry of a folder is imported, or the entry of that folder that has this
 * name already.
 */
export type ImportName =
  | { readonly kind: "as"; readonly name: string }
  | { readonly kind: "clash"; readonly name: string; readonly holder: string };

/**
 * The names of one folder's entries, by the rule by which a mirror maps them. A legal name stays;
 * of those that need another, the first has it. A name that nothing legal can be made of stays too,
 * for its fault to be told.
 * @param entries in the order of the walk
 */
export function importNames(
  entries: readonly { readonly name: string; readonly kind: NameKind }[],
): ReadonlyMap<string, ImportName> {
  const wanted = entries.map(({ name, kind }) => ({ name, mapped: mapName(name, kind) ?? name }));
  const holders = new Map<string, string>();
  for (const { name, mapped } of wanted) if (name === mapped) holders.set(name, name);
  for (const { name, mapped } of wanted) if (!holders.has(mapped)) holders.set(mapped, name);
  return new Map(
    wanted.map(({ name, mapped }): [string, ImportName] => {
      const holder = holders.get(mapped)!;
      return [name, holder === name ? { kind: "as", name: mapped } : { kind: "clash", name: mapped, holder }];
    }),
  );
}
