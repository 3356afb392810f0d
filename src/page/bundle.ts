export type Asset = { readonly type: string; readonly bytes: Uint8Array };

export type Bundle = {
  /**
   * Names of the served files by their names in the source. A served name contains a digest of the
   * file's content; a source name, such as `page.js`, does not.
   */
  readonly names: ReadonlyMap<string, string>;
  readonly assets: ReadonlyMap<string, Asset>;
  /** Address below which the scripts and styles are served; ends with a slash. */
  readonly base: string;
};

/** Address below which `mdmirror ui` serves scripts, styles and icons. */
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
