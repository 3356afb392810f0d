/** Of this program, as its package says. */
export function version(): string {
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
