"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useForm } from "react-hook-form";
import type { z } from "zod";
import { Button } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { RoleFields } from "#components/users/role-fields.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";
import { inviteUserOptions } from "#lib/invitations/client.ts";
import type { InvitationCreate, InvitationCreated, invitationCreate } from "#lib/invitations/schema.ts";

export function InviteForm({ onMade }: { onMade: (invitation: InvitationCreated) => void }) {
  const invite = useMutation(inviteUserOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<z.input<typeof invitationCreate>, unknown, InvitationCreate>({
    resolver: lazyResolver(async () => (await import("#lib/invitations/schema.ts")).invitationCreate),
    defaultValues: { email: "", role: "support", affiliate: null },
  });
  const { errors } = form.formState;
  const { role, affiliate = null } = form.watch();
  const send = form.handleSubmit((given) => {
    if (invite.isPending) return;
    setProblem(null);
    invite.mutate(given, {
      onSuccess: onMade,
      onError: (error) =>
        setProblem(showServerErrors(error, { fields: ["email", "affiliate"], setError: form.setError })),
    });
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="E-mail" error={errors.email?.message} hint="They sign in with it.">
        {(ids) => <Input {...ids} {...form.register("email")} type="email" autoComplete="off" />}
      </Field>
      <RoleFields
        role={role}
        affiliate={affiliate}
        error={errors.affiliate && !affiliate ? "Choose the affiliate." : errors.affiliate?.message}
        onChange={(given) => {
          form.setValue("role", given.role);
          form.setValue("affiliate", given.affiliate);
          form.clearErrors("affiliate");
        }}
      />
      <FormProblem message={problem} />
      <div className="flex justify-end">
        <Button type="submit" tone="primary" busy={invite.isPending}>
          Make the link
        </Button>
      </div>
    </form>
  );
}
