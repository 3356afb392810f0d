/**
 * Header of each answer with the generation of the service: an opaque string that changes only when
 * the service is restored from a backup. Some deployments never send this header.
 * ASSUMES: the published contract allows additional headers (contract test "names its generation on
 * each answer").
 */
export const GENERATION_HEADER = "x-service-generation";

// LIMIT: printable ASCII of at most 128 characters, because clients store and compare the value.
const GENERATION_FORM = /^[\x21-\x7e]{1,128}$/;

export function isGeneration(value: string | undefined): value is string {
  return value !== undefined && GENERATION_FORM.test(value);
}
