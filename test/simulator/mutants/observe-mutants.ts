import type { Mutant } from "./mutant.ts";

/**
 * Mutants of the scans and of the safety checks: wrong absences, and plans that should have been
 * stopped.
 */
export const SEEING_MUTANTS: readonly Mutant[] = [
  {
    id: "absence-without-proof",
    promise: "I04",
    does: "takes what a listing does not show for gone, without a GET",
    file: "mirror/engine/observe/documents.ts",
    find: "if (missing.length === 0) return { ...proof, fault: null, nothingKnown: false };",
    replace:
      "for (const id of missing) proof.gone.add(id);\n  if (missing.length >= 0) return { ...proof, fault: null, nothingKnown: false };",
    tests: ["promises/emptied.test.ts"],
  },
  {
    id: "failed-page-is-absence",
    promise: "I20",
    does: "takes the pages it got before one failed for the whole listing",
    file: "mirror/remote/listing.ts",
    find: "return { items: [...earlierItems.values()], complete: false, fault: listingEnd.fault };",
    replace: "return { items: [...earlierItems.values()], complete: true, fault: null };",
    also: [
      {
        file: "mirror/engine/observe/documents.ts",
        find: "if (missing.length === 0) return { ...proof, fault: null, nothingKnown: false };",
        replace:
          "for (const id of missing) proof.gone.add(id);\n  if (missing.length >= 0) return { ...proof, fault: null, nothingKnown: false };",
      },
    ],
    tests: ["promises/list-atomic.test.ts"],
  },
  {
    id: "second-look-skipped",
    promise: "I04",
    does: "deletes there after one look at an absence here",
    file: "mirror/planner/decide/gates.ts",
    find: "if (draft.policy.absentTwice?.has(record.localPath) !== false) return false;",
    replace: "return false;",
    tests: ["planner/policy.test.ts"],
  },
  {
    id: "any-refusal-is-absence",
    promise: "I19",
    does: "takes 401 and 403 for 404: what the key may not read is gone",
    file: "mirror/engine/observe/documents.ts",
    find: 'if (answer.fault.kind === "problem" && answer.fault.code === "file_not_found") results.notFound.push(id);',
    replace: 'if (answer.fault.kind === "problem" || answer.fault.kind === "locked-out") results.notFound.push(id);',
    also: [
      {
        file: "mirror/remote/listing.ts",
        find: "const fault = (this.#checksOrigin() ? findForeignRefusal(reply) : null) ?? toFault(GET_REQUEST, reply);",
        replace:
          'const fault = toFault(GET_REQUEST, reply);\n    if (fault.kind === "locked-out" || fault.kind === "problem") return { kind: "complete" };',
      },
      {
        file: "mirror/engine/observe/documents.ts",
        find: "if (isKeyProven || wasProvenBefore(base, id)) proof.gone.add(id);",
        replace: "if (isKeyProven || notFound.length > 0) proof.gone.add(id);",
      },
    ],
    tests: ["promises/emptied.test.ts"],
  },
  {
    id: "delete-budget-ignored",
    promise: "I21",
    does: "deletes any number of documents without a question",
    file: "mirror/planner/verdict/verdict.ts",
    find: "return lossesBefore + deleted.length + emptied.length + further > limit;",
    replace: "return lossesBefore + deleted.length + emptied.length + further > Number.POSITIVE_INFINITY;",
    tests: ["planner/verdict.test.ts"],
  },
  {
    id: "guarded-steps-run",
    promise: "I21",
    does: "halts, and runs the deletions that it asks about all the same",
    file: "mirror/engine/run/cycle.ts",
    find: 'if (plan.verdict.kind === "safety-stop") return { value',
    replace: "if (plan.steps.length === 0) return { value",
    tests: ["promises/based-write.test.ts"],
  },
  {
    id: "root-unchecked",
    promise: "I04",
    does: "does not compare the folder's marker with the state's: an empty mount point is an emptied tree",
    file: "mirror/engine/run/guard-facts.ts",
    find: 'if (currentRoot.markerId === null) return { root: "marker-missing", inodesTrusted: false };',
    replace: "",
    also: [
      {
        file: "mirror/engine/run/guard-facts.ts",
        find: 'if (currentRoot.markerId !== state.meta(META.rootMarker)) return { root: "other-marker", inodesTrusted: false };',
        replace: "",
      },
      {
        file: "mirror/engine/run/guard-facts.ts",
        find: 'return { root: "moved-or-copied", inodesTrusted: false };',
        replace: 'return { root: "same", inodesTrusted: false };',
      },
    ],
    tests: ["promises/scope.test.ts"],
  },
  {
    id: "restored-service-unnoticed",
    promise: "I03",
    does: "writes the old versions of a service that was restored from a backup over the local texts",
    file: "mirror/planner/verdict/stops.ts",
    find: "if (earlierVersions.size < fewestForDoubt) return null;",
    replace: "if (earlierVersions.size < Number.POSITIVE_INFINITY) return null;",
    tests: ["planner/verdict.test.ts"],
  },
  {
    id: "racy-stamp-trusted",
    promise: "I29",
    does: "trusts a stamp as young as the look, so that a second save in the same tick is never seen",
    file: "mirror/local/results.ts",
    find: "return diskNow !== null && Math.max(stamp.mtimeMs, stamp.ctimeMs) + STAMP_GRANULARITY_MS < diskNow;",
    replace: "return diskNow !== null;",
    tests: ["local/walk.test.ts"],
  },
];
