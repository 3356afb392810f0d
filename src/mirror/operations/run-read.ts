import { type LocalMirror, withLocal } from "../folder/open-local.ts";
import type { MirrorOptions, OpenedMirror } from "../folder/open-mirror.ts";
import { type GuestOptions, withMirror } from "../folder/with-mirror.ts";
import type { Result } from "../../common/trouble.ts";
import type { Answer, Question, ReadDeclaration } from "./define.ts";
import { readInput } from "./read-input.ts";

/** Carries out operations without a plan, in the same way for all front ends. */

export type ReadOptions = GuestOptions &
  Pick<MirrorOptions, "url" | "keyFile"> & {
    /** Called with the messages about opening the folder, for the user. */
    readonly onNotes?: (notes: readonly string[]) => void;
  };

export type ReadOperation<D extends ReadDeclaration> = {
  readonly declared: D;
  /**
   * @param root absolute path of a folder of this user that has `.mdmirror/`
   * @param input as `readInput` returns it
   */
  readonly read: (root: string, input: Question<D>, options: ReadOptions) => Read<D>;
};

type Read<D extends ReadDeclaration> = Result<Answer<D>> | Promise<Result<Answer<D>>>;

/** Defines an operation that reads the state and the files, without the service. */
export function localRead<D extends ReadDeclaration>(
  declared: D,
  read: (mirror: LocalMirror, input: Question<D>, options: ReadOptions) => Result<Answer<D>>,
): ReadOperation<D> {
  return {
    declared,
    read: (root, input, options) => withLocal(root, options, (mirror) => read(mirror, input, options)),
  };
}

/** Defines an operation that reads both sides. */
export function onlineRead<D extends ReadDeclaration>(
  declared: D,
  read: (mirror: OpenedMirror, input: Question<D>) => Read<D>,
): ReadOperation<D> {
  return {
    declared,
    read: (root, input, options) =>
      withMirror(root, { ...options, mode: "read", what: declared.name }, (mirror) => {
        options.onNotes?.(mirror.notes);
        return read(mirror, input);
      }),
  };
}

/** Checks the input of a caller, and carries out an operation. */
export async function runRead<D extends ReadDeclaration>(
  root: string,
  { declared, read }: ReadOperation<D>,
  given: unknown,
  options: ReadOptions,
): Promise<Result<Answer<D>>> {
  const input = readInput(declared, given);
  return input.kind === "trouble" ? input : read(root, input.value, options);
}

/** Returns a result without the content of documents. */
export function withoutContents({ contents = [] }: ReadDeclaration, result: object): object {
  const plain = JSON.stringify(result, (name, value: unknown) => (contents.includes(name) ? undefined : value));
  return JSON.parse(plain) as object;
}
