import type { Actor } from "#lib/auth/actor.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { appDatabase } from "#lib/db/app.ts";
import { readFields } from "#lib/delivery/catalogue.ts";
import { signUrl } from "#lib/delivery/signature.ts";
import { checkTemplate } from "#lib/delivery/template/check.ts";
import { compileTemplate, renderTemplate } from "#lib/delivery/template/render.ts";
import { maxUrlBytes } from "#lib/delivery/template/types.ts";
import { refuseAddress, templateProblem } from "#lib/endpoints/check-content.ts";
import { invalidField } from "#lib/errors.ts";
import { selectFieldsOfTypes } from "#lib/event-types/queries.ts";
import { signingKeyOf } from "#lib/secrets.ts";
import type { TemplatePreview, TemplatePreviewRequest } from "./schema.ts";

/** What stands for ids that only a delivery has. */
const example = { eventId: "preview", deliveryId: "0", affiliateId: "00000000-0000-0000-0000-000000000000" };

/**
 * What a template would send for an event, by the code that sends it; secrets stay macros. 422 where an endpoint with
 * this template, subscribed to the event's type, could not be saved.
 */
export async function previewTemplate(
  actor: Actor,
  request: TemplatePreviewRequest,
): Promise<TemplatePreview> {
  authorize(actor, "template.preview");
  const { template: url, method, body, content_type: contentType, event } = request;
  const eventTypes = await selectFieldsOfTypes(appDatabase().orm, [event.type]);
  const [type] = eventTypes;
  if (!type) throw invalidField("event.type", "is not in the catalogue of event types");
  const checked = checkTemplate({ method, url, body, contentType }, { eventTypes, secretNames: null });
  if (!checked.ok) throw templateProblem(checked.faults, { url: "template", body: "body" });
  refuseAddress(checked.source.url, "template");

  const rendered = renderTemplate(compileTemplate(checked.source), {
    values: readFields(request.dataText, type.fields),
    event: {
      id: example.eventId,
      type: event.type,
      occurredAtMs: event.occurred_at === undefined ? Date.now() : Date.parse(event.occurred_at),
    },
    deliveryId: example.deliveryId,
    affiliateId: example.affiliateId,
  });
  if (rendered.kind === "skipped") return { skipped: rendered.reason };
  if (rendered.kind === "failed") return { failed: rendered.reason };
  const { sign_with } = request;
  const sent = sign_with === null ? rendered.url : signUrl(rendered.url, signingKeyOf(sign_with));
  if (sent.length > maxUrlBytes) return { failed: "url_too_long" };
  return {
    url: sent,
    ...(rendered.body === null ? {} : { body: rendered.body }),
    warnings: [...checked.warnings, ...rendered.warnings],
  };
}
