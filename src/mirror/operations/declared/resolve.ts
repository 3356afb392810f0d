import * as z from "zod";
import { type Declaration, DIGEST, MANY_RESULT_FIELDS, makeOption, PATHS } from "../define.ts";

/** Choices that resolve a problem, each with its effect in words. */
export const WAYS = {
  mine: "keep the local version and upload it (in review: submit it again; refused: try again)",
  theirs: "take the version on the service (in review or refused: drop the local edit)",
  merged: "take the merged content",
  "merged-where-clean": "merge both versions where they merge cleanly; leave the others",
  keep: "for a blocked document: keep it",
  delete: "for a blocked document: delete it",
  recreate: "for a move to the root that the service refuses: create a new document in the root and delete the old one",
} as const;

export type ResolveWay = keyof typeof WAYS;

const WAY = z.enum(Object.keys(WAYS) as [ResolveWay, ...ResolveWay[]]);

export const RESOLVE = {
  name: "resolve",
  summary: "resolve conflicts and blocked documents",
  about: [
    "Applies your choice, then syncs. Mine is the local version, theirs the version on the service. The version that you do not choose stays in the history and in .mdmirror/trash.",
    "You can also decide in a file manager. Delete the (theirs) file to keep your version. Move it over the document to take the other version.",
    "A folder or a quoted glob (** matches any folder) takes all problems below it. Several problems can be ended by mine, theirs and merged-where-clean. They count as one run, which undo takes back. Documents that this choice does not resolve are listed and left unchanged.",
  ],
  access: "write",
  input: z.strictObject({
    paths: PATHS.optional(),
    way: WAY.meta({
      isOperand: true,
      description: Object.entries(WAYS)
        .map(([way, does]) => `${way}: ${does}`)
        .join("; "),
    }),
    text: makeOption(z.string().max(200_000), "the complete content, for merged", { isOperand: true }),
    force: makeOption(z.boolean(), "accept content with conflict markers"),
  }),
  expected: z.strictObject({
    mine: DIGEST.nullable().describe("the local version of one document; null if there is no file"),
    theirs: DIGEST.nullable().describe("the version on the service; null for a block"),
    base: DIGEST.nullable().describe("the last version that both sides had; null if both are new"),
  }),
  result: z.strictObject({ way: WAY, ...MANY_RESULT_FIELDS }),
} satisfies Declaration;
