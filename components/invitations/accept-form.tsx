"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useForm } from "react-hook-form";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { passwordRule } from "#lib/accounts/password.ts";
import { errorWords } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";
import { acceptInvitationOptions } from "#lib/invitations/client.ts";
import type { InvitationAcceptance } from "#lib/invitations/schema.ts";

/**
 * Makes the user whom the invitation is for. What it says then is true of those who had an account already as well, and it
 * signs nobody in: that would not succeed for them, and so tell the two apart.
 */
export function AcceptForm({ token, email }: { token: string; email: string }) {
  const accept = useMutation(acceptInvitationOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<InvitationAcceptance>({
    resolver: lazyResolver(async () => (await import("#lib/invitations/schema.ts")).invitationAcceptance),
    defaultValues: { token, name: "", password: "" },
  });
  const { errors } = form.formState;
  const send = form.handleSubmit((given) => {
    if (accept.isPending) return;
    setProblem(null);
    accept.mutate(given, {
      onError: (error) =>
        setProblem(showServerErrors(error, { fields: ["name", "password"], setError: form.setError })),
    });
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  if (accept.isSuccess) {
    return (
      <>
        <p role="status" className="text-ink-2">
          The invitation was accepted. Sign in with {email} and the password that you chose, or with your own
          if you had an account here before.
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
      <Button type="submit" tone="primary" busy={accept.isPending}>
        Accept the invitation
      </Button>
    </form>
  );
}
