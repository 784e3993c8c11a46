import { z } from "zod";
import type { RenderResult } from "#lib/delivery/template/render.ts";
import type { TemplateWarning } from "#lib/delivery/template/types.ts";
import { refuseMisfits } from "#lib/endpoints/schema.ts";
import { eventTypeName } from "#lib/event-types/schema.ts";
import { eventEnvelope } from "#lib/events/schema.ts";
import { httpMethods, postbackContentTypes } from "#lib/vocabulary.ts";

const secretText = /^whsec_[A-Za-z0-9+/]+={0,2}$/;

/** Everything of a preview's request but the event's data. What the texts may hold, the check of templates says. */
export const templatePreview = z
  .strictObject({
    template: z.string().trim(),
    method: z.enum(httpMethods).default("GET"),
    body: z.string().nullable().default(null),
    content_type: z.enum(postbackContentTypes).nullable().default(null),
    /** `whsec_...` stands for the bytes behind it. */
    sign_with: z
      .string()
      .min(1)
      .max(1_000)
      .refine((key) => !key.startsWith("whsec_") || secretText.test(key), "must have base64 behind whsec_")
      .nullable()
      .default(null),
    event: z.strictObject({ type: eventTypeName, occurred_at: eventEnvelope.shape.occurred_at }),
  })
  .superRefine(({ sign_with, ...request }, context) => {
    refuseMisfits({ ...request, sign: sign_with !== null }, (field, message) => {
      context.addIssue({ code: "custom", path: [field === "sign" ? "sign_with" : field], message });
    });
  });
export type TemplatePreviewRequest = z.infer<typeof templatePreview> & {
  /** The JSON text of an object, as it came. */
  dataText: string;
};

/** What would be sent, secrets as macros; or why the event would never be. */
export type TemplatePreview =
  | { url: string; body?: string; warnings: TemplateWarning[] }
  | { skipped: Extract<RenderResult, { kind: "skipped" }>["reason"] }
  | { failed: Extract<RenderResult, { kind: "failed" }>["reason"] };
