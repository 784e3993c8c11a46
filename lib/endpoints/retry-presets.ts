import type { RetryPolicy } from "./schema.ts";

/** The two policies of product.md. Apart from the schema, so that a form can offer them before it validates. */
export const retryPresets = {
  quick: { max_attempts: 5, base_seconds: 30, cap_seconds: 3_600 },
  patient: { max_attempts: 14, base_seconds: 60, cap_seconds: 43_200 },
} satisfies Record<string, RetryPolicy>;
