"use client";

import { useFormContext } from "react-hook-form";
import { Field, Input } from "#components/ui/field.tsx";
import type { EndpointKind } from "#lib/vocabulary.ts";
import { AdvancedFields } from "./advanced-fields.tsx";
import { EventTypesField } from "./event-types-field.tsx";
import { FiltersField } from "./filters-field.tsx";
import type { EndpointSettings } from "./form-types.ts";
import { PostbackFields } from "./postback-fields.tsx";
import { RetryField } from "./retry-field.tsx";

type EndpointSettingsFieldsProps = {
  kind: EndpointKind;
  /** Whose events a template is tried with; null as long as nobody is chosen. */
  affiliate: string | null;
};

export function EndpointSettingsFields({ kind, affiliate }: EndpointSettingsFieldsProps) {
  const { register, formState } = useFormContext<EndpointSettings>();
  const { errors } = formState;
  return (
    <>
      <div className="flex max-w-2xl flex-col gap-5">
        <Field
          label="Name"
          error={errors.name?.message}
          hint="How people will find it, for example “Orders, production”."
        >
          {(ids) => <Input {...ids} {...register("name")} autoComplete="off" />}
        </Field>
        {kind === "webhook" ? <WebhookUrl /> : null}
        <EventTypesField canTakeAll={kind === "webhook"} />
      </div>
      {kind === "postback" ? <PostbackFields affiliate={affiliate} /> : null}
      <div className="flex max-w-2xl flex-col gap-5">
        <FiltersField />
        <RetryField />
        <AdvancedFields />
      </div>
    </>
  );
}

function WebhookUrl() {
  const { register, formState } = useFormContext<EndpointSettings>();
  return (
    <Field
      label="URL"
      error={formState.errors.url?.message}
      hint="Events are sent here by POST. It is shown, stored and sent exactly as saved."
    >
      {(ids) => (
        <Input
          {...ids}
          {...register("url")}
          type="text"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://"
          className="font-mono text-xs"
        />
      )}
    </Field>
  );
}
