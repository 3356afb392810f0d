import { describe, expect, test } from "vitest";
import { failureWords } from "../../src/common/failure-words.ts";

describe("why an exchange had no answer", () => {
  test.each([
    ["UND_ERR_SOCKET", "the connection was cut"],
    ["ECONNREFUSED", "nothing listens at this address"],
    ["ENOTFOUND", "no computer has this name"],
    ["UND_ERR_INVALID_ARG", "the connection failed"],
    ["HPE_INVALID_CONSTANT", "the answer is not HTTP"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "no secure connection (TLS) could be made"],
    ["CERT_HAS_EXPIRED", "its certificate has expired"],
    ["TypeError", "the connection failed"],
    ["deadline of 30000 ms", "no answer within 30 s"],
    ["the answer is too large", "the answer is too large"],
  ])("%s is told as: %s", (why, words) => {
    expect(failureWords(why)).toBe(words);
  });

  test("an unknown authority can be added by the named variable", () => {
    for (const why of ["SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"])
      expect(failureWords(why)).toContain("NODE_EXTRA_CA_CERTS");
  });
});
