"use client";

import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Controller, useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { Checkbox, Field, FieldError, Input, Select, Textarea } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { type RuleKind, ruleKindHints, ruleKindLabels, ruleKinds } from "#lib/endpoints/setting-words.ts";
import { type EndpointSettings, useFieldMessage } from "./form-types.ts";

type Rule = EndpointSettings["response_rules"][number];

const maxRules = 20;

/** What the endpoint's answers must say to count as delivered. */
export function ResponseRulesField() {
  const { fields, append, remove } = useFieldArray<EndpointSettings, "response_rules">({
    name: "response_rules",
  });
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium text-sm">Response rules</legend>
      <p className="text-ink-3 text-xs">
        Without any, every answer with a status from 200 to 299 is a success. Some servers answer so and say
        in the body that they failed.
      </p>
      {fields.map(({ id }, i) => (
        <RuleRow key={id} place={i} onRemove={() => remove(i)} />
      ))}
      <FieldError message={useFieldMessage("response_rules")} />
      <Button
        className="self-start"
        disabledReason={fields.length >= maxRules ? `There can be ${maxRules} at most.` : null}
        onClick={() => append(ruleOf("body_contains"))}
      >
        <Plus aria-hidden />
        Add a rule
      </Button>
    </fieldset>
  );
}

function RuleRow({ place, onRemove }: { place: number; onRemove: () => void }) {
  const { setValue, register, formState } = useFormContext<EndpointSettings>();
  const path = `response_rules.${place}` as const;
  const rule = useWatch<EndpointSettings, typeof path>({ name: path });
  const what = `of rule ${place + 1}`;
  const change = (kind: RuleKind) =>
    setValue(path, ruleOf(kind, rule), { shouldDirty: true, shouldValidate: formState.isSubmitted });
  return (
    <div className="grid gap-3 rounded-md border border-line p-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]">
      <Field label="Kind" what={what} hint={ruleKindHints[rule.kind]}>
        {(ids) => (
          <Select {...ids} value={rule.kind} onChange={(event) => change(event.target.value as RuleKind)}>
            {ruleKinds.map((kind) => (
              <option key={kind} value={kind}>
                {ruleKindLabels[kind]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <div className="flex flex-col gap-1.5">
        {rule.kind === "status_in" ? (
          <StatusesField place={place} what={what} />
        ) : (
          <TextField place={place} what={what} />
        )}
        {rule.kind === "duplicate" ? null : (
          <Checkbox {...register(`${path}.retry`)}>Retry an answer that breaks it</Checkbox>
        )}
      </div>
      <div className="flex justify-end sm:pt-6">
        <IconButton label={`Remove rule ${place + 1}`} onClick={onRemove}>
          <Trash2 aria-hidden />
        </IconButton>
      </div>
    </div>
  );
}

function TextField({ place, what }: { place: number; what: string }) {
  const { register } = useFormContext<EndpointSettings>();
  const path = `response_rules.${place}.text` as const;
  return (
    <Field label="Text" what={what} error={useFieldMessage(path)}>
      {(ids) => (
        <Textarea
          {...ids}
          // Rules are judged together, so that another one may be right again now.
          {...register(path, { deps: "response_rules" })}
          rows={1}
          spellCheck={false}
          className="font-mono text-xs"
        />
      )}
    </Field>
  );
}

function StatusesField({ place, what }: { place: number; what: string }) {
  const { control } = useFormContext<EndpointSettings>();
  const path = `response_rules.${place}.statuses` as const;
  const message = useFieldMessage(path);
  return (
    <Controller
      control={control}
      name={path}
      rules={{ deps: "response_rules" }}
      render={({ field }) => (
        <Field label="Statuses" what={what} error={message} hint="From 200 to 299, for example 200, 201">
          {(ids) => (
            <StatusesInput
              {...ids}
              ref={field.ref}
              onBlur={field.onBlur}
              statuses={field.value ?? []}
              onStatuses={field.onChange}
            />
          )}
        </Field>
      )}
    />
  );
}

type StatusesInputProps = React.ComponentProps<"input"> & {
  statuses: number[];
  onStatuses: (statuses: number[]) => void;
};

/** What is typed stays as it is; the form gets the numbers in it. */
function StatusesInput({ statuses, onStatuses, ...rest }: StatusesInputProps) {
  const [text, setText] = useState(() => statuses.join(", "));
  return (
    <Input
      {...rest}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        onStatuses(target.value.split(/[\s,]+/).flatMap((part) => (part === "" ? [] : [Number(part)])));
      }}
      autoComplete="off"
      className="font-mono text-xs"
    />
  );
}

/** A rule of this kind, with what the one before said that it can say too. */
function ruleOf(kind: RuleKind, before?: Rule): Rule {
  const text = before && "text" in before ? before.text : "";
  if (kind === "duplicate") return { kind, text };
  const retry = before && "retry" in before ? before.retry : true;
  return kind === "status_in" ? { kind, statuses: [], retry } : { kind, text, retry };
}
