import { fc } from "../property.ts";
import { isBelow, isWithin, joinPath } from "../../src/contract/path.ts";
import { World } from "./world.ts";

/** Makes random worlds: a synced tree, then random changes of existing entries on both sides. */

const NAMES = ["a", "b", "c"];

export type Change = {
  readonly side: "local" | "remote";
  readonly kind: "new" | "edit" | "save" | "rm" | "mv" | "mkdir" | "mvdir" | "rmdir";
  readonly what: number;
  readonly where: number;
  readonly name: number;
};

export type Scenario = {
  readonly folders: readonly (readonly [number, number])[];
  readonly files: readonly (readonly [number, number])[];
  readonly changes: readonly Change[];
};

const change = (sides: readonly ("local" | "remote")[]): fc.Arbitrary<Change> =>
  fc.record({
    side: fc.constantFrom(...sides),
    kind: fc.constantFrom("new", "edit", "save", "rm", "mv", "mv", "mkdir", "mvdir", "mvdir", "rmdir"),
    what: fc.nat(20),
    where: fc.nat(20),
    name: fc.nat(2),
  });

export function scenarios(sides: readonly ("local" | "remote")[] = ["local", "remote"]): fc.Arbitrary<Scenario> {
  return fc.record({
    folders: fc.array(fc.tuple(fc.nat(5), fc.nat(2)), { maxLength: 5 }),
    files: fc.array(fc.tuple(fc.nat(5), fc.nat(2)), { maxLength: 6 }),
    changes: fc.array(change(sides), { maxLength: 8 }),
  });
}

/** The world before the changes. */
export function baseWorld({ folders, files }: Scenario): World {
  const world = new World();
  const paths = [""];
  for (const [above, name] of folders) {
    const path = joinPath(paths[above % paths.length]!, NAMES[name]!);
    if (paths.includes(path) || path.split("/").length > 3) continue;
    paths.push(path);
    world.makeFolder(path);
    world.newDir(path);
  }
  world.linkFolders();
  for (const [above, name] of files) {
    const path = joinPath(paths[above % paths.length]!, `${NAMES[name]}.md`);
    if (!world.files.has(path)) world.synced(path, textOf(world.next()));
  }
  return world;
}

/** Lines of its own, so that similarity is no accident. */
export function textOf(number: number): string {
  return `text ${number}\nline ${number} one\nline ${number} two\nline ${number} three\n`;
}

export function applyChanges(world: World, { changes }: Scenario): string[] {
  return changes.map((one) => `${one.side} ${(one.side === "local" ? changeHere : changeThere)(world, one)}`);
}

function pick<T>(list: readonly T[], number: number): T | undefined {
  return list.length === 0 ? undefined : list[number % list.length];
}

function changeHere(world: World, { kind, what, where, name }: Change): string {
  const folders = ["", ...[...world.folders.keys()].sort()];
  const parent = pick(folders, where)!;
  const file = pick([...world.files.keys()].sort(), what);
  const folder = pick(folders.slice(1), what);
  const toFile = joinPath(parent, `${NAMES[name]}.md`);
  const toFolder = joinPath(parent, NAMES[name]!);
  switch (kind) {
    case "new":
      if (world.files.has(toFile)) return "-";
      world.write(toFile, textOf(world.next()));
      return `new ${toFile}`;
    case "edit":
      if (file === undefined) return "-";
      world.files.get(file)!.text += `edit ${world.next()}\n`;
      return `edit ${file}`;
    case "save": {
      if (file === undefined) return "-";
      const { text } = world.files.get(file)!;
      world.write(file, `${text}save ${world.next()}\n`);
      return `save ${file}`;
    }
    case "rm":
      if (file === undefined) return "-";
      world.files.delete(file);
      return `rm ${file}`;
    case "mv":
      if (file === undefined || file === toFile) return "-";
      world.moveLocal(file, toFile);
      return `mv ${file} ${toFile}`;
    case "mkdir":
      world.makeFolder(toFolder);
      return `mkdir ${toFolder}`;
    case "mvdir":
      if (folder === undefined || isWithin(toFolder, folder) || world.folders.has(toFolder)) return "-";
      world.moveLocal(folder, toFolder);
      return `mvdir ${folder} ${toFolder}`;
    case "rmdir":
      if (folder === undefined) return "-";
      for (const map of [world.files, world.folders] as Map<string, unknown>[])
        for (const path of [...map.keys()]) if (isWithin(path, folder)) map.delete(path);
      return `rmdir ${folder}`;
  }
}

function changeThere(world: World, { kind, what, where, name }: Change): string {
  const folders = ["", ...[...world.dirs.values()].sort()];
  const parent = pick(folders, where)!;
  const id = pick([...world.documents.keys()].sort(), what);
  const document = id === undefined ? undefined : world.documents.get(id)!;
  const dir = pick([...world.dirs.keys()].sort(), what);
  const toFile = joinPath(parent, `${NAMES[name]}.md`);
  const toFolder = joinPath(parent, NAMES[name]!);
  const taken = [...world.documents.values()].some(({ path }) => path === toFile);
  switch (kind) {
    case "new":
      if (taken) return "-";
      world.newDocument(toFile, textOf(world.next()));
      return `new ${toFile}`;
    case "edit":
    case "save":
      if (document === undefined) return "-";
      document.text += `edit ${world.next()}\n`;
      document.changeId = world.newChange();
      return `edit ${document.path}`;
    case "rm":
      if (document === undefined) return "-";
      world.documents.delete(id!);
      return `rm ${document.path}`;
    case "mv": {
      if (document === undefined || taken) return "-";
      const from = document.path;
      document.path = toFile;
      return `mv ${from} ${toFile}`;
    }
    case "mkdir":
      world.newDir(toFolder);
      return `mkdir ${toFolder}`;
    case "mvdir": {
      const from = dir === undefined ? undefined : world.dirs.get(dir);
      if (from === undefined || isWithin(toFolder, from) || folders.includes(toFolder)) return "-";
      world.moveDir(dir!, toFolder);
      return `mvdir ${from} ${toFolder}`;
    }
    case "rmdir": {
      const path = dir === undefined ? undefined : world.dirs.get(dir);
      if (path === undefined) return "-";
      for (const [one, { path: at }] of world.documents) if (isBelow(at, path)) world.documents.delete(one);
      for (const [one, at] of world.dirs) if (isWithin(at, path)) world.dirs.delete(one);
      return `rmdir ${path}`;
    }
  }
}
