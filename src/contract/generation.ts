/**
 * Header with the service's generation, on each answer: an opaque mark that changes only when the
 * service is restored from a backup. Some deployments never send one. ASSUMES: the published
 * contract allows further headers (contract test "names its generation on each answer").
 */
export const GENERATION_HEADER = "x-service-generation";

// LIMIT: form of the mark of a generation; a client only stores and compares it.
const GENERATION_FORM = /^[\x21-\x7e]{1,128}$/;

export function isGeneration(value: string | undefined): value is string {
  return value !== undefined && GENERATION_FORM.test(value);
}
