import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { API } from "typescript/unstable/sync";
import { type FileFacts, factsOf } from "./facts.ts";

/** The folders that are read. Scripts are not measured, but what they import has an importer. */
const FOLDERS = ["src", "test", "scripts"];
const CONFIG = "measured.tsconfig.json";

/**
 * What stands in each source file below `src`, `test` and `scripts`, sorted by path.
 * @param root the folder that holds these; missing ones are passed over
 * @throws when the compiler cannot read a file
 */
export function readTree(root: string): FileFacts[] {
  const paths = FOLDERS.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => sourcesBelow(root, folder))
    .sort();
  const config = join(root, CONFIG);
  // Files are read one by one: what they import is not resolved, and no types are looked up.
  const compilerOptions = { noResolve: true, noLib: true, types: [], allowJs: true, target: "esnext" };
  const text = JSON.stringify({ compilerOptions, files: paths });
  const api = new API({
    cwd: root,
    fs: {
      readFile: (name) => (name === config ? text : undefined),
      fileExists: (name) => (name === config ? true : undefined),
    },
  });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`no project was made of ${root}`);
    return paths.map((path) => {
      const file = project.program.getSourceFile(join(root, path));
      if (file === undefined) throw new Error(`${path} was not read`);
      return factsOf(path, readFileSync(join(root, path), "utf8"), file);
    });
  } finally {
    api.close();
  }
}

function sourcesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|mjs)$/.test(name) && !name.endsWith(".d.ts"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
}
