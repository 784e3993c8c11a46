"use client";

import { ownerReasonWords, type ReasonWords, staffReasonWords } from "#lib/endpoints/owner-words.ts";
import { useIsAffiliate } from "./reader.tsx";

/** What happened and what to do about it, in words for this reader. */
export function useReasonWords(): ReasonWords {
  return useIsAffiliate() ? ownerReasonWords : staffReasonWords;
}
