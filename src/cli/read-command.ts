import type { Answer, ReadDeclaration } from "../mirror/operations/define.ts";
import { fieldsOf } from "../mirror/operations/read-input.ts";
import { type ReadOperation, runRead, withoutContents } from "../mirror/operations/run-read.ts";
import { shownWords } from "../common/shown-name.ts";
import { ok, type Result } from "../common/trouble.ts";
import type { Args, Command, Io } from "./command.ts";
import { complain } from "./complain.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { findMirror } from "./find-mirror.ts";
import { jsonLine } from "./json-line.ts";
import { givenFields, optionsOf, usageOf } from "./operation-options.ts";
import { hidesProgress, showProgress } from "./progress.ts";
import { REACH_OPTIONS, reachOptionsOf } from "./use-mirror.ts";

/**
 * Makes commands from operations that change no document by themselves. Each command adds only the
 * text that it prints.
 */

type CommandParts<D extends ReadDeclaration> = {
  /** The operands in the usage, such as `PATH[@N]`. */
  readonly operands: Command["operands"] & { readonly usage: string };
  readonly examples: readonly string[];
  /** Options in addition to those of the operation's fields. */
  readonly options?: Command["options"];
  /** Finds the linked folder, and the fields of the input that the operands give. */
  readonly locate: (io: Io, args: Args) => Result<{ readonly root: string; readonly input: object }>;
  /** Returns the lines that show an answer to people. */
  readonly lines?: (io: Io, answer: Answer<D>, args: Args) => readonly string[];
  /** Shows an answer to people in another way than by lines. */
  readonly print?: (io: Io, answer: Answer<D>, call: Call) => Result<null>;
  /** Returns the exit code. Default: the exit code for success. */
  readonly exit?: (answer: Answer<D>) => ExitCode;
};

/** @property took milliseconds until the answer */
type Call = { readonly args: Args; readonly took: number };

/** The parts of a command on a whole linked folder. */
export const OF_FOLDER = {
  operands: { usage: "[DIR]", least: 0, most: 1 },
  locate(io: Io, { operands }: Args) {
    const root = findMirror(io, operands[0]);
    return root.kind === "trouble" ? root : ok({ root: root.value, input: {} });
  },
} as const;

export function readCommand<D extends ReadDeclaration>(operation: ReadOperation<D>, parts: CommandParts<D>): Command {
  const { declared } = operation;
  const { name, about, exits, isOnline = false, contents } = declared;
  const isQuick = !isOnline && declared.access === "read";
  const fields = fieldsOf(declared);
  const help = contents === undefined ? "print one JSON object" : "print one JSON object, without content";
  const options = {
    ...parts.options,
    ...optionsOf(fields),
    json: { help },
    ...(isOnline ? REACH_OPTIONS : {}),
  };
  return {
    usage: `${name} ${parts.operands.usage} ${usageOf(options)}`,
    about: exits === undefined ? about : [...about, `Exit codes: ${exits}.`],
    examples: parts.examples,
    options,
    operands: parts.operands,
    async run(io, args) {
      const located = parts.locate(io, args);
      if (located.kind === "trouble") return complain(io, located.trouble);
      const { root, input } = located.value;
      const json = args.flag("json");
      const progress = showProgress(io, isQuick || json || hidesProgress(root));
      const reach = isOnline ? reachOptionsOf(io, args) : {};
      const { env, cwd, clock, random } = io;
      const onNotes = (notes: readonly string[]) => {
        for (const note of notes) io.err(`mdmirror: ${shownWords(note)}`);
      };
      const given = { ...givenFields(fields, args), ...input };
      const began = clock.monotonic();
      const use = { env, cwd, clock, random, progress, onNotes, ...reach };
      const ended = await runRead(root, operation, given, use).finally(progress.end);
      if (ended.kind === "trouble") return complain(io, ended.trouble);
      const answer = ended.value;
      if (json) io.out(jsonLine(withoutContents(declared, answer)));
      const printed = json ? ok(null) : print(io, parts, answer, { args, took: clock.monotonic() - began });
      if (printed.kind === "trouble") return complain(io, printed.trouble);
      return parts.exit?.(answer) ?? EXIT.inSync;
    },
  };
}

function print<D extends ReadDeclaration>(io: Io, parts: CommandParts<D>, answer: Answer<D>, call: Call): Result<null> {
  for (const line of parts.lines?.(io, answer, call.args) ?? []) io.out(line);
  return parts.print?.(io, answer, call) ?? ok(null);
}
