import { DOUBTFUL_CHARACTERS, type NameKind, pathFault, SHELL_METACHARACTERS } from "../contract/names.ts";
import { EXACT_DISK, pathKey, type RemotePath } from "../model/path.ts";
import type { RemoteTraits } from "../ports/remote.ts";

/** What is learned of the deployment while talking to it. */
export type TraitBook = {
  current(): RemoteTraits;
  /** Learns from a path as the service spelled it. */
  sawPath(wirePath: string): void;
  /** Whether the service was seen to spell a path in this session. */
  slashIsKnown(): boolean;
  /** A path as this deployment spells it. */
  spell(path: string): string;
  learnFolderPatch(works: boolean): void;
  learnFolderDelete(works: boolean): void;
  learnMoveToRoot(works: boolean): void;
  /** A `400 invalid_request` at `/path` or `/name`, for a path or a name. */
  sawRefusal(path: string, kind: NameKind): void;
  /** What was asked for by one path has another one. */
  sawSpelling(asked: RemotePath, path: RemotePath): void;
};

export const NO_TRAITS: RemoteTraits = {
  leadingSlash: false,
  folderPatch: "unknown",
  folderDelete: "unknown",
  moveToRoot: "unknown",
  refusedCharacters: SHELL_METACHARACTERS,
  foldsCase: false,
  foldsUnicode: false,
};

const FOLDS_UNICODE = { ...EXACT_DISK, foldsUnicode: true };
const FOLDS_CASE = { ...EXACT_DISK, foldsCase: true };
const HOLDS_DOUBTFUL = new RegExp(`[${DOUBTFUL_CHARACTERS.replace(/./g, "\\$&")}]`);

export function createTraitBook(known: RemoteTraits | null): TraitBook {
  // What an older version remembered knows nothing of some.
  let traits = { ...NO_TRAITS, ...known };
  let slashIsKnown = false;
  const accepted = new Set<string>();
  const yesOrNo = (works: boolean): "yes" | "no" => (works ? "yes" : "no");

  return {
    current: () => traits,
    sawPath(wirePath) {
      slashIsKnown = true;
      if (wirePath.startsWith("/") !== traits.leadingSlash) traits = { ...traits, leadingSlash: !traits.leadingSlash };
      if (!HOLDS_DOUBTFUL.test(wirePath) || accepted.size === DOUBTFUL_CHARACTERS.length) return;
      for (const character of DOUBTFUL_CHARACTERS) if (wirePath.includes(character)) accepted.add(character);
    },
    slashIsKnown: () => slashIsKnown,
    spell: (path) => (traits.leadingSlash ? `/${path}` : path),
    learnFolderPatch(works) {
      traits = { ...traits, folderPatch: yesOrNo(works) };
    },
    learnFolderDelete(works) {
      traits = { ...traits, folderDelete: yesOrNo(works) };
    },
    learnMoveToRoot(works) {
      traits = { ...traits, moveToRoot: yesOrNo(works) };
    },
    sawRefusal(path, kind) {
      // What our own rules refuse teaches nothing; nor does a character that stands in a path of
      // the service's own.
      if (pathFault(path, kind, traits.refusedCharacters) !== null) return;
      const suspects = [...DOUBTFUL_CHARACTERS].filter(
        (character) => path.includes(character) && !accepted.has(character),
      );
      if (suspects.length === 0) return;
      traits = { ...traits, refusedCharacters: traits.refusedCharacters + suspects.join("") };
    },
    sawSpelling(asked, path) {
      if (asked === path) return;
      if (pathKey(asked, FOLDS_UNICODE) === pathKey(path, FOLDS_UNICODE)) traits = { ...traits, foldsUnicode: true };
      else if (pathKey(asked, FOLDS_CASE) === pathKey(path, FOLDS_CASE)) traits = { ...traits, foldsCase: true };
    },
  };
}
