import type { Random } from "../../../common/random.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { version } from "../../../common/package-files.ts";
import { makeStoppedRequest, planSync } from "../../folder/run.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { includeAllDocuments } from "../../model/left-out.ts";
import type { Policy } from "../../model/policy.ts";
import { makeLineProfile } from "../../model/similar.ts";
import type { LocalTree } from "../../model/tree.ts";
import type { Plan, PlanInput } from "../../planner/plan-types.ts";
import { makePlan } from "../../planner/plan.ts";
import type { OpenIntent } from "../../ports/state.ts";
import type { DoctorCheck } from "./check.ts";
import { makePseudonyms, type Pseudonyms } from "./pseudonyms.ts";

/**
 * A bundle for a bug report: what mdmirror observed in a linked folder, and the plan that mdmirror
 * made. With the bundle, a developer can make the same plan again. A bundle has no content, no key
 * and no messages, and has names only if the user allows names.
 */
export type Bundle = {
  readonly format: typeof BUNDLE_FORMAT;
  readonly mdmirror: string;
  readonly system: string;
  readonly names: "replaced" | "kept";
  readonly checks: readonly Pick<DoctorCheck, "about" | "state">[];
  readonly journal: PlainData;
  /** Arguments of the planner, except those that are functions. */
  readonly input: PlainData;
  /** Recorded results of the functions among the planner's arguments. */
  readonly answers: PlainData;
  readonly planned: PlainPlan;
};

/** Format of a bundle. The number is increased when mdmirror can no longer replay older bundles. */
export const BUNDLE_FORMAT = "mdmirror bundle 2";

/** A value as JSON. A `Map` is written as `{map: …}`, and a `Set` as `{set: …}`. */
type PlainData = unknown;
type PlainPlan = { readonly [Member in keyof Plan]-?: readonly unknown[] };

/** Recorded results of the planner's functions, by the path or digest that a function got. */
type PlannerAnswers = {
  readonly ignores: Record<"file" | "folder", Map<string, boolean>>;
  readonly conflicts: Map<string, ReturnType<Policy["conflicts"]>>;
  /** Lines of each content, by digest; null if the content is no longer stored. */
  readonly texts: Map<string, ContentLines | null>;
};

/**
 * Lines of one content, reduced to what the planner needs for comparisons. `shared` has all
 * conflict markers, and the lines that another content of the bundle also has. `other` is the
 * number of characters of all other lines.
 */
type ContentLines = { readonly shared: readonly SharedLine[]; readonly other: number };
/**
 * A line that several contents have, or a conflict marker. The bundle keeps no other characters of
 * the line than `mark`.
 * - `line`: number that identifies the line in all contents
 * - `mark`: beginning of a conflict marker; "" for any other line
 */
type SharedLine = {
  readonly line: number;
  readonly length: number;
  readonly count: number;
  readonly mark: ConflictMark;
};
type ConflictMark = "<<<<<<< " | "=======" | ">>>>>>> " | "";

/** `differences`: a line for each difference between the bundle's plan and the real plan. */
type BundleResult = { readonly bundle: Bundle; readonly differences: readonly string[] };

export async function makeBundle(
  mirror: OpenedMirror,
  checks: readonly DoctorCheck[],
  { random, withNames }: { readonly random: Random; readonly withNames: boolean },
): Promise<Result<BundleResult>> {
  const planResult = await planSync(mirror, makeStoppedRequest(mirror, true));
  if (planResult.kind === "trouble") return planResult;
  const { plan, trees, policy, signals, texts } = planResult.value;
  const recordedFacts = { plan, input: { trees, policy, signals, texts }, journal: mirror.world.state.intents() };
  const bundle: Bundle = {
    format: BUNDLE_FORMAT,
    mdmirror: version(),
    system: `${process.platform} ${process.arch}, node ${process.version}`,
    names: withNames ? "kept" : "replaced",
    checks: checks.map(({ about, state }) => ({ about, state })),
    ...recordFacts(recordedFacts, withNames, random.hex(64)),
  };
  return ok({ bundle, differences: comparePlans(bundle.planned, toPlainPlan(replayPlan(bundle).plan)) });
}

type RecordedFacts = Pick<Bundle, "journal" | "input" | "answers" | "planned">;

/**
 * Records a plan and the planner's input. Replaces names by pseudonyms, unless the user allows
 * names.
 * @param salt a secret that is stored nowhere, so that nobody can find the real names from the
 * pseudonyms
 */
export function recordFacts(
  { plan, input, journal }: { readonly plan: Plan; readonly input: PlanInput; readonly journal: readonly OpenIntent[] },
  withNames: boolean,
  salt: string,
): RecordedFacts {
  const wholeInput = { ...input, trees: includeAllDocuments(input.trees) };
  const answers = recordAnswers(wholeInput);
  const ids = listIds(wholeInput);
  const copyFacts = (pseudonyms: Pseudonyms): RecordedFacts => ({
    journal: toPlain(journal, "", pseudonyms, ids),
    input: toPlain(wholeInput, "", pseudonyms, ids),
    answers: toPlain(answers, "", pseudonyms, ids),
    planned: toPlainPlan(plan, pseudonyms, ids),
  });
  const { digest } = makePseudonyms([], [], salt);
  if (withNames) return copyFacts({ ...UNCHANGED_NAMES, digest });
  // A pseudonym depends on all names of the folder, so the first copy only collects the paths.
  const paths = new Set<string>();
  const collectPath = (found: string): string => {
    paths.add(found);
    return found;
  };
  copyFacts({ path: collectPath, digest });
  return copyFacts(makePseudonyms(paths, ids, salt));
}

const UNCHANGED_NAMES: Pseudonyms = { path: (path) => path, digest: (digest) => digest };

function listIds({ trees: { base, remote } }: PlanInput): ReadonlySet<string> {
  const recordMaps = [base.records, base.dirs, base.tombstones, remote.files, remote.folders];
  return new Set(recordMaps.flatMap((map) => [...map.keys()]));
}

/** Plans once more, and records the results of the functions among the planner's arguments. */
function recordAnswers(input: PlanInput): PlannerAnswers {
  const ignores: PlannerAnswers["ignores"] = { file: new Map(), folder: new Map() };
  const conflicts: PlannerAnswers["conflicts"] = new Map();
  const contents = new Map<string, string | null>();
  const { local } = input.trees;
  const recordingTree: LocalTree = {
    ...local,
    ignores: (path, kind) => recordAnswer(ignores[kind], path, local.ignores(path, kind)),
  };
  makePlanFrom({
    ...input,
    trees: { ...input.trees, local: recordingTree },
    policy: { ...input.policy, conflicts: (path) => recordAnswer(conflicts, path, input.policy.conflicts(path)) },
    texts: (digest) => recordAnswer(contents, digest, input.texts(digest)),
  });
  return { ignores, conflicts, texts: compareLines(contents) };
}

function recordAnswer<T>(answers: Map<string, T>, question: string, answer: T): T {
  answers.set(question, answer);
  return answer;
}

function makePlanFrom({ trees, policy, signals, texts }: PlanInput): Plan {
  return makePlan(trees, policy, signals, texts);
}

const CONFLICT_MARK = /^(?:<{7} |={7}$|>{7} )/;

function compareLines(contents: ReadonlyMap<string, string | null>): PlannerAnswers["texts"] {
  const profiles = [...contents].map(
    ([digest, text]) => [digest, text === null ? null : makeLineProfile(text)] as const,
  );
  const lineNumbers = new Map<string, number>();
  const occurrences = new Map<string, number>();
  for (const [, profile] of profiles)
    for (const line of profile?.weights.keys() ?? []) occurrences.set(line, (occurrences.get(line) ?? 0) + 1);
  const isShared = (line: string): boolean => occurrences.get(line)! > 1 || CONFLICT_MARK.test(line);
  for (const line of occurrences.keys()) if (isShared(line)) lineNumbers.set(line, lineNumbers.size);
  return new Map(
    profiles.map(([digest, profile]) => {
      if (profile === null) return [digest, null];
      const sharedWeights = [...profile.weights].filter(([line]) => isShared(line));
      const sharedLines = sharedWeights.map(([line, weight]) => ({
        line: lineNumbers.get(line)!,
        length: line.length,
        count: weight / line.length,
        mark: (CONFLICT_MARK.exec(line)?.[0] ?? "") as ConflictMark,
      }));
      return [
        digest,
        { shared: sharedLines, other: sharedWeights.reduce((other, [, weight]) => other - weight, profile.total) },
      ];
    }),
  );
}

/**
 * Rules for the replacement of strings, by the name of the member that has the string. `toPlain`
 * replaces a string without a rule by "".
 */
const STRING_RULES: Readonly<Record<string, "path" | "digest" | "code" | "key" | "approval">> = {
  ...mapMembers("path", "path localPath remotePath newestCopyPath from to lastLocalPath absentTwice returned"),
  ...mapMembers("digest", "digest localDigest bytes echoDigest baseDigest expect writes nextDigest unchangedContents"),
  ...mapMembers("code", "id dirId changeId baseChangeId nextChangeId tombstone carries toRead"),
  ...mapMembers("code", "gone goneFolders outside unsure"),
  ...mapMembers("code", "kind reason code state how cause names direction prefer root refusedCharacters textFault"),
  ...mapMembers("code", "conflicts emptied waived mark"),
  key: "key",
  approved: "approval",
};

function mapMembers<Rule extends string>(rule: Rule, members: string): Record<string, Rule> {
  return Object.fromEntries(members.split(" ").map((member) => [member, rule]));
}

/**
 * Returns a copy of data as JSON, without functions and without private strings.
 * @param member name of the member that has the value
 * @param ids ids of documents and folders. Each other key of a map is a path
 */
function toPlain(value: unknown, member: string, pseudonyms: Pseudonyms, ids: ReadonlySet<string>): PlainData {
  const copyInner = (one: unknown, name = member): PlainData => toPlain(one, name, pseudonyms, ids);
  if (typeof value === "string") return replaceString(value, STRING_RULES[member], pseudonyms, ids);
  if (typeof value === "function" || value === undefined) return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => copyInner(one));
  if (value instanceof Set) return { set: Array.from(value, (one) => copyInner(one)) };
  if (value instanceof Map) {
    const keyMember = member === "texts" ? "digest" : "key";
    return { map: Array.from(value, ([key, one]) => [copyInner(key, keyMember), copyInner(one)]) };
  }
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copyInner(one, name)]));
}

function replaceString(
  value: string,
  rule: (typeof STRING_RULES)[string] | undefined,
  { path, digest }: Pseudonyms,
  ids: ReadonlySet<string>,
): string {
  if (rule === "path" || (rule === "key" && !ids.has(value))) return path(value);
  if (rule === "digest") return digest(value);
  if (rule === "approval") return value.replace(/\b[0-9a-f]{64}\b/g, digest);
  return rule === "code" || rule === "key" ? value : "";
}

/** Returns a plan as data for a bundle, in which messages and hashes of names become "". */
export function toPlainPlan(plan: Plan, pseudonyms = UNCHANGED_NAMES, ids: ReadonlySet<string> = new Set()): PlainPlan {
  const { steps, blocks, verdict, toRead = [], renamedForOthers = [] } = plan;
  const planParts = { steps, blocks, verdict: [verdict], toRead, renamedForOthers };
  return toPlain(planParts, "", pseudonyms, ids) as PlainPlan;
}

/** Returns a line for each difference between two plans, including a different order of steps. */
export function comparePlans(planned: PlainPlan, replayed: PlainPlan): string[] {
  return (["steps", "blocks", "verdict", "toRead", "renamedForOthers"] as const).flatMap((part) => {
    const plannedEntries = new Set(planned[part].map((one) => JSON.stringify(one)));
    const replayedEntries = new Set(replayed[part].map((one) => JSON.stringify(one)));
    const lostEntries = [...plannedEntries.difference(replayedEntries)].map((one) => `- ${part}: ${one}`);
    const addedEntries = [...replayedEntries.difference(plannedEntries)].map((one) => `+ ${part}: ${one}`);
    // Only the order of steps matters. All other lists are ordered by names, and pseudonyms change
    // that order.
    const isMoved =
      part === "steps" &&
      lostEntries.length + addedEntries.length === 0 &&
      [...plannedEntries].join() !== [...replayedEntries].join();
    return [...lostEntries, ...addedEntries, ...(isMoved ? [`~ ${part}: in another order`] : [])];
  });
}

type ReplannedBundle = {
  readonly plan: Plan;
  readonly input: PlanInput;
  /** Number of the planner's calls for which the bundle has no recorded result. */
  readonly unanswered: number;
};

/**
 * Plans again from a bundle, with invented contents. Two invented contents are as similar to each
 * other as the two real contents.
 */
export function replayPlan({ input: plain, answers: recorded }: Pick<Bundle, "input" | "answers">): ReplannedBundle {
  const input = fromPlain(plain) as PlanInput;
  const { ignores, conflicts, texts } = fromPlain(recorded) as PlannerAnswers;
  const contents = inventContents(texts);
  let unansweredCount = 0;
  const answerQuestion = <T>(answers: ReadonlyMap<string, T>, question: string, usual: T): T => {
    if (!answers.has(question)) unansweredCount++;
    return answers.get(question) ?? usual;
  };
  const replayedTree: LocalTree = {
    ...input.trees.local,
    ignores: (path, kind) => answerQuestion(ignores[kind], path, false),
  };
  const replayedInput: PlanInput = {
    ...input,
    trees: { ...input.trees, local: replayedTree },
    policy: { ...input.policy, conflicts: (path) => answerQuestion(conflicts, path, "conflict-copy") },
    texts: (digest) => answerQuestion(contents, digest, null),
  };
  const plan = makePlanFrom(replayedInput);
  return { plan, input: replayedInput, unanswered: unansweredCount };
}

function fromPlain(plain: PlainData): unknown {
  if (typeof plain !== "object" || plain === null) return plain;
  if (Array.isArray(plain)) return plain.map(fromPlain);
  const members = Object.entries(plain);
  if (members.length === 1 && members[0]![0] === "set") return new Set(fromPlain(members[0]![1]) as unknown[]);
  if (members.length === 1 && members[0]![0] === "map")
    return new Map((members[0]![1] as unknown[]).map((pair) => fromPlain(pair) as [unknown, unknown]));
  return Object.fromEntries(members.map(([name, one]) => [name, fromPlain(one)]));
}

/**
 * A bundle has no content, so a replay invents lines that have the same similarities as the real
 * lines. The two constants are the first code points of two ranges of letters. A line that several
 * documents have becomes a letter of the first range. All other lines of a document together become
 * one line with a letter of the second range.
 * LIMIT: about 20,000 shared lines and 11,000 contents, because the ranges have no more letters.
 */
const [SHARED_FROM, OTHER_FROM] = [0x4e00, 0xac00];

function inventContents(texts: PlannerAnswers["texts"]): ReadonlyMap<string, string | null> {
  const contents = [...texts].map(([digest, lines], number) => {
    if (lines === null) return [digest, null] as const;
    const sharedLines = lines.shared.flatMap(({ line, length, count, mark }) =>
      Array<string>(count).fill(inventLine(mark, SHARED_FROM + line, length)),
    );
    const otherLines = lines.other === 0 ? [] : [inventLine("", OTHER_FROM + number, lines.other)];
    return [digest, [...sharedLines, ...otherLines].join("\n")] as const;
  });
  return new Map(contents);
}

function inventLine(mark: string, character: number, length: number): string {
  return length <= mark.length ? mark : `${mark}${String.fromCharCode(character)}`.padEnd(length, "x");
}
