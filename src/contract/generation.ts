/**
 * Name of the header that contains the generation of the service, on each answer. The generation is
 * an opaque string that changes only when the service is restored from a backup. Some deployments
 * never send it.
 * ASSUMES: the published contract allows further headers (contract test "names its generation on
 * each answer").
 */
export const GENERATION_HEADER = "x-service-generation";

// LIMIT: characters and length of a generation. A client only stores and compares it.
const GENERATION_FORM = /^[\x21-\x7e]{1,128}$/;

export function isGeneration(value: string | undefined): value is string {
  return value !== undefined && GENERATION_FORM.test(value);
}
