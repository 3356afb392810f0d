export type Asset = { readonly type: string; readonly bytes: Uint8Array };

export type Bundle = {
  /** Served file names, with a digest of the content, by the name of the entry (`page.js`). */
  readonly names: ReadonlyMap<string, string>;
  /** Assets by their served file name. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** Address below which the assets are served; ends with a slash. */
  readonly base: string;
};

/** Address below which `mdmirror ui` serves the assets. */
export const ASSETS = "/assets/";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/**
 * Returns the media type of an asset by its file extension.
 * @throws Error for an extension that no asset has, which is a bug
 */
export function findAssetType(name: string): string {
  const type = MEDIA_TYPES[name.slice(name.lastIndexOf(".") + 1)];
  if (type === undefined) throw new Error(`${name} is no asset`);
  return type;
}

/**
 * Returns the address of an entry such as `page.js`.
 * @throws Error if the bundle has no such entry, which is a bug
 */
export function findAssetPath({ names, base }: Bundle, entry: string): string {
  const name = names.get(entry);
  if (name === undefined) throw new Error(`${entry} is not in the bundle`);
  return `${base}${name}`;
}
