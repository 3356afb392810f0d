/**
 * Answers both kinds of search (`src/contract/README.md`, "Search" and "Limits"). An answer
 * contains all documents that were found and that the key may read. There are no further pages.
 */

import { SEARCH_REGEX_LINES } from "../../contract/limits.ts";
import type { RegexHit, SearchHit } from "../../contract/api/resources.ts";
import { SEARCH_HYBRID_PATH, SEARCH_REGEX_PATH } from "../../contract/resources.ts";
import type { CompiledRegex } from "../../markdown/search/engine.ts";
import { searchHybrid as byWords } from "../../markdown/search/hybrid.ts";
import { searchRegex as byRegex } from "../../markdown/search/regex.ts";
import type { DocumentSource } from "../../markdown/search/source.ts";
import type { StepPermit } from "../../markdown/search/scheduler.ts";
import { type Answer, makeDoneFromJson, isRefused, type Refused, refuse, refuseFields } from "../requests/answer.ts";
import type { OperationCall, ContinuedRequest, RequestContext } from "../requests/context.ts";
import { presentWithContent } from "../files/present.ts";
import type { FoundFile, SearchScope } from "../store/found-files.ts";

export async function searchHybrid({ context, body }: OperationCall<"searchHybrid">): Promise<ContinuedRequest> {
  const { query, limit, includeSources } = body;
  return continueSearch(context, body, async (source, pace) => {
    const result = await byWords(source, pace, query, limit);
    if (result.kind === "ended") return refuseDisconnected();
    return answerHits(SEARCH_HYBRID_PATH, result.hits, pace, ({ found, score, snippets }): SearchHit => {
      const file = presentWithContent(found.file, found.text);
      const hit = { ...file, score: Number(score.toPrecision(6)) };
      if (!includeSources) return hit;
      return { ...hit, sources: snippets.map((snippet) => ({ object: "snippet", fileId: file.id, ...snippet })) };
    });
  });
}

/**
 * LIMIT: number of steps of the regex engine in one search, so that a search takes limited time.
 * All patterns take linear time, but some take many steps for each character. If all matches of a
 * pattern contain a certain string, only documents that contain this string are searched.
 */
const MAX_REGEX_STEPS = 80_000_000;

/**
 * ASSUMES: the syntax of patterns is that of RE2. A malformed pattern, or one whose compiled
 * program is too large, is answered `400 invalid_request` at `/query` (contract tests "refuses a
 * malformed pattern", "refuses a pattern that grows beyond measure").
 */
export async function searchRegex({
  context,
  body,
}: OperationCall<"searchRegex">): Promise<Refused | ContinuedRequest> {
  const regex = await compilePattern(body.query);
  if (isRefused(regex)) return regex;
  const limits = { limit: body.limit, steps: MAX_REGEX_STEPS, lines: SEARCH_REGEX_LINES };
  return continueSearch(context, body, async (source, pace) => {
    const result = await byRegex(source, pace, regex, limits);
    if (result.kind === "ended") return refuseDisconnected();
    if (result.kind === "too-many-steps") return refuseTooCostly();
    return answerHits(SEARCH_REGEX_PATH, result.hits, pace, ({ found, matches }): RegexHit => {
      const file = presentWithContent(found.file, found.text);
      if (!body.includeSources) return file;
      return { ...file, sources: matches.map((match) => ({ object: "match", fileId: file.id, ...match })) };
    });
  });
}

function refuseTooCostly(): Refused {
  const detail =
    "The pattern takes too many steps for what is to be searched. Give it a literal part, or a path_prefix.";
  return refuse("search_too_costly", detail, [{ code: "out_of_range", pointer: "/query", detail }]);
}

/**
 * Returns the answer for a client that has disconnected. Nobody receives this answer; only the
 * access log shows it.
 */
function refuseDisconnected(): Refused {
  return refuse("service_unavailable", "The client of this search has disconnected.");
}

/**
 * Returns a search that runs after the transaction in which the key was checked. Each step of the
 * search is a transaction of its own; other requests are answered between the steps.
 */
function continueSearch(
  context: RequestContext,
  { path_prefix: sent = "" }: { readonly path_prefix?: string | undefined },
  search: (source: DocumentSource<FoundFile>, pace: StepPermit) => Promise<Answer>,
): ContinuedRequest {
  const scope = makeSearchScope(context, sent === "" ? null : sent);
  return { kind: "continues", resume: (store, pace) => search(store.search(scope), pace) };
}

/** @param prefix folder to which the search is limited; null for the whole workspace */
export function makeSearchScope({ workspace, access }: RequestContext, prefix: string | null): SearchScope {
  return { workspace: workspace.seq, prefix, grants: access.grants };
}

async function compilePattern(pattern: string): Promise<CompiledRegex | Refused> {
  // The regex engine is loaded when a search first needs it, so that the service starts faster.
  const { compileRegex } = await import("../../markdown/search/engine.ts");
  const compiled = compileRegex(pattern);
  if (compiled.kind === "compiled") return compiled.regex;
  const code = compiled.kind === "malformed" ? "invalid_format" : "out_of_range";
  const detail = `The pattern cannot be used: ${compiled.why.slice(0, 200)}.`;
  return refuseFields([{ code, pointer: "/query", detail }]);
}

/** Makes the answer to a search. Other requests are answered while this function runs. */
async function answerHits<Hit extends { readonly found: FoundFile }>(
  url: string,
  hits: readonly Hit[],
  pace: StepPermit,
  presentHit: (hit: Hit) => SearchHit | RegexHit,
): Promise<Answer> {
  const items: string[] = [];
  for (const hit of hits) {
    if (!(await pace.take(hit.found.text.length))) return refuseDisconnected();
    items.push(JSON.stringify(presentHit(hit)));
  }
  const listEnd = '"hasMore":false,"nextCursor":null';
  return makeDoneFromJson(`{"object":"list","url":${JSON.stringify(url)},"data":[${items.join(",")}],${listEnd}}`);
}
