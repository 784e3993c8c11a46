"use client";

import { useDeferredValue, useMemo } from "react";
import { bodyKind, type TemplateSource } from "#lib/delivery/template/types.ts";
import type { EventType } from "#lib/event-types/schema.ts";
import { findingsOf } from "./findings.ts";
import { macroOptions } from "./macros.ts";
import { Preview } from "./preview.tsx";
import { SamplePicker, useSample } from "./sample-picker.tsx";
import { type TemplateControl, TemplateField } from "./template-field.tsx";

export type TemplateEditorProps = {
  method: TemplateSource["method"];
  contentType: TemplateSource["contentType"];
  sign: boolean;
  url: TemplateControl;
  /** Null where the request has no body. */
  body: TemplateControl | null;
  /** What stands between the URL and the body: how it is sent. */
  settings: React.ReactNode;
  /** Those that the endpoint gets. */
  eventTypes: readonly EventType[];
  secretNames: readonly string[];
  /** The key of whose events it is tried with; null as long as nobody is chosen. */
  affiliate: string | null;
  onSecret: (name: string, value: string) => void;
};

/** A postback's template, checked, completed and rendered while it is written, by the code that sends it. */
export function TemplateEditor(props: TemplateEditorProps) {
  const { method, contentType, eventTypes, secretNames, url, body, affiliate } = props;
  const bodyText = body?.value ?? null;
  const source = useMemo(
    () => ({ method, url: url.value, body: bodyText, contentType }),
    [method, url.value, bodyText, contentType],
  );
  const macros = useMemo(() => macroOptions(eventTypes, secretNames), [eventTypes, secretNames]);
  const found = useMemo(
    () => findingsOf(source, { eventTypes, secretNames }),
    [source, eventTypes, secretNames],
  );
  const shown = useDeferredValue(found.checked);
  const state = useSample(eventTypes, affiliate);
  const shared = { macros, onSecret: props.onSecret };
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-5">
        <TemplateField
          {...shared}
          label="URL template"
          hint="Text outside braces is sent exactly as it stands here; values are percent-encoded once."
          control={url}
          kind="url"
          found={found.url}
        />
        {props.settings}
        {body ? (
          <TemplateField
            {...shared}
            label="Body template"
            hint={
              contentType === "application/json"
                ? "Macros stand inside quotation marks; those of numbers and booleans may stand alone."
                : "Written as in a URL's query; values are form-encoded once."
            }
            control={body}
            kind={bodyKind(contentType)}
            found={found.body}
          />
        ) : null}
      </div>
      <section
        aria-label="Preview"
        className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-4 lg:sticky lg:top-20"
      >
        <h2 className="font-semibold text-sm">Preview</h2>
        <SamplePicker state={state} />
        {shown === null ? (
          <p className="text-ink-2">
            {url.value === ""
              ? "What would be sent is shown here as soon as there is a template."
              : "What would be sent is shown here once the template has no faults."}
          </p>
        ) : state.sample === null ? (
          <p className="text-ink-2">{state.missing}</p>
        ) : (
          <Preview template={shown} sample={state.sample} sign={props.sign} />
        )}
      </section>
    </div>
  );
}
