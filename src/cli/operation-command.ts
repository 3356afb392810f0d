/**
 * Makes a command from each declared operation (`mirror/operations/declared/`). The command adds
 * only the sentences that it prints.
 */

import { NOT_BEGUN_REASON } from "../mirror/model/stoppable.ts";
import { count } from "../common/quantities.ts";
import { shownName, shownWords } from "../common/shown-words.ts";
import type {
  Answer,
  Declaration,
  ReadDeclaration,
  ReadInput,
  ResultEnds,
  ResultOf,
} from "../mirror/operations/define.ts";
import { type OptionField, listOptionFields, readInput } from "../mirror/operations/read-input.ts";
import {
  carryOut,
  type Operation,
  toOperationJson,
  type ReadOperation,
  runReadOperation,
  omitContents,
} from "../mirror/operations/run-operation.ts";
import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import { unwrap } from "../common/trouble.ts";
import { type Args, type Command, type CommandEnd, type Io, type OptionSpec, pickContext } from "./command.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { formatCounts, cutLines, formatJsonLine, printNotes } from "./text.ts";
import { findMirror, FOLDER_OPERANDS, formatFolderOperand } from "./find-mirror.ts";
import {
  askAgreement,
  hidesProgress,
  REACH_OPTIONS,
  readReachOptions,
  showProgress,
  withOpenedMirror,
} from "./use-mirror.ts";
import { showSync } from "./show-report.ts";

type CommonParts = Pick<Command, "operands" | "examples"> & {
  /** Options in addition to the options for the fields of the operation's input. */
  readonly options?: Command["options"];
  /**
   * Finds the linked folder of the command. Returns the folder and the part of the operation's
   * input that the operands contain.
   */
  readonly locate: (io: Io, args: Args) => { readonly root: string; readonly input: object };
};

type CommandParts<D extends Declaration, Plan> = CommonParts & {
  /**
   * Adds the part of the operation's input that mdmirror can only read from the opened linked
   * folder.
   */
  readonly complete?: (io: Io, args: Args, mirror: OpenedMirror, input: ReadInput<D>) => ReadInput<D>;
  /** Returns a question to ask before any write; null or undefined to ask nothing. */
  readonly question?: (plan: Plan) => string | null;
  readonly words: (result: ResultOf<D>) => ItemWords<ItemOf<D>>;
  readonly head?: (plan: Plan) => readonly string[];
  /** Returns lines that show the items of a plan. Default: one line for each item. */
  readonly planLines?: (result: ResultOf<D>, args: Args) => readonly string[];
  /** Exit code if the user answers no. Default: the exit code for wrong usage. */
  readonly declined?: ExitCode;
  /**
   * Returns the command line that continues the work after the user stopped this command. Default:
   * the same command line. `folder`: operand for the linked folder, or "".
   */
  readonly again?: (plan: Plan, folder: string) => string | undefined;
  /** Returns a last line of output that suggests the next step. */
  readonly next?: (result: ResultOf<D>) => string;
};

export function makeOperationCommand<D extends Declaration, Plan>(
  operation: Operation<D, Plan>,
  parts: CommandParts<D, Plan>,
): Command {
  const { name, about } = operation.declared;
  const fields = listOptionFields(operation.declared);
  const options = {
    ...parts.options,
    ...makeOptions(fields),
    ...(parts.question === undefined ? {} : { yes: { help: "do not ask", short: "y" } }),
    json: { help: "print one JSON object" },
    ...REACH_OPTIONS,
  };
  return {
    about,
    examples: parts.examples,
    options,
    operands: parts.operands,
    async run(io, args) {
      const { root, input } = parts.locate(io, args);
      const mode = args.flag("dry-run") ? "read" : "write";
      const mirrorOptions = { mode, what: name, quiet: args.flag("json"), ...readReachOptions(io, args) } as const;
      const parsedInput = unwrap(readInput(operation.declared, { ...readFields(fields, args), ...input }));
      return withOpenedMirror(io, root, mirrorOptions, (mirror) =>
        runOperationCommand(io, args, mirror, operation, parts, parsedInput),
      );
    },
  };
}

async function runOperationCommand<D extends Declaration, Plan>(
  io: Io,
  args: Args,
  mirror: OpenedMirror,
  operation: Operation<D, Plan>,
  parts: CommandParts<D, Plan>,
  input: ReadInput<D>,
): Promise<ExitCode> {
  const isJson = args.flag("json");
  const folder = formatFolderOperand(io, mirror.root);
  let wasPlanned = false;
  const showPlan = (plan: Plan, isDryRun: boolean) => {
    const preview = operation.preview(plan);
    const shownLines =
      parts.planLines?.(preview, args) ?? formatPlannedItems<ItemOf<D>>(preview.items, parts.words(preview), isDryRun);
    if (!isJson) for (const line of [...(parts.head?.(plan) ?? []), ...shownLines]) io.out(line);
    wasPlanned = true;
  };
  let syncStartedAt = 0;
  const outcome = await carryOut(operation, mirror, parts.complete?.(io, args, mirror, input) ?? input, {
    stoppable: io.stoppable,
    async agree(plan) {
      const question = parts.question?.(plan) ?? null;
      if (question === null) return true;
      showPlan(plan, false);
      return askAgreement(io, args, question, `mdmirror ${operation.declared.name} … --yes`);
    },
    beforeSync(_plan, result) {
      if (!isJson) {
        showOutcomes<ItemOf<D>>(io, result, parts.words(result), { wasPlanned, folder });
        if (parts.next !== undefined) io.out(parts.next(result));
      }
      syncStartedAt = io.clock.monotonic();
    },
  });
  const operationEnd = unwrap(outcome);
  if (operationEnd.kind === "declined") return (io.terminal.input ? parts.declined : null) ?? EXIT.usage;
  if (operationEnd.kind === "planned") showPlan(operationEnd.plan, true);
  const paths = operationEnd.result.items.map(({ path }) => path);
  const report = operationEnd.kind === "done" ? operationEnd.report : null;
  const syncExit =
    report === null
      ? EXIT.inSync
      : showSync(io, report, { json: isJson, paths, began: syncStartedAt, url: mirror.url });
  if (isJson) io.out(formatJsonLine(toOperationJson(operationEnd)));
  if (operationEnd.kind === "done" && operationEnd.isStopped)
    return showStopped(io, operationEnd.result.run, folder, parts.again?.(operationEnd.plan, folder));
  return syncExit === EXIT.inSync ? chooseExit(operationEnd) : syncExit;
}

type ItemOf<D extends Declaration> = ResultOf<D>["items"][number];

/** Returns the exit code for the result. In a dry run, planned items count as done. */
function chooseExit({ kind, result }: { readonly kind: "planned" | "done"; readonly result: ResultEnds }): ExitCode {
  const { items, isOffline } = result;
  if (isOffline === true) return EXIT.offline;
  const isSuccess = ({ end }: ResultEnds["items"][number]) =>
    end === "done" || (kind === "planned" && end === "planned");
  return items.every(isSuccess) ? EXIT.inSync : EXIT.attention;
}

type ReadParts<D extends ReadDeclaration> = CommonParts & {
  /** Paragraphs of the help, after the paragraphs that the operation declares. */
  readonly about?: Command["about"];
  readonly lines?: (io: Io, answer: Answer<D>, args: Args) => readonly string[];
  /**
   * Prints output for people, if a list of lines is not enough. Not called with `--json`. `took`:
   * duration in milliseconds.
   */
  readonly print?: (io: Io, answer: Answer<D>, call: { readonly args: Args; readonly took: number }) => void;
  /** Returns the exit code for a result. Default: the exit code for success. */
  readonly exit?: (answer: Answer<D>) => ExitCode;
  /** Runs another command in place of the operation; null if the operation should run. */
  readonly runInstead?: (io: Io, args: Args) => Promise<CommandEnd> | null;
};

/** Parts of a command whose only operand is a linked folder. */
export const ON_FOLDER = {
  operands: FOLDER_OPERANDS,
  locate(io: Io, { operands }: Args) {
    return { root: findMirror(io, operands[0]), input: {} };
  },
} as const;

export function makeReadCommand<D extends ReadDeclaration>(operation: ReadOperation<D>, parts: ReadParts<D>): Command {
  const { declared } = operation;
  const { about, exits, isOnline = false, contents } = declared;
  const isQuick = !isOnline && declared.access === "read";
  const fields = listOptionFields(declared);
  const jsonHelp = contents === undefined ? "print one JSON object" : "print one JSON object, without content";
  const options = {
    ...parts.options,
    ...makeOptions(fields),
    json: { help: jsonHelp },
    ...(isOnline ? REACH_OPTIONS : {}),
  };
  return {
    about: [...about, ...(exits === undefined ? [] : [`Exit codes: ${exits}.`]), ...(parts.about ?? [])],
    examples: parts.examples,
    options,
    operands: parts.operands,
    async run(io, args) {
      const otherCommand = parts.runInstead?.(io, args) ?? null;
      if (otherCommand !== null) return otherCommand;
      const { root, input } = parts.locate(io, args);
      const json = args.flag("json");
      const progress = showProgress(io, isQuick || json || hidesProgress(root));
      const reachOptions = isOnline ? readReachOptions(io, args) : {};
      const onNotes = (notes: readonly string[]) => printNotes(io, notes);
      const allInput = { ...readFields(fields, args), ...input };
      const startedAt = io.clock.monotonic();
      const readOptions = { ...pickContext(io), progress, onNotes, ...reachOptions };
      const answer = unwrap(await runReadOperation(root, operation, allInput, readOptions).finally(progress.end));
      const exit = parts.exit?.(answer) ?? EXIT.inSync;
      if (json) return { json: omitContents(declared, answer), lines: [], exit };
      parts.print?.(io, answer, { args, took: io.clock.monotonic() - startedAt });
      return { lines: parts.lines?.(io, answer, args) ?? [], exit };
    },
  };
}

/** Returns the option for a field of an operation: `as-of` for `asOf`. */
function toOptionName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function makeOptions(fields: readonly OptionField[]): Readonly<Record<string, OptionSpec>> {
  return Object.fromEntries(
    fields.map(({ name, help, value }) => [toOptionName(name), value === null ? { help } : { help, value }]),
  );
}

function readFields(fields: readonly OptionField[], args: Args): object {
  const fieldEntries = fields.map(({ name, value }) => {
    const option = toOptionName(name);
    return [name, (value === null ? args.flag(option) : args.text(option)) || undefined];
  });
  return Object.fromEntries(fieldEntries) as object;
}

type OperationItem = ResultEnds["items"][number];

/**
 * `word`: participle for a finished item, such as `resolved` in `3 resolved`. `detail`: returns a
 * clause about an item; "" for none.
 */
type ItemWords<One> = { readonly word: string; readonly detail?: (item: One) => string };

/**
 * LIMIT: number of printed items for each outcome, so that the output stays short. `--json` prints
 * all items.
 */
const MAX_SHOWN_ITEMS = 10;

/** Returns a line for each planned item and, in a dry run, a line with the number of items. */
function formatPlannedItems<One extends OperationItem>(
  items: readonly One[],
  { word, detail }: ItemWords<One>,
  isDryRun: boolean,
): string[] {
  if (items.length === 0) return ["nothing to do"];
  const doableItems = items.filter(({ end }) => end !== "left");
  return [
    ...doableItems.map((item) => {
      const clause = item.end === "done" ? `is already ${word}` : detail?.(item) || `will be ${word}`;
      return `  ${shownName(item.path)}  ${clause}`;
    }),
    ...formatLeftAlone(items.filter(({ end }) => end === "left")),
    ...(isDryRun ? [`${formatOutcomeCounts(items, "planned", `would be ${word}`)}; nothing was done`] : []),
  ];
}

/**
 * Prints the outcome of each item, then the number of items for each outcome. `wasPlanned`: true if
 * the user has seen the plan; the function then prints only notes and failures. `folder`: operand
 * for the linked folder, or "".
 */
function showOutcomes<One extends OperationItem>(
  io: Io,
  { run, items }: { readonly run: number | null; readonly items: readonly One[] },
  { word, detail }: ItemWords<One>,
  { wasPlanned, folder }: { readonly wasPlanned: boolean; readonly folder: string },
): void {
  const [only, second] = items;
  if (only?.end === "done" && second === undefined && !wasPlanned) {
    const clause = detail?.(only) ?? "";
    io.out(`${shownName(only.path)}: ${word}${clause === "" ? "" : `: ${clause}`}`);
    for (const note of only.notes) io.out(`  ${shownWords(note)}`);
    return;
  }
  const isNew = ({ end, why, notes }: One) =>
    !wasPlanned || (end === "done" ? notes.length > 0 : end === "failed" && why !== NOT_BEGUN_REASON);
  const itemsByOutcome = Map.groupBy(items.filter(isNew), ({ end, why }) => `${end} ${why}`);
  for (const group of itemsByOutcome.values()) showGroup(io, group, word);
  io.out(formatOutcomeCounts(items, "done", word));
  if (run !== null) io.out(`  run ${run}; undo it: mdmirror undo${folder} ${run}`);
}

/**
 * Prints that the user stopped the command, and the next step. The message does not claim that
 * nothing was sent, because `resolve` may send some choices without a sync.
 * @param folder operand for the linked folder, or ""
 * @param nextCommand command line that continues with the remaining documents
 */
function showStopped(io: Io, run: number | null, folder: string, nextCommand = "the same command again"): ExitCode {
  io.err("mdmirror: stopped; no sync followed");
  const undoClause = run === null ? "" : `; undo it: mdmirror undo${folder} ${run}`;
  io.err(`  next: upload the changes: mdmirror sync${folder}; continue: ${nextCommand}${undoClause}`);
  return EXIT.attention;
}

/** Returns lines that name the documents that an operation does not change, grouped by reason. */
export function formatLeftAlone(left: readonly { readonly path: string; readonly why: string }[]): string[] {
  return [...Map.groupBy(left, ({ why }) => why)].flatMap(([why, group]) => {
    const clause = `  left alone: ${shownWords(why)}`;
    return cutLines(
      group.map(({ path }) => `  ${shownName(path)}${clause}`),
      MAX_SHOWN_ITEMS,
      "  ",
      clause,
    );
  });
}

function showGroup(io: Io, group: readonly OperationItem[], word: string): void {
  const [{ end, why }] = group as readonly [OperationItem];
  const print = end === "done" ? io.out : io.err;
  const outcomeWords = end === "done" ? word : `${end === "left" ? "left alone" : "not done"}: ${shownWords(why)}`;
  const entries = group.map(({ path, notes }) => [
    `${shownName(path)}: ${outcomeWords}`,
    ...notes.map((note) => `  ${shownWords(note)}`),
  ]);
  for (const line of cutLines(entries, MAX_SHOWN_ITEMS, "  ", `: ${outcomeWords}`)) print(line);
}

/** Returns the number of items for each outcome: `196 resolved, 3 left alone, 1 not done`. */
function formatOutcomeCounts(items: readonly OperationItem[], end: "planned" | "done", word: string): string {
  const countItems = (wanted: OperationItem["end"]) => items.filter((item) => item.end === wanted).length;
  const otherOutcomeCounts = formatCounts([
    [end === "planned" ? countItems("done") : 0, "already are"],
    [countItems("left"), "left alone"],
    [countItems("failed"), "not done"],
  ]);
  return `${count(countItems(end))} ${word}${otherOutcomeCounts === "" ? "" : `, ${otherOutcomeCounts}`}`;
}
