/**
 * Name of the header with the generation of the service. A generation is an opaque string on each
 * answer; it changes only when the service is restored from a backup. Some services never send this
 * header.
 * ASSUMES: the published contract allows additional headers (contract test "names its generation on
 * each answer").
 */
export const GENERATION_HEADER = "x-service-generation";

// LIMIT: a generation has at most 128 characters, all printable ASCII, because clients store and
// compare it.
const GENERATION_FORM = /^[\x21-\x7e]{1,128}$/;

export function isGeneration(value: string | undefined): value is string {
  return value !== undefined && GENERATION_FORM.test(value);
}
