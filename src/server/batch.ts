import { BATCH_TYPE, MAX_BATCH_BYTES, PACKED_BATCH_TYPE } from "../contract/batch.ts";
import { BATCH } from "../contract/routes.ts";
import type { WireRequest, WireResponse } from "../contract/wire.ts";
import { type Answer, doneInBytes, doneInParts, isRefused, type Refused, refuse } from "./answer.ts";
import { type Admit, refusalOfRequest, sentHash } from "./authenticate.ts";
import { type Batched, linesOf, readBatch, writePacked } from "./batch-lines.ts";
import { type BodyFault, refuseRequest } from "./body.ts";
import { answerBatched, answering, closing, type Core } from "./dispatch.ts";
import { readQuery } from "./query.ts";
import { type BatchForm, splitTarget } from "./router.ts";

/** POST /v1/batch: each of its requests is answered as by itself (`contract/batch.ts`). */

/** What is told of a request of a batch, as of one that came by itself. */
export type BatchedTaken = {
  readonly method: string;
  readonly path: string;
  /** null: it is not answered yet. */
  answered: { readonly status: number; readonly requestId: string | null } | null;
};

type Carried = {
  readonly fault: BodyFault | null;
  /** The rate limit, for which each of its requests counts, and a malformed batch as one. */
  readonly admit: Admit;
  readonly noted: { batched: readonly BatchedTaken[] } | undefined;
};

const EVERYBODY: Admit = () => null;

export function isBatch({ method, path }: Pick<WireRequest, "method" | "path">): boolean {
  return method === "POST" && path.startsWith(BATCH) && splitTarget(path).path === BATCH;
}

export async function answerBatch(core: Core, request: WireRequest, carried: Carried): Promise<WireResponse> {
  return (await answering(core, () => answer(core, request, carried)))!;
}

async function answer(core: Core, request: WireRequest, { fault, admit, noted }: Carried): Promise<Answer> {
  if (!core.isOpen) return closing();
  const unfit = refuseRequest(fault);
  if (unfit !== null) return unfit;
  const batch = read(request, fault);
  const hash = sentHash(request.headers);
  const refused = await refusalOfRequest(core.server, hash, isRefused(batch) ? admit : EVERYBODY);
  if (refused !== null) return refused;
  if (isRefused(batch)) return batch;
  const taken = batch.map(({ method, path }): BatchedTaken => ({ method, path, answered: null }));
  if (noted !== undefined) noted.batched = taken;
  const form = formOf(request);
  const answers = await answerAll(core, batch, { hash, admit, form });
  for (const [at, { status, headers }] of answers.entries())
    taken[at]!.answered = { status, requestId: headers["x-request-id"] ?? null };
  if (form === "lines")
    return { ...doneInParts(200, answers.flatMap(linesOf)), headers: { "content-type": BATCH_TYPE } };
  return { ...doneInBytes(writePacked(answers)), headers: { "content-type": PACKED_BATCH_TYPE } };
}

function formOf({ headers }: WireRequest): BatchForm {
  return headers["accept"]?.includes(PACKED_BATCH_TYPE) === true ? "packed" : "lines";
}

function read({ path, body }: WireRequest, fault: BodyFault | null): readonly Batched[] | Refused {
  const query = readQuery(splitTarget(path).query, []);
  if (isRefused(query)) return query;
  if (fault === "too-large" || Buffer.byteLength(body ?? "") > MAX_BATCH_BYTES)
    return refuse("invalid_request", `The batch has more than ${MAX_BATCH_BYTES} bytes.`);
  if (fault !== null) return refuse("invalid_request", "The batch is incomplete or not UTF-8.");
  return readBatch(body ?? "");
}

/** They begin in their order, and none waits for another, but for what the store makes it wait. */
function answerAll(
  core: Core,
  batch: readonly Batched[],
  as: Parameters<typeof answerBatched>[2],
): Promise<WireResponse[]> {
  return Promise.all(
    batch.map(async (one) => {
      const response = await answerBatched(core, { ...one, headers: {} }, as);
      core.served(one.method !== "GET");
      return response;
    }),
  );
}
