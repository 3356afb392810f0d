import type { ActionOf, Outcome } from "../../model/action.ts";
import { digestOf } from "../../model/digest.ts";
import { takenText } from "../../model/packed-text.ts";
import type { Made, NewFile } from "../../ports/disk.ts";
import type { Answer, ServedFile } from "../../ports/remote.ts";
import type { PassContext } from "../run/pass-context.ts";
import { fromService } from "../run/world.ts";
import { createLocal, type Creating, createServed, endCreation, mayStayDeleted } from "./create-local.ts";
import { outcomeOfFault } from "./effect.ts";

/**
 * New files of many documents, in one step of the plan: what each needs by itself is done for all
 * of them together, and whatever is unusual about one is left to `createLocal`'s own ways.
 */

type Creation = ActionOf<"create-local">;

/** Files that link hold other bytes than their texts, each by where its targets are. */
export function mayCreateMany({ world: { disk, links } }: PassContext): boolean {
  return links === undefined && disk.takesPacked?.() === true;
}

/** A file that is to be made with the others; or how it ends otherwise. */
type Begun = { readonly creating: Creating; readonly file: NewFile } | { readonly end: Outcome | Promise<Outcome> };

/** @returns the outcomes, in the order of the actions */
export async function createAllLocal(ctx: PassContext, actions: readonly Creation[]): Promise<readonly Outcome[]> {
  const answers = await readAll(ctx, actions);
  if (ctx.world.clock.turn !== undefined) await ctx.world.clock.turn();
  const begun = actions.map((action, n) => begin(ctx, action, answers[n]!));
  // ORDER: what is left of the others goes on meanwhile, and none of them may fail unheard.
  const [others, made] = await Promise.all([
    Promise.all(begun.map((one) => ("end" in one ? one.end : null))),
    makeAll(
      ctx,
      begun.flatMap((one) => ("file" in one ? [one.file] : [])),
    ),
  ]);
  const files = made.values();
  return Promise.all(
    begun.map((one, n) =>
      "file" in one ? endCreation(ctx, actions[n]!, one.creating, files.next().value!) : others[n]!,
    ),
  );
}

async function makeAll({ world: { disk } }: PassContext, files: readonly NewFile[]): Promise<Made> {
  return files.length === 0 ? [] : disk.createAll(files);
}

/** The answers to reads of all of them; of those that were read ahead, the answers to that. */
async function readAll(
  { world: { remote }, notes: { ahead } }: PassContext,
  actions: readonly Creation[],
): Promise<readonly Answer<ServedFile>[]> {
  const asked = actions.map(({ id }) => ahead?.take(id) ?? null);
  const left = actions.flatMap(({ id }, n) => (asked[n] === null ? [id] : []));
  const answers = left.length === 0 ? [] : await remote.getAllServed(left);
  let next = 0;
  return Promise.all(asked.map((one) => one ?? answers[next++]!));
}

function begin(ctx: PassContext, action: Creation, answer: Answer<ServedFile>): Begun {
  if (mayStayDeleted(ctx, action)) return { end: createLocal(ctx, action) };
  if (!answer.ok) return { end: outcomeOfFault(answer.fault) };
  const { value: file, requestId } = answer;
  if (fromService(ctx.world, file.path) !== action.remotePath)
    return { end: createServed(ctx, action, { file, requestId }) };
  const creating = { changeId: file.lastChangeId, isProtected: file.protected };
  const { id, localPath: path, remotePath } = action;
  const of = { id, remotePath, changeId: file.lastChangeId };
  const { content } = file;
  if (typeof content !== "string" && content.isZipped) {
    const text = content.take();
    return { creating: { ...creating, digest: null }, file: { path, text, of } };
  }
  const text = takenText(content);
  if (text?.isWellFormed() === true)
    return { creating: { ...creating, digest: digestOf(text) }, file: { path, text, of } };
  // One that came damaged is read again; one that no file can hold is told in the usual way.
  const ended =
    text === null
      ? createLocal(ctx, action)
      : createServed(ctx, action, { file: { ...file, content: text }, requestId });
  return { end: ended };
}
