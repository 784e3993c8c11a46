"use client";

import { useSentForm } from "#components/account/sent-form.ts";
import { Button } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { setUpOptions } from "#lib/accounts/client.ts";
import { passwordRule } from "#lib/accounts/password.ts";

/** Makes the first admin, who is then signed in. */
export function SetupForm({ token }: { token: string }) {
  const { form, errors, busy, problem, submit } = useSentForm({
    schema: async () => (await import("#lib/accounts/schema.ts")).setupRequest,
    defaultValues: { token, name: "", email: "", password: "" },
    options: setUpOptions,
    fields: ["name", "email", "password"],
    onSuccess: () => window.location.assign("/"),
    leaves: true,
  });
  return (
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="Name" error={errors.name?.message} hint="How the audit log calls you.">
        {(ids) => <Input {...ids} {...form.register("name")} autoComplete="name" autoFocus />}
      </Field>
      <Field label="E-mail" error={errors.email?.message} hint="You sign in with it.">
        {(ids) => <Input {...ids} {...form.register("email")} type="email" autoComplete="username" />}
      </Field>
      <Field label="Password" error={errors.password?.message} hint={passwordRule}>
        {(ids) => (
          <Input {...ids} {...form.register("password")} type="password" autoComplete="new-password" />
        )}
      </Field>
      <FormProblem message={problem} />
      <Button type="submit" tone="primary" busy={busy}>
        Create the first admin
      </Button>
    </form>
  );
}
