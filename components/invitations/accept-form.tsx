"use client";

import { useSentForm } from "#components/account/sent-form.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { passwordRule } from "#lib/accounts/password.ts";
import { acceptInvitationOptions } from "#lib/invitations/client.ts";

/**
 * Makes the user whom the invitation is for. What it says then is true of those who had an account already as well, and it
 * signs nobody in: that would not succeed for them, and so tell the two apart.
 */
export function AcceptForm({ token, email }: { token: string; email: string }) {
  const { form, errors, busy, sending, problem, submit } = useSentForm({
    schema: async () => (await import("#lib/invitations/schema.ts")).invitationAcceptance,
    defaultValues: { token, name: "", password: "" },
    options: acceptInvitationOptions,
    fields: ["name", "password"],
  });
  if (sending.isSuccess) {
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
      <Button type="submit" tone="primary" busy={busy}>
        Accept the invitation
      </Button>
    </form>
  );
}
