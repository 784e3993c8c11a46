"use client";

import { type UseMutationOptions, useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type DefaultValues, type FieldValues, useForm } from "react-hook-form";
import { errorWords } from "#lib/api/fetcher.ts";
import { type FieldPattern, lazyResolver, showServerErrors } from "#lib/api/forms.ts";

type SentForm<Given extends FieldValues, Answer> = {
  /** The schema that the route uses too, fetched when the form is first submitted. */
  schema: Parameters<typeof lazyResolver<Given, Given>>[0];
  defaultValues: DefaultValues<Given>;
  options: UseMutationOptions<Answer, Error, Given>;
  /** Where faults that only the server finds can stand. */
  fields: readonly FieldPattern<Given>[];
  onSuccess?: (answer: Answer) => void;
  /** A success leads away from the page, so nothing is sent after one. */
  leaves?: true;
};

/** A form that is checked in the browser, sent one at a time, and says beside its fields what the server refused. */
export function useSentForm<Given extends FieldValues, Answer>(given: SentForm<Given, Answer>) {
  const { schema, defaultValues, options, fields, onSuccess, leaves } = given;
  const sending = useMutation(options);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<Given, unknown, Given>({ resolver: lazyResolver(schema), defaultValues });
  const busy = sending.isPending || (leaves === true && sending.isSuccess);
  const send = form.handleSubmit((values) => {
    if (busy) return;
    setProblem(null);
    sending.mutate(values, {
      onSuccess: (answer) => onSuccess?.(answer),
      onError: (error) => setProblem(showServerErrors(error, { fields, setError: form.setError })),
    });
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  return { form, errors: form.formState.errors, sending, busy, problem, submit };
}
