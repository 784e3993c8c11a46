import { issueWords } from "#lib/api/issue-words.ts";
import { fieldErrors, invalidInput } from "#lib/api/issues.ts";
import { maxBodyTemplateLength, maxUrlTemplateLength } from "#lib/delivery/template/types.ts";
import { invalidField } from "#lib/errors.ts";
import { dataErrors, memberFault, readJson, smallValues, takeObject } from "#lib/events/json-members.ts";
import { maxEventBytes } from "#lib/events/schema.ts";
import { type TemplatePreviewRequest, templatePreview } from "./schema.ts";

/** An event as large as may be published, beside the longest templates with every character escaped. */
export const maxPreviewBytes = maxEventBytes + 6 * (maxUrlTemplateLength + maxBodyTemplateLength);

/** Reads the body of a preview's request; the event's data are the text that came, its digits untouched. */
export function parsePreview(body: Buffer): TemplatePreviewRequest {
  const request = readJson(body, takeObject);
  if (!request.isObject) throw invalidField("body", "must be an object");
  const place = request.members.find(({ name }) => name === "event")?.value;
  const event = place && takeObject({ bytes: body, at: place.start });
  for (const [object, path] of [[request, ""] as const, ...(event ? [[event, "event."] as const] : [])]) {
    const fault = memberFault(object);
    if (fault) throw invalidField(fault.field === null ? "body" : `${path}${fault.field}`, fault.message);
  }

  const isObject = event?.isObject === true;
  const data = event?.members.find(({ name }) => name === "data")?.value;
  const values = smallValues(body, request, { except: [] });
  if (isObject) values.event = smallValues(body, event, { except: ["data"] });
  const checked = templatePreview.safeParse(values, { error: issueWords });
  const errors = [
    ...(checked.success ? [] : fieldErrors(checked.error, "body")),
    ...(isObject ? dataErrors(body, { data, field: "event.data" }) : []),
  ];
  if (!checked.success || !data || errors.length > 0) throw invalidInput(errors);
  return { ...checked.data, dataText: body.toString("utf8", data.start, data.end) };
}
