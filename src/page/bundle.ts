export type Asset = { readonly type: string; readonly bytes: Uint8Array };

export type Bundle = {
  /**
   * Names of served files, which contain a digest, by their names without digest, such as
   * `page.js`.
   */
  readonly names: ReadonlyMap<string, string>;
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

/** Returns the media type for a file name. Throws for an unknown extension, which is a bug. */
export function findAssetType(name: string): string {
  const type = MEDIA_TYPES[name.slice(name.lastIndexOf(".") + 1)];
  if (type === undefined) throw new Error(`${name} is no asset`);
  return type;
}

/** Returns the address of a file, such as `page.js`. Throws for an unknown file, which is a bug. */
export function findAssetPath({ names, base }: Bundle, entry: string): string {
  const name = names.get(entry);
  if (name === undefined) throw new Error(`${entry} is not in the bundle`);
  return `${base}${name}`;
}
