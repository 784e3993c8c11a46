"use client";

import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo } from "react";
import { useController, useFormContext, useWatch } from "react-hook-form";
import { Checkbox, Field, Select } from "#components/ui/field.tsx";
import { allEventTypesOptions } from "#lib/event-types/client.ts";
import { type HttpMethod, httpMethods, type PostbackContentType } from "#lib/vocabulary.ts";
import { type EndpointSettings, useFieldMessage } from "./form-types.ts";
import { NamedValuesField } from "./named-values-field.tsx";
import { PresetField } from "./preset-field.tsx";

// With the code that checks and renders templates, which no other page needs.
const TemplateEditor = lazy(async () => ({
  default: (await import("#components/template-editor/template-editor.tsx")).TemplateEditor,
}));

/** The template of a postback, how it is sent, and the secrets in it. */
export function PostbackFields({ affiliate }: { affiliate: string | null }) {
  const { getValues, setValue } = useFormContext<EndpointSettings>();
  const url = useController<EndpointSettings, "url">({ name: "url" });
  const body = useController<EndpointSettings, "postback.body">({ name: "postback.body" });
  const urlError = useFieldMessage("url");
  const bodyError = useFieldMessage("postback.body");
  const [method, contentType, sign, secrets, chosen] = useWatch<
    EndpointSettings,
    ["postback.method", "postback.content_type", "postback.sign", "macro_secrets", "event_types"]
  >({
    name: ["postback.method", "postback.content_type", "postback.sign", "macro_secrets", "event_types"],
  });
  const { data: catalogue } = useQuery(allEventTypesOptions());
  const eventTypes = useMemo(
    () => (catalogue ?? []).filter(({ name }) => chosen?.includes(name)),
    [catalogue, chosen],
  );
  const names = secrets.map(({ name }) => name).filter(Boolean);
  // By their text, so that a value that is typed does not check the template again.
  const namesText = names.join("\n");
  const secretNames = useMemo(() => (namesText === "" ? [] : namesText.split("\n")), [namesText]);
  const keepSecret = (name: string, value: string) => {
    const kept = getValues("macro_secrets");
    if (kept.some((secret) => secret.name === name)) return;
    setValue("macro_secrets", [...kept, { name, value }], { shouldDirty: true });
  };
  return (
    <div className="flex flex-col gap-5">
      <PresetField />
      <Suspense fallback={<div className="skeleton h-64" />}>
        <TemplateEditor
          method={method ?? "GET"}
          contentType={contentType ?? null}
          sign={sign ?? false}
          url={{ ...url.field, error: urlError }}
          body={
            typeof contentType === "string"
              ? { ...body.field, value: body.field.value ?? "", error: bodyError }
              : null
          }
          settings={<SendingFields />}
          eventTypes={eventTypes}
          secretNames={secretNames}
          affiliate={affiliate}
          onSecret={keepSecret}
        />
      </Suspense>
      <div className="max-w-2xl">
        <NamedValuesField list="macro_secrets" />
      </div>
    </div>
  );
}

const contentTypeLabels = {
  "application/json": "JSON",
  "application/x-www-form-urlencoded": "Form",
} satisfies Record<PostbackContentType, string>;

function SendingFields() {
  const { setValue, register, formState } = useFormContext<EndpointSettings>();
  const [method, contentType] = useWatch<EndpointSettings, ["postback.method", "postback.content_type"]>({
    name: ["postback.method", "postback.content_type"],
  });
  const methodError = useFieldMessage("postback.method");
  const bodyKindError = useFieldMessage("postback.content_type");
  const options = { shouldDirty: true, shouldValidate: formState.isSubmitted };
  const changeBody = (next: PostbackContentType | null) => {
    setValue("postback.content_type", next, options);
    if (next === null) setValue("postback.body", null, options);
  };
  const changeMethod = (next: HttpMethod) => {
    setValue("postback.method", next, options);
    if (next === "GET") changeBody(null);
    else setValue("postback.sign", false, options);
  };
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Method" error={methodError}>
        {(ids) => (
          <Select
            {...ids}
            value={method ?? "GET"}
            onChange={({ target }) => changeMethod(target.value as HttpMethod)}
          >
            {httpMethods.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {method === "POST" ? (
        <Field label="Body" error={bodyKindError}>
          {(ids) => (
            <Select
              {...ids}
              value={contentType ?? ""}
              onChange={({ target }) =>
                changeBody(target.value === "" ? null : (target.value as PostbackContentType))
              }
            >
              <option value="">None</option>
              {Object.entries(contentTypeLabels).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      ) : (
        <div className="self-end">
          <Checkbox
            {...register("postback.sign")}
            hint="Adds sig=, an HMAC of the URL under the endpoint's secret, for receivers that check it."
          >
            Sign the URL
          </Checkbox>
        </div>
      )}
    </div>
  );
}
