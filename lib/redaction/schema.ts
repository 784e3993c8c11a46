import { z } from "zod";
import { plainText } from "#lib/api/text.ts";
import { maxReasonLength, minReasonLength } from "./limits.ts";

/** Seeing masked values needs a reason, which goes into the audit log. */
export const valueReveal = z.strictObject({
  reason: plainText().trim().min(minReasonLength).max(maxReasonLength),
});
export type ValueReveal = z.infer<typeof valueReveal>;
