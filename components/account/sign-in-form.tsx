"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useSentForm } from "#components/account/sent-form.ts";
import { Button } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { signInOptions, signInWithCodeOptions, singleSignOnOptions } from "#lib/accounts/client.ts";
import { errorWords } from "#lib/api/fetcher.ts";

/** Leads to `next`, a path of this console, in a new document. */
export function SignInForm({ next }: { next: string }) {
  const [needsCode, setNeedsCode] = useState(false);
  const leave = () => window.location.assign(next);
  return needsCode ? (
    <CodeForm onDone={leave} />
  ) : (
    <PasswordStep onDone={leave} onCode={() => setNeedsCode(true)} />
  );
}

/** For staff, where the deployment names an identity provider. */
export function SingleSignOn({ next, hasFailed }: { next: string; hasFailed: boolean }) {
  const begin = useMutation(singleSignOnOptions);
  const go = () => begin.mutate({ next }, { onSuccess: ({ url }) => window.location.assign(url) });
  const failure = hasFailed
    ? "Single sign-on did not let you in. It is for staff whose verified e-mail address is known here."
    : null;
  return (
    <div className="flex flex-col gap-4 border-line border-t pt-6">
      <FormProblem message={begin.error ? errorWords(begin.error) : failure} />
      <Button busy={begin.isPending || begin.isSuccess} onClick={go}>
        Sign in with single sign-on
      </Button>
    </div>
  );
}

function PasswordStep({ onDone, onCode }: { onDone: () => void; onCode: () => void }) {
  const { form, errors, busy, problem, submit } = useSentForm({
    schema: async () => (await import("#lib/accounts/schema.ts")).signInRequest,
    defaultValues: { email: "", password: "" },
    options: signInOptions,
    fields: ["email", "password"],
    onSuccess: (answer) => (answer?.needs_code ? onCode() : onDone()),
    leaves: true,
  });
  return (
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="E-mail" error={errors.email?.message}>
        {(ids) => (
          <Input {...ids} {...form.register("email")} type="email" autoComplete="username" autoFocus />
        )}
      </Field>
      <Field label="Password" error={errors.password?.message}>
        {(ids) => (
          <Input {...ids} {...form.register("password")} type="password" autoComplete="current-password" />
        )}
      </Field>
      <FormProblem message={problem} />
      <Button type="submit" tone="primary" busy={busy}>
        Sign in
      </Button>
    </form>
  );
}

function CodeForm({ onDone }: { onDone: () => void }) {
  const signIn = useMutation(signInWithCodeOptions);
  const [code, setCode] = useState("");
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (signIn.isPending || signIn.isSuccess || code.trim() === "") return;
    signIn.mutate({ code: code.trim() }, { onSuccess: onDone });
  };
  return (
    <form method="post" onSubmit={send} className="flex flex-col gap-4">
      <Field label="Code" hint="Of your authenticator app, or one of your backup codes.">
        {(ids) => (
          <Input
            {...ids}
            value={code}
            autoComplete="one-time-code"
            autoFocus
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
      <FormProblem message={signIn.error ? errorWords(signIn.error) : null} />
      <Button type="submit" tone="primary" busy={signIn.isPending || signIn.isSuccess}>
        Sign in
      </Button>
    </form>
  );
}
