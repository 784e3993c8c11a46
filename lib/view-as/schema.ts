import { z } from "zod";
import { affiliateKey } from "#lib/affiliates/schema.ts";

export const viewAsRequest = z.strictObject({ affiliate: affiliateKey });
export type ViewAs = z.infer<typeof viewAsRequest>;
