/** Scripts, styles and pictures of the pages. */

export type Asset = { readonly type: string; readonly bytes: Uint8Array };

export type Bundle = {
  /** Served name of each entry (`page.js`), with a digest of its content. */
  readonly names: ReadonlyMap<string, string>;
  /** Assets by served name. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** Address of the assets; ends with a slash. */
  readonly base: string;
};

/** Address of the assets of `mdmirror ui`. */
export const ASSETS = "/assets/";

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/**
 * Returns the media type of an asset.
 * @param name name with its extension
 * @throws for an extension that no asset has, which is a bug
 */
export function assetType(name: string): string {
  const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
  if (type === undefined) throw new Error(`${name} is no asset`);
  return type;
}

/**
 * Returns the address of an entry.
 * @throws if the entry was not bundled, which is a bug
 */
export function assetPath({ names, base }: Bundle, entry: string): string {
  const name = names.get(entry);
  if (name === undefined) throw new Error(`${entry} is not in the bundle`);
  return `${base}${name}`;
}
