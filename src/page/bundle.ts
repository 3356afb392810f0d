/** Scripts, styles and pictures of the pages. */

export type Asset = { readonly type: string; readonly bytes: Uint8Array };

export type Bundle = {
  /** The name under which each entry (`page.js`) is served; it holds a digest of the content. */
  readonly names: ReadonlyMap<string, string>;
  /** By the name under which each is served. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** Where assets are served; ends with a slash. */
  readonly base: string;
};

/** Where `ui` serves assets. */
export const ASSETS = "/assets/";

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** @param name with its ending @throws for an ending that no asset has: a bug */
export function assetType(name: string): string {
  const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
  if (type === undefined) throw new Error(`${name} is no asset`);
  return type;
}

/** The address of an entry. @throws for one that was not bundled: a bug */
export function assetPath({ names, base }: Bundle, entry: string): string {
  const name = names.get(entry);
  if (name === undefined) throw new Error(`${entry} is not in the bundle`);
  return `${base}${name}`;
}
