"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useForm } from "react-hook-form";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { signInOptions } from "#lib/accounts/client.ts";
import { passwordRule } from "#lib/accounts/password.ts";
import { errorWords } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";
import { acceptInvitationOptions } from "#lib/invitations/client.ts";
import type { InvitationAcceptance } from "#lib/invitations/schema.ts";

/** Makes the user whom the invitation is for, and signs them in. */
export function AcceptForm({ token, email }: { token: string; email: string }) {
  const accept = useMutation(acceptInvitationOptions);
  const signIn = useMutation(signInOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<InvitationAcceptance>({
    resolver: lazyResolver(async () => (await import("#lib/invitations/schema.ts")).invitationAcceptance),
    defaultValues: { token, name: "", password: "" },
  });
  const { errors } = form.formState;
  const busy = accept.isPending || signIn.isPending || signIn.isSuccess;
  const send = form.handleSubmit((given) => {
    if (busy) return;
    setProblem(null);
    accept.mutate(given, {
      onSuccess: () =>
        signIn.mutate({ email, password: given.password }, { onSuccess: () => window.location.assign("/") }),
      onError: (error) =>
        setProblem(showServerErrors(error, { fields: ["name", "password"], setError: form.setError })),
    });
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  if (accept.isSuccess && signIn.isError) {
    return (
      <>
        <p role="status" className="text-ink-2">
          The invitation was accepted. Sign in with your e-mail address and password.
        </p>
        <ButtonLink href="/sign-in" tone="primary">
          Sign in
        </ButtonLink>
      </>
    );
  }
  return (
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="E-mail" hint="You sign in with it.">
        {(ids) => <Input {...ids} value={email} readOnly type="email" autoComplete="username" />}
      </Field>
      <Field label="Name" error={errors.name?.message} hint="How the audit log calls you.">
        {(ids) => <Input {...ids} {...form.register("name")} autoComplete="name" autoFocus />}
      </Field>
      <Field label="Password" error={errors.password?.message} hint={passwordRule}>
        {(ids) => (
          <Input {...ids} {...form.register("password")} type="password" autoComplete="new-password" />
        )}
      </Field>
      <FormProblem message={problem} />
      <Button type="submit" tone="primary" busy={busy}>
        Accept and sign in
      </Button>
    </form>
  );
}
