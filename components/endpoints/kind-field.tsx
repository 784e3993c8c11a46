"use client";

import { useFormContext, useWatch } from "react-hook-form";
import { Radio } from "#components/ui/field.tsx";
import { retryPresets } from "#lib/endpoints/retry-presets.ts";
import type { Postback } from "#lib/endpoints/schema.ts";
import { type EndpointKind, endpointKindLabels, endpointKinds } from "#lib/vocabulary.ts";
import type { EndpointSettings } from "./form-types.ts";

const hints = {
  webhook: "The whole event as signed JSON, by POST. For servers that are programmed to take it.",
  postback: "A URL with macros such as {click_id}, as trackers and affiliate networks ask for.",
} satisfies Record<EndpointKind, string>;

const newPostback: Postback = { method: "GET", content_type: null, body: null, sign: false };

/** What each kind begins with. */
const defaults = {
  webhook: { retry: retryPresets.quick, ordering: "none" },
  postback: { retry: retryPresets.patient, ordering: "per_key" },
} as const;

type Kinded = EndpointSettings & { kind: EndpointKind };

/** Chosen once: an endpoint stays of its kind. What nobody has changed follows the kind's own defaults. */
export function KindField() {
  const { setValue, getValues } = useFormContext<Kinded>();
  const kind = useWatch<Kinded, "kind">({ name: "kind" });
  const change = (next: EndpointKind) => {
    const before = defaults[kind];
    const options = { shouldDirty: true };
    setValue("kind", next, options);
    setValue("postback", next === "postback" ? newPostback : undefined, options);
    setValue("macro_secrets", [], options);
    if (next === "postback" && getValues("event_types") === null)
      setValue("event_types", ["conversion.approved"], options);
    if (getValues("ordering") === before.ordering) setValue("ordering", defaults[next].ordering, options);
    if (JSON.stringify(getValues("retry")) === JSON.stringify(before.retry))
      setValue("retry", defaults[next].retry, options);
  };
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium text-sm">Kind</legend>
      {endpointKinds.map((choice) => (
        <Radio
          key={choice}
          name="kind"
          checked={kind === choice}
          onChange={() => change(choice)}
          hint={hints[choice]}
        >
          {endpointKindLabels[choice]}
        </Radio>
      ))}
    </fieldset>
  );
}
