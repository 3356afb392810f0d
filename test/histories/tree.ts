import { type FolderAt, foldersShown, folderOf, lastName } from "./facts.ts";
import { type Answer, changesNothing, type ExecutedOperation, type Operation, type Place } from "./operation.ts";

/**
 * Model of all folders of a workspace as one object, because a move changes the paths of all
 * folders below.
 */

/**
 * Path of a folder → id; null if the folder was created together with a document and no answer has
 * shown its id yet.
 */
export type Tree = ReadonlyMap<string, string | null>;

type Step = (tree: Tree) => readonly Tree[];

const IMPOSSIBLE: readonly Tree[] = [];
const legal = (is: boolean, tree: Tree): readonly Tree[] => (is ? [tree] : IMPOSSIBLE);

export function keyOfTree(tree: Tree): string {
  return [...tree]
    .map(([path, id]) => `${path}=${id ?? "?"}`)
    .sort()
    .join(" ");
}

/** Returns the step of an operation; null if the operation does not concern folders. */
export function stepOfTree(done: ExecutedOperation): Step | null {
  const { op, answer } = done;
  switch (op.kind) {
    case "create":
      return creating(op.place, answer, done);
    case "make-folder":
      return making(op.place, answer, done);
    case "rename-folder":
    case "move-folder":
      return placing(op, answer, done);
    case "delete-folder":
      return deleting(op, answer);
    case "move":
      if (answer?.json?.code === "folder_not_found")
        return (tree) => legal(pathOf(tree, op.parentId) === undefined, tree);
      return showing(done);
    case "read-folder":
      if (answer?.status === 404) return (tree) => legal(pathOf(tree, op.id) === undefined, tree);
      return showing(done);
    default:
      return showing(done);
  }
}

const PLACING: ReadonlySet<Operation["kind"]> = new Set([
  "make-folder",
  "rename-folder",
  "move-folder",
  "delete-folder",
]);

export function leavesTree(done: ExecutedOperation): boolean {
  const { op } = done;
  const mayMake = op.kind === "create" && "path" in op.place;
  return changesNothing(done) || !(mayMake || PLACING.has(op.kind));
}

/** Returns the step of a listing of the whole tree that does not contain the folder. */
export function stepOfUnlisted(id: string): Step {
  return (tree) => legal(pathOf(tree, id) === undefined, tree);
}

function showing(done: ExecutedOperation): Step | null {
  const shown = foldersShown(done);
  return shown.length === 0 ? null : (tree) => withShown(tree, shown);
}

/** Returns the tree with the ids that an answer shows for the first time. */
function withShown(tree: Tree, shown: readonly FolderAt[]): readonly Tree[] {
  let filled = tree;
  for (const { path, id } of shown) {
    if (path === "" || id === null) {
      if (path !== "" || id !== null) return IMPOSSIBLE;
      continue;
    }
    const there = filled.get(path);
    if (there === id) continue;
    if (there !== null || pathOf(filled, id) !== undefined) return IMPOSSIBLE;
    filled = new Map(filled).set(path, id);
  }
  return [filled];
}

/** Returns the path of a folder: "" for the root, undefined if the folder does not exist. */
function pathOf(tree: Tree, id: string | null): string | undefined {
  if (id === null) return "";
  for (const [path, each] of tree) if (each === id) return path;
  return undefined;
}

const has = (tree: Tree, path: string) => path === "" || tree.has(path);

function withFolders(tree: Tree, path: string): Tree {
  if (has(tree, path)) return tree;
  return new Map(withFolders(tree, folderOf(path))).set(path, null);
}

/** Returns the step of a created document or folder, which creates the missing folders above it. */
function creating(place: Place, answer: Answer | null, done: ExecutedOperation): Step | null {
  const shown = foldersShown(done);
  if ("path" in place) {
    const folder = folderOf(place.path);
    if (answer === null) return (tree) => [withFolders(tree, folder)];
    if (answer.status === 201) return (tree) => withShown(withFolders(tree, folder), shown);
    return answer.status === 409 ? (tree) => legal(has(tree, folder), tree) : null;
  }
  if (answer?.status === 201) return (tree) => withShown(tree, shown);
  if (answer?.status === 404) return (tree) => legal(pathOf(tree, place.parentId) === undefined, tree);
  return null;
}

function making(place: Place, answer: Answer | null, done: ExecutedOperation): Step {
  const shown = foldersShown(done);
  return (tree) => {
    const holder = "path" in place ? folderOf(place.path) : pathOf(tree, place.parentId);
    if (holder === undefined) return legal(answer === null || answer.status === 404, tree);
    const path = "path" in place ? place.path : `${holder}/${place.name}`;
    if (tree.has(path)) return legal(answer === null || answer.status === 409, tree);
    const made = withFolders(tree, path);
    if (answer === null) return [made];
    return answer.status === 201 && answer.json.path === path ? withShown(made, shown) : IMPOSSIBLE;
  };
}

type Placing = Extract<Operation, { kind: "rename-folder" | "move-folder" }>;

function placing(op: Placing, answer: Answer | null, done: ExecutedOperation): Step {
  const shown = foldersShown(done);
  return (tree) => {
    const from = pathOf(tree, op.id);
    const holder = op.kind === "rename-folder" ? from && folderOf(from) : pathOf(tree, op.parentId);
    if (from === undefined || holder === undefined) return legal(answer === null || answer.status === 404, tree);
    const to = `${holder}/${op.kind === "rename-folder" ? op.name : lastName(from)}`;
    if (isWithin(holder, from)) return legal(answer === null || answer.status === 400, tree);
    if (to !== from && tree.has(to)) return legal(answer === null || answer.status === 409, tree);
    const moved = to === from ? tree : withMoved(tree, from, to);
    if (answer === null) return [moved];
    return answer.status === 200 && answer.json.path === to ? withShown(moved, shown) : IMPOSSIBLE;
  };
}

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

function withMoved(tree: Tree, from: string, to: string): Tree {
  return new Map([...tree].map(([path, id]) => [isWithin(path, from) ? to + path.slice(from.length) : path, id]));
}

function deleting(op: Extract<Operation, { kind: "delete-folder" }>, answer: Answer | null): Step {
  return (tree) => {
    const path = pathOf(tree, op.id);
    if (path === undefined) return legal(answer === null || answer.status === 404, tree);
    if (answer?.status === 404) return IMPOSSIBLE;
    // The folder may also be refused because of its documents, which are modelled elsewhere.
    if (answer !== null && answer.status !== 204) return [tree];
    const left = new Map([...tree].filter(([each]) => !isWithin(each, path)));
    if (!op.recursive && left.size < tree.size - 1) return legal(answer === null, tree);
    return [left];
  };
}
